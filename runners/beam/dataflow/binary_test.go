package dataflow_test

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"

	"sentweave/runners/beam/dataflow"
)

func TestInspectBinary(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ name, path, architecture, fault string }{
		{"linux/amd64", program(t, elf.EM_X86_64, elf.ELFOSABI_NONE, elf.ET_EXEC, ""), "amd64", ""},
		{"position-independent", program(t, elf.EM_X86_64, elf.ELFOSABI_LINUX, elf.ET_DYN, ""), "amd64", ""},
		{"linux/arm64", program(t, elf.EM_AARCH64, elf.ELFOSABI_NONE, elf.ET_EXEC, ""), "arm64", ""},
		{"arm64 on amd64", program(t, elf.EM_AARCH64, elf.ELFOSABI_NONE, elf.ET_EXEC, ""), "amd64",
			"is for linux/arm64, the machines are linux/amd64"},
		{"amd64 on arm64", program(t, elf.EM_X86_64, elf.ELFOSABI_NONE, elf.ET_EXEC, ""), "arm64",
			"is for linux/amd64, the machines are linux/arm64"},
		{"another processor", program(t, elf.EM_RISCV, elf.ELFOSABI_NONE, elf.ET_EXEC, ""), "amd64", "the processor RISCV"},
		{"FreeBSD", program(t, elf.EM_X86_64, elf.ELFOSABI_FREEBSD, elf.ET_EXEC, ""), "amd64", "a program for FREEBSD"},
		{"an object file", program(t, elf.EM_X86_64, elf.ELFOSABI_NONE, elf.ET_REL, ""), "amd64", "but no program"},
		{"macOS", file("\xcf\xfa\xed\xfe\x0c\x00\x00\x01"), "amd64", "a program for macOS"},
		{"Windows", file("MZ\x90\x00"), "amd64", "a program for Windows"},
		{"a script", file("#!/bin/sh\n"), "amd64", "is a script"},
		{"half of an ELF file", file("\x7fELF\x02\x01"), "amd64", "is damaged"},
		{"a text", file("text"), "amd64", "is not a program"},
		{"nothing", file(""), "amd64", "is not a program"},
		{"absent", filepath.Join(t.TempDir(), "absent"), "amd64", "open the worker binary"},
	} {
		b, err := dataflow.InspectBinary(t.Context(), c.path, c.architecture, false)
		switch {
		case c.fault == "":
			data, readErr := os.ReadFile(c.path)
			if err != nil || readErr != nil || !b.Static() || b.SHA256 != fmt.Sprintf("%x", sha256.Sum256(data)) ||
				b.Bytes != int64(len(data)) {
				t.Errorf("%s: %+v, %v, %v", c.name, b, err, readErr)
			}
		case err == nil || !strings.Contains(err.Error(), c.fault):
			t.Errorf("%s: got %v, want %q", c.name, err, c.fault)
		case c.name != "absent" && !strings.Contains(err.Error(), "`CGO_ENABLED=0 GOOS=linux GOARCH="+c.architecture+" go build"):
			t.Errorf("%s: no way out: %v", c.name, err)
		}
	}
}

// The running program is the worker by default: it passes where it runs on Linux.
func TestInspectOwnProgram(t *testing.T) {
	b, err := dataflow.InspectBinary(t.Context(), "", runtime.GOARCH, false)
	if runtime.GOOS != "linux" {
		if err == nil {
			t.Errorf("a program for %s passes", runtime.GOOS)
		}
		return
	}
	if err != nil || b.Architecture != runtime.GOARCH || b.Bytes < 1<<20 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestDynamicProgramsOfTheSystem(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("skipped: the programs of the system are not for linux/amd64")
	}
	const simple, rich = "/bin/cat", "/bin/ls" // ls loads libselinux on Debian
	b, err := dataflow.InspectBinary(t.Context(), simple, "amd64", false)
	if err != nil {
		t.Skipf("skipped: %s loads more than the C library here, or is absent: %v", simple, err)
	}
	if b.Static() {
		t.Skipf("skipped: %s is static here", simple)
	}
	_, err = dataflow.InspectBinary(t.Context(), rich, "amd64", false)
	if err == nil {
		t.Skipf("skipped: %s loads the C library alone here", rich)
	}
	if !strings.Contains(err.Error(), "was built with cgo and loads lib") || !strings.Contains(err.Error(), "--worker-image") {
		t.Error(err)
	}
	if b, err := dataflow.InspectBinary(t.Context(), rich, "amd64", true); err != nil || b.Static() {
		t.Errorf("with an image of one's own: %+v, %v", b, err)
	}
}

// Launcher and worker must be of one Beam.
func TestProgramsOfAnotherBeam(t *testing.T) {
	const beam, other = "github.com/apache/beam/sdks/v2", "example.com/other"
	for _, c := range []struct {
		dependencies []*debug.Module
		fault        string
	}{
		{nil, ""},
		{[]*debug.Module{{Path: other, Version: "v1.0.0"}, {Path: beam, Version: "v" + core.SdkVersion}}, ""},
		{[]*debug.Module{{Path: other, Version: "v1.0.0"}}, "does not contain Beam"},
		{[]*debug.Module{{Path: beam, Version: "v2.60.0"}}, "was built with Beam v2.60.0, this program with v" + core.SdkVersion},
	} {
		err := dataflow.CheckBuild(c.dependencies)
		if (err == nil) != (c.fault == "") || (err != nil && !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("got %v, want %q", err, c.fault)
		}
	}
}

func TestInspectBinaryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dataflow.InspectBinary(ctx, smallProgram(t), "amd64", false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
