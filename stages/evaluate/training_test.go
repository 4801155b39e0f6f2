package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/evaluate/classifiers"
	"sentweave/stages/evaluate/protocol"
)

// Trainings are kept by all that decides them: more seeds train the new ones alone, other settings
// and other rows train anew, and so does a file that is damaged. The figures are those of an
// evaluation that keeps nothing.
func TestTrainingsAreKept(t *testing.T) {
	root := t.TempDir()
	t.Setenv(cache.Variable, root)
	rows := slices.Concat(rowsOf(t, "cr", "eng", 120, .7), rowsOf(t, "stsb", "eng", 60, 1))
	location := datasettest.Write(t, nil, rows)
	rows[0].Label = "1"
	other := datasettest.Write(t, nil, rows)
	c := Config{Benchmarks: []string{location}, Tasks: []string{"senteval"}, Split: "test", Probe: classifiers.ProbePrototyping, Seeds: 2}
	measure := func(c Config, version int) (list []schemas.Result, trained []string) {
		t.Helper()
		tasks, _, err := load(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		p := tasks[0].Protocol
		p.(classifiers.Trainer).KeepTrainings(version, func(what string, seed, seeds int) {
			trained = append(trained, fmt.Sprintf("%s %d of %d", what, seed, seeds))
		})
		list, err = p.Measure(t.Context(), told{}, schemas.Result{Model: "told", Task: "senteval"}, func(protocol.Part) {})
		if err != nil {
			t.Fatal(err)
		}
		return list, trained
	}
	three := c
	three.Seeds = 3
	want, all := measure(three, 0)
	steps := []struct {
		name    string
		config  func() Config
		trained []string
	}{
		{"first", func() Config { return c }, []string{"cr in eng 0 of 2", "cr in eng 1 of 2", "stsb in eng 0 of 2", "stsb in eng 1 of 2"}},
		{"again", func() Config { return c }, nil},
		{"a seed more", func() Config { return three }, []string{"cr in eng 2 of 3", "stsb in eng 2 of 3"}},
		{"damaged", func() Config {
			files, err := filepath.Glob(filepath.Join(root, "kept", "*", "kept", "cr-1"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%q %v", files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-5] ^= 1
			if err := os.WriteFile(files[0], data, 0o666); err != nil {
				t.Fatal(err)
			}
			return three
		}, []string{"cr in eng 1 of 3"}},
		{"another probe", func() Config { c := three; c.Probe = classifiers.ProbeLBFGS; return c }, all},
		{"another label", func() Config { c := three; c.Benchmarks = []string{other}; return c }, all[:3]},
	}
	for _, step := range steps {
		list, trained := measure(step.config(), Version)
		if diff := cmp.Diff(step.trained, trained); diff != "" {
			t.Errorf("%s:\n%s", step.name, diff)
		}
		if step.name == "damaged" || step.name == "a seed more" {
			if diff := cmp.Diff(want, list); diff != "" {
				t.Errorf("%s: figures\n%s", step.name, diff)
			}
		}
	}
}
