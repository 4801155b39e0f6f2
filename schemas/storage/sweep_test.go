package storage

import (
	"os"
	"path/filepath"
	"testing"
)

// What is published stays, and so does a folder beside the temporary one.
func TestSweep(t *testing.T) {
	for name, c := range map[string]struct {
		left string // by a killed writer, or somebody else
		want bool   // that _run is there afterwards
	}{
		"nothing":       {"", false},
		"a killed run":  {"_run/tmp/x.json.ABC", false},
		"another thing": {"_run/plan.json", true},
	} {
		folder := NewLocal(t.TempDir())
		if err := WriteFile(t.Context(), folder, "x.json", []byte("1"), Replace); err != nil {
			t.Fatal(err)
		}
		if c.left != "" {
			if err := os.WriteFile(folder.path(c.left), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := Sweep(t.Context(), folder); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Stat(t.Context(), "x.json"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(folder.String(), "_run")); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
