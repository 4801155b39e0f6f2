package doctor_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/doctor"
)

// program writes an executable shell script.
func program(t *testing.T, folder, name, script string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func find(t *testing.T, findings []doctor.Finding, name string) doctor.Finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f doctor.Finding) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("there is no finding %q in %v", name, findings)
	}
	return findings[i]
}

func TestEmptyMachine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("LIBTORCH", "")
	cache := t.TempDir()
	t.Setenv("SENTWEAVE_CACHE", cache)
	findings := doctor.Check(t.Context(), doctor.Config{})
	for _, name := range []string{"python", "C++ compiler", "libtorch", "sentweave-torch"} {
		if f := find(t, findings, name); f.Status != doctor.Optional || f.Help == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, name := range []string{"go", "cores", "temporary folder"} {
		if f := find(t, findings, name); f.Status != doctor.OK || f.Found == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f := find(t, findings, "go"); !strings.HasPrefix("go"+f.Found, runtime.Version()) {
		t.Errorf("go: %+v", f)
	}
	fetched := filepath.Join(cache, "torch-2.11.0", "torch")
	if err := os.MkdirAll(fetched, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fetched, "version.py"), []byte("from typing import Optional\n__version__ = '2.11.0+cu130'\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if f := find(t, doctor.Check(t.Context(), doctor.Config{}), "libtorch"); f.Status != doctor.OK || f.Found != "2.11.0+cu130, "+fetched {
		t.Errorf("a libtorch that was fetched: %+v", f)
	}
	if !doctor.Healthy(findings) {
		t.Error("a machine without optional programs is called ill")
	}
}

func TestPrograms(t *testing.T) {
	folder, torch := t.TempDir(), t.TempDir()
	python := program(t, folder, "snake", `echo "python 3.12.1"; echo "pyarrow 21.0.0"; echo "duckdb"; echo "datasets 4.0.0"`)
	if err := os.Mkdir(filepath.Join(torch, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"lib/libtorch.so": "", "build-version": "2.11.0+cpu\n"} {
		if err := os.WriteFile(filepath.Join(torch, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	t.Setenv("LIBTORCH", torch)
	compiler := program(t, folder, "g++", "echo 'g++ (Debian 14) 14.2.0'; echo more")
	if f := find(t, doctor.Check(t.Context(), doctor.Config{}), "C++ compiler"); f.Status != doctor.Optional ||
		f.Found != "no gcc on PATH" {
		t.Errorf("%+v", f)
	}
	program(t, folder, "gcc", "echo gcc 14")
	findings := doctor.Check(t.Context(), doctor.Config{Python: python, Version: "1, commit a",
		Torch: program(t, folder, "torch", "echo 'sentweave-torch 1, commit a with libtorch 2'")})
	tests := []struct {
		name   string
		status doctor.Status
		found  string
	}{
		{"python", doctor.OK, "3.12.1, " + python},
		{"python pyarrow", doctor.OK, "21.0.0"},
		{"python duckdb", doctor.Optional, "not installed"},
		{"python datasets", doctor.OK, "4.0.0"},
		{"C++ compiler", doctor.OK, "g++ (Debian 14) 14.2.0, " + compiler},
		{"libtorch", doctor.OK, "2.11.0+cpu, " + torch},
		{"sentweave-torch", doctor.OK, "sentweave-torch 1, commit a with libtorch 2, " + filepath.Join(folder, "torch")},
	}
	if f := find(t, findings, "sentweave-torch"); f.Help != "" {
		t.Errorf("equal versions: %+v", f)
	}
	for _, version := range []string{"1, commit b", "1, commit a with changes", "2, commit a"} {
		f := find(t, doctor.Check(t.Context(), doctor.Config{Torch: filepath.Join(folder, "torch"), Version: version}), "sentweave-torch")
		if !strings.Contains(f.Help, "other sources than this program, "+version) {
			t.Errorf("version %s: %+v", version, f)
		}
	}
	for _, test := range tests {
		if f := find(t, findings, test.name); f.Status != test.status || f.Found != test.found {
			t.Errorf("got %+v, want %s %q", f, test.status, test.found)
		}
	}
}

func TestFolders(t *testing.T) {
	root := t.TempDir()
	planned := filepath.Join(root, "not", "there", "yet")
	findings := doctor.Check(t.Context(), doctor.Config{Folder: planned})
	if f := find(t, findings, "output folder"); f.Status != doctor.OK || f.Found != planned+", to be made in "+root {
		t.Errorf("%+v", f)
	}
	if f := find(t, findings, "output disk"); f.Status != doctor.OK && runtime.GOOS == "linux" {
		t.Errorf("%+v", f)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) > 0 {
		t.Errorf("the checks left %v, %v", entries, err)
	}
	t.Setenv("TMPDIR", filepath.Join(root, "absent"))
	ill := doctor.Check(t.Context(), doctor.Config{})
	if f := find(t, ill, "temporary folder"); f.Status != doctor.Missing || !strings.Contains(f.Help, "TMPDIR") || doctor.Healthy(ill) {
		t.Errorf("a temporary folder that is not there: %+v", f)
	}
}

// A real interpreter is asked for its real packages.
func TestPython(t *testing.T) {
	python := peertest.Python(t)
	findings := doctor.Check(t.Context(), doctor.Config{Python: python})
	if f := find(t, findings, "python"); f.Status != doctor.OK || !strings.HasPrefix(f.Found, "3.") {
		t.Errorf("%+v", f)
	}
}

// Room for a demo is looked for where its largest part goes.
func TestCacheDisk(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("SENTWEAVE_CACHE", filepath.Join(cache, "not", "yet"))
	f := find(t, doctor.Check(t.Context(), doctor.Config{}), "cache disk")
	free, err := doctor.Free(cache)
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	if scarce := free < 4_400_000_000; scarce != strings.Contains(f.Help, "4.4 GB") || !strings.HasSuffix(f.Found, " GB free") {
		t.Errorf("%d bytes are free: %+v", free, f)
	}
}
