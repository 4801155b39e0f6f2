package torch

import (
	"strings"
	"testing"
)

// Only bfloat16 on a processor of which it is known to be slow is told.
func TestLacking(t *testing.T) {
	slow := Compute{Device: "cpu", Precision: bFloat16}
	for _, test := range []struct {
		compute      Compute
		architecture string
		reduced, ask bool
	}{
		{slow, "amd64", false, true},
		{slow, "amd64", true, false},
		{slow, "arm64", false, false},
		{Compute{Device: "cpu", Precision: Float32}, "amd64", false, false},
		{Compute{Device: "cuda:1", Precision: bFloat16}, "amd64", false, false},
	} {
		if told := test.compute.lackingOn(test.architecture, test.reduced); (told != "") != test.ask {
			t.Errorf("%+v on %s: %q", test.compute, test.architecture, told)
		}
	}
}

// A small encoder gains nothing by bfloat16 on any CPU.
func TestLackingFor(t *testing.T) {
	reduced := Compute{Device: "cpu", Precision: bFloat16}
	for _, test := range []struct {
		compute    Compute
		dimensions int
		want       string
	}{
		{reduced, leastReduced - 1, "leave out --precision"},
		{reduced, leastReduced, reduced.Lacking()},
		{Compute{Precision: Float32}, 1, ""},
		{Compute{Device: "cuda", Precision: bFloat16}, 1, ""},
	} {
		got := test.compute.LackingFor(test.dimensions)
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%+v, %d dimensions: %q, want %q", test.compute, test.dimensions, got, test.want)
		}
	}
}

func TestComputeFaults(t *testing.T) {
	good := Compute{Device: "cpu", Precision: Float32}
	for want, change := range map[string]func(*Compute){
		`device "gpu" is unknown; it must be cpu, cuda or cuda:N`: func(c *Compute) {
			c.Device = "gpu"
		},
		`device "cuda:x" is unknown; it must be cpu, cuda or cuda:N`: func(c *Compute) {
			c.Device = "cuda:x"
		},
		`precision "float16" is unknown; it must be float32, bfloat16 or int8`: func(c *Compute) {
			c.Precision = "float16"
		},
		"threads is -1, it must not be negative": func(c *Compute) {
			c.Threads = -1
		},
		"device \"x\" is unknown; it must be cpu, cuda or cuda:N\nthreads is -2, it must not be negative": func(c *Compute) {
			c.Device, c.Threads = "x", -2
		},
	} {
		c := good
		change(&c)
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	for _, c := range []Compute{good, {}, {Device: "cuda", Precision: bFloat16},
		{Device: "cuda:12", Precision: Float32, Threads: 4}} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	want := "precision int8 is for encoding, not for training: it must be float32 or bfloat16"
	if err := (Compute{Precision: Int8}).ValidateTraining(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("training: %v, want %s", err, want)
	}
	want = "precision int8 is for the CPU: take bfloat16 on device cuda"
	if err := (Compute{Device: "cuda", Precision: Int8}).Validate(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("on a GPU: %v, want %s", err, want)
	}
	if hasInt8("amd64", false) || !hasInt8("amd64", true) || !hasInt8("arm64", false) {
		t.Error("int8 is for processors with VNNI, and others that do not tell")
	}
}
