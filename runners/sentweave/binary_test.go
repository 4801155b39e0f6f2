package main

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The command is one static file that runs anywhere, and small enough to be sent
// to a cluster with each job.
func TestBinary(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("skipped: it builds the program, for Linux")
	}
	const most = 84_000_000 // of which the language identifier takes 2.4
	program := filepath.Join(t.TempDir(), "sentweave")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > most {
		t.Errorf("%d bytes, more than %d", info.Size(), most)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("it needs libraries: %v, %v", libraries, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it needs a dynamic loader")
		}
	}
}

// Neither program has a job server in it. Prism, which tests compare with, opens a
// port to everybody and runs what anybody sends there.
func TestNoJobServer(t *testing.T) {
	for _, program := range []string{".", "../sentweave-torch"} {
		output, err := exec.Command("go", "list", "-e", "-deps", "-tags", "libtorch", program).Output()
		packages := strings.Fields(string(output))
		if err != nil || len(packages) < 100 {
			t.Fatalf("%s: %d packages are listed, %v", program, len(packages), err)
		}
		for _, p := range packages {
			if strings.Contains(p, "/runners/prism") || strings.Contains(p, "/universal/extworker") {
				t.Errorf("%s has %s", program, p)
			}
		}
	}
}

// Nothing that can only be built with cgo is reachable from the command, with or
// without cgo.
func TestNothingNeedsC(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,CgoFiles", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	list.Stderr = os.Stderr
	output, err := list.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := list.Start(); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(output)
	for n := 0; ; n++ {
		var p struct {
			ImportPath string
			Standard   bool
			CgoFiles   []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			if n < 100 {
				t.Errorf("only %d packages are listed", n)
			}
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.CgoFiles) > 0 && !p.Standard {
			t.Errorf("%s uses cgo: %v", p.ImportPath, p.CgoFiles)
		}
	}
	if err := list.Wait(); err != nil {
		t.Fatal(err)
	}
}
