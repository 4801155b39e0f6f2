package dataflow_test

import (
	"testing"

	"sentweave/runners/beam/dataflow"
)

// The figures are Compute Engine's own, of its page on each family.
func TestParseMachine(t *testing.T) {
	const gib = 1 << 30
	for _, want := range []dataflow.Machine{
		{Type: "e2-standard-4", VCPUs: 4, Memory: 16 * gib},
		{Type: "e2-highcpu-8", VCPUs: 8, Memory: 8 * gib},
		{Type: "n1-standard-1", VCPUs: 1, Memory: 15 * gib / 4},
		{Type: "n1-highmem-8", VCPUs: 8, Memory: 52 * gib},
		{Type: "n2-highmem-16", VCPUs: 16, Memory: 128 * gib},
		{Type: "n2d-standard-224", VCPUs: 224, Memory: 896 * gib},
		{Type: "c3d-highcpu-4", VCPUs: 4, Memory: 8 * gib},
		{Type: "t2a-standard-8", VCPUs: 8, Memory: 32 * gib, ARM: true},
		{Type: "c4a-highmem-4", VCPUs: 4, Memory: 32 * gib, ARM: true},
		{Type: "n2-custom-4-8192", VCPUs: 4, Memory: 8 * gib},
		{Type: "custom-1-3840", VCPUs: 1, Memory: 15 * gib / 4},
		{Type: "z9-turbo-48", VCPUs: 48},
	} {
		got, err := dataflow.ParseMachine(want.Type)
		if err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}

func FuzzParseMachine(f *testing.F) {
	for _, name := range []string{"e2-standard-4", "n2-custom-4-8192-ext", "custom-1-256", "e2-micro", "a-b-0", "n2-custom-999-9999999"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m, err := dataflow.ParseMachine(name)
		if err != nil {
			return
		}
		if m.Type != name || m.VCPUs < 1 || m.VCPUs > 999 || m.Memory < 0 || m.Window() != m.VCPUs {
			t.Errorf("%q: %+v", name, m)
		}
	})
}
