//go:build libtorch && linux

package native_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas/realdata"
)

// The kernels, built for the host, are as far from float64 as bfloat16 rounds, and sums nearer.
func TestKernelsOnTheHost(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("skipped: the kernels on the host need g++")
	}
	heads := map[int]int{768: 64, 384: 32, 64: 32}
	for size, head := range heads {
		if testing.Short() && size != 384 {
			continue
		}
		program := filepath.Join(t.TempDir(), "fused")
		build := exec.CommandContext(t.Context(), compiler, "-std=c++17", "-O1", "-w", fmt.Sprint("-DHIDDEN=", size),
			fmt.Sprint("-DHEAD=", head), "-o", program, filepath.Join("testdata", "fused.cpp"))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.CommandContext(t.Context(), program).Output()
		if err != nil {
			t.Fatal(err)
		}
		results := 0
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); results++ {
			var name string
			var far float64
			if _, err := fmt.Sscan(lines.Text(), &name, &far); err != nil {
				t.Fatal(lines.Text(), err)
			}
			most := .004 // rounding to 8 bits
			switch name {
			case "norm.shift", "gelu.bias", "join.sums", "entropy", "lamb", "lamb.first", "lamb.second":
				most = 1e-6
			case "attention.sums":
				most = .01
			case "join", "pick":
				most = 0
			case "dropped":
				most = .05
			}
			if !(far <= most) {
				t.Errorf("%d values: %s is %g from float64, more than %g", size, name, far, most)
			}
		}
		if results != 41 {
			t.Errorf("%d results, want 41: %s", results, out)
		}
	}
}

// NVRTC compiles the kernels for three generations of GPUs. Neither a GPU nor a driver is there for that.
func TestKernelsCompile(t *testing.T) {
	folder := realdata.Variable(t, "SENTWEAVE_NVRTC")
	for source, definitions := range map[string][]string{
		"fused.cu": {"HIDDEN=64", "HIDDEN=384", "HIDDEN=768"}, "attention.cu": {"HEAD=64", "HEAD=32"},
	} {
		if testing.Short() {
			definitions = definitions[:1]
		}
		command := exec.CommandContext(
			t.Context(), "python3", append([]string{filepath.Join("testdata", "nvrtc.py"), folder, source}, definitions...)...)
		command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
		out, err := command.CombinedOutput()
		if err != nil || strings.Count(string(out), "\n") != 3*len(definitions) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
