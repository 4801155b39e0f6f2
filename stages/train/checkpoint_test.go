package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/objective"
	"sentweave/stages/train/checkpoint"
)

// stopped is a run that was stopped by its model after a step.
func stopped(t testing.TB, c Config, step int64) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	taken := int64(0)
	_, _, err := Run(context.Background(), out, c, options(func(f *fake) {
		f.fail = func(call string, f *fake) error {
			if call == "update" {
				if taken++; taken > step {
					return errKilled
				}
			}
			return nil
		}
	}))
	if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	return out
}

func folders(t testing.TB, out string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(out+Suffix, "checkpoints"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCheckpointsAreKeptAndPruned(t *testing.T) {
	c := twoPeriods(t)
	// Checkpoints at 3, 6, 7 (the end of the first period), 9, 12, 15, 16.
	for step, want := range map[int64][]string{5: {"000003"}, 8: {"000006", "000007"}, 13: {"000009", "000012"}} {
		if got := folders(t, stopped(t, c, step)); !slices.Equal(got, want) {
			t.Errorf("after step %d: %v, want %v", step, got, want)
		}
	}
	c.Keep = 1
	if got := folders(t, stopped(t, c, 14)); !slices.Equal(got, []string{"000012"}) {
		t.Errorf("keep 1: %v", got)
	}
}

func TestRecordOfACheckpoint(t *testing.T) {
	c := twoPeriods(t)
	r, err := readWhole(filepath.Join(stopped(t, c, 13)+Suffix, "checkpoints", "000012"))
	if err != nil {
		t.Fatal(err)
	}
	// Step 5 of the second period, of 2 batches each: 10 × 4 of 103 and 10 × 6 of 90 examples.
	want := []Position{{Source: "cmlm", Batch: 10}, {Source: "bitext", Batch: 10}}
	if r.Step != 12 || r.Steps != 16 || r.Period != "cmlm+br" || r.PeriodStep != 5 || !cmp.Equal(r.Positions, want) || r.Config.Seed != 3 ||
		len(r.Inputs) != 3 {
		t.Errorf("%+v", r)
	}
	if len(r.Files) != 2 || r.Files[0].Name != "1_Pooling/config.json" || r.Files[1].Name != "model.json" {
		t.Errorf("files %+v", r.Files)
	}
}

func TestDamagedCheckpoints(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	edit := func(name string, change func([]byte) []byte) func(string) error {
		return func(folder string) error {
			path := filepath.Join(folder, name)
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(data), 0o666)
		}
	}
	tests := []struct {
		name   string
		damage func(folder string) error
		notice string
	}{
		{"no record", func(f string) error { return os.Remove(filepath.Join(f, RecordName)) }, "it has no training.json"},
		{"empty folder", func(f string) error { return errors.Join(os.RemoveAll(f), os.Mkdir(f, 0o777)) }, "it has no training.json"},
		{"cut record", edit(RecordName, func(b []byte) []byte { return b[:len(b)/2] }), "corrupt"},
		{"edited record", edit(RecordName,
			func(b []byte) []byte { return bytes.Replace(b, []byte(`"step": 12`), []byte(`"step": 11`), 1) }), "its check is"},
		{"record of zeros", edit(RecordName, func(b []byte) []byte { return make([]byte, len(b)) }), "corrupt"},
		{"cut file", edit("model.json", func(b []byte) []byte { return b[:3] }), "model.json has 3 bytes"},
		{"flipped bit", edit("model.json", func(b []byte) []byte { b[0] ^= 1; return b }), "the xxh3 of model.json is"},
		{"missing file", func(f string) error { return os.Remove(filepath.Join(f, "model.json")) }, "model.json is missing"},
		{"missing folder", func(f string) error { return os.RemoveAll(filepath.Join(f, "1_Pooling")) }, "1_Pooling/config.json is missing"},
		{"record of another", func(f string) error {
			other := strings.TrimSuffix(f, "000012") + "000009"
			return errors.Join(os.RemoveAll(f), os.CopyFS(f, os.DirFS(other)))
		}, "speaks of step 9"},
	}
	for _, tt := range tests {
		for _, all := range []bool{false, true} {
			out := stopped(t, c, 13)
			newest := filepath.Join(out+Suffix, "checkpoints", "000012")
			if err := tt.damage(newest); err != nil {
				t.Fatal(err)
			}
			first := int64(10)
			if all {
				if err := os.Remove(filepath.Join(out+Suffix, "checkpoints", "000009", RecordName)); err != nil {
					t.Fatal(err)
				}
				first = 1
			}
			var notices []string
			began := int64(0)
			o := options(nil)
			o.Observer.Notice = func(text string) { notices = append(notices, text) }
			o.Observer.Step = func(p Progress) {
				if began == 0 {
					began = p.Step
				}
			}
			if _, _, err := Run(context.Background(), out, c, o); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if began != first || !strings.Contains(notices[0], newest) || !strings.Contains(notices[0], tt.notice) {
				t.Errorf("%s: began at %d, want %d; %q", tt.name, began, first, notices)
			}
			if diff := cmp.Diff(want, look(t, out)); diff != "" {
				t.Errorf("%s:\n%s", tt.name, diff)
			}
		}
	}
}

func TestOtherConfigIsRefused(t *testing.T) {
	c := twoPeriods(t)
	c.Model = json.RawMessage(`{"vectors":15,"margin":0.3}`)
	out := stopped(t, c, 8)
	tests := []struct {
		edit func(*Config)
		want string // "" is accepted
	}{
		{func(c *Config) { c.Seed = 4 }, "config.seed is 3 there and 4 here"},
		{func(c *Config) { c.Periods[1].Rate = 3 }, "config.periods[1].rate is 2 there and 3 here"},
		{func(c *Config) {
			c.Periods[1].Optimizer = objective.DefaultOptimizer()
			c.Periods[1].Optimizer.Clip = 5
		}, "config.periods[1].optimizer.clip is 1 there and 5 here"},
		{func(c *Config) {
			c.Periods[1].Mixture[1].Objective = objective.CMLMName
			c.Periods[1].Mixture[1].Name = "bitext"
			c.Periods[1].Mixture[1].Dataset = c.Periods[0].Mixture[0].Dataset
		}, `config.periods[1].mixture[1].objective is "bitext" there and "cmlm" here`},
		{func(c *Config) { c.Periods = c.Periods[:1] }, "config.periods.length is 2 there and 1 here"},
		{func(c *Config) { c.Periods[0].Mixture[0].Dataset = consecutive(t, 103, 2) }, "the dataset of cmlm/cmlm has other content"},
		{func(c *Config) { c.LogEvery = 3 }, "config.log_every is 2 there and 3 here"},
		{func(c *Config) { c.Model = json.RawMessage(`{"vectors":10,"margin":0.3}`) }, "config.model.vectors is 15 there and 10 here"},
		{func(c *Config) { c.Model = nil }, "config.model is {"},
		{func(c *Config) { c.Keep, c.CheckpointEvery, c.ReadAhead, c.Recompute = 5, 2, 1, true }, ""},
		{func(c *Config) { c.Periods[1].CacheChunk = 4 }, "config.periods[1].cache_chunk is "},
	}
	for _, tt := range tests {
		other := c
		other.Periods = slices.Clone(c.Periods)
		for i := range other.Periods {
			other.Periods[i].Mixture = slices.Clone(c.Periods[i].Mixture)
		}
		tt.edit(&other)
		_, _, err := Run(context.Background(), out, other, options(nil))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("refused: %v", err)
		case tt.want != "" && (!errors.Is(err, dataset.ErrOtherPlan) || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "--overwrite")):
			t.Errorf("want %q: %v", tt.want, err)
		}
	}
	// The run is finished now, and is in the way of another one.
	other := c
	other.Seed = 4
	if _, _, err := Run(context.Background(), out, other, options(nil)); !errors.Is(err, dataset.ErrOtherPlan) {
		t.Errorf("after the end: %v", err)
	}
	o := options(nil)
	o.Overwrite = true
	if _, _, err := Run(context.Background(), out, other, o); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(context.Background(), plain, other, options(nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(look(t, plain), look(t, out)); diff != "" {
		t.Errorf("overwritten:\n%s", diff)
	}
}

func TestForeignFolder(t *testing.T) {
	c := twoPeriods(t)
	for _, name := range []string{"notes.txt", "model.safetensors", ".train/plan.json"} {
		out := filepath.Join(t.TempDir(), "out")
		path := filepath.Join(out, name)
		if folder, file := filepath.Split(name); folder != "" {
			path = out + name
			name = file
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("x"), 0o666)); err != nil {
			t.Fatal(err)
		}
		o := options(nil)
		o.Overwrite = true
		if _, _, err := Run(context.Background(), out, c, o); !errors.Is(err, fs.ErrExist) ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q, but no training", name)) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "x" {
			t.Errorf("%s is gone", name)
		}
		if _, _, err := Run(context.Background(), path, c, o); !errors.Is(err, fs.ErrExist) ||
			!strings.Contains(err.Error(), "is a file: choose a folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A damaged plan.
	out := stopped(t, c, 4)
	if err := os.WriteFile(filepath.Join(out+Suffix, RecordName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(context.Background(), out, c, options(nil)); !errors.Is(err, dataset.ErrCorrupt) ||
		!strings.Contains(err.Error(), "--overwrite") {
		t.Error(err)
	}
}

func TestOneProcessAFolder(t *testing.T) {
	c := twoPeriods(t)
	out := filepath.Join(t.TempDir(), "out")
	o := options(nil)
	var second error
	o.Observer.Step = func(p Progress) {
		if p.Step == 2 {
			_, _, second = Run(context.Background(), out, c, options(nil))
		}
	}
	if _, _, err := Run(context.Background(), out, c, o); err != nil {
		t.Fatal(err)
	}
	if second == nil || !strings.Contains(second.Error(), "another process is training") {
		t.Error(second)
	}
}

// TestFullDisk fills the disk at a checkpoint, in the model's files and in ours.
func TestFullDisk(t *testing.T) {
	c := twoPeriods(t)
	want := reference(t, c)
	full := fmt.Errorf("write x: %w", syscall.ENOSPC)
	tests := map[string]func(*Options, *fake){
		"model": func(o *Options, f *fake) {
			f.fail = func(call string, f *fake) error {
				if call == "save" && f.steps >= 6 && f.opened[0] == '0' { // steps 3 and 6 are before it
					return full
				}
				return nil
			}
		},
		"record": func(o *Options, f *fake) {
			o.intercept = func(step storage.Step, path string) error {
				if step == storage.StepWrite && strings.Contains(path, storage.TemporaryFolder) && f.steps >= 6 {
					return full
				}
				return nil
			}
		},
	}
	for name, fill := range tests {
		out := filepath.Join(t.TempDir(), "out")
		o := options(nil)
		f := &fake{state: 1, opened: "0:cmlm:adamw"}
		fill(&o, f)
		o.Open = func(period int, s Period, from string) (Trainer, error) { return f, nil }
		_, _, err := Run(context.Background(), out, c, o)
		last := filepath.Join(out+Suffix, "checkpoints", "000003")
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room") ||
			!strings.Contains(err.Error(), "the last good checkpoint is "+last) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readWhole(last); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); len(left) > 0 {
			t.Errorf("%s: %v takes up the disk", name, left)
		}
		if _, _, err := Run(context.Background(), out, c, options(nil)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestDiverged(t *testing.T) {
	c := twoPeriods(t)
	tests := []struct {
		edit  func(*fake)
		what  string
		count int
		text  string
	}{
		{func(f *fake) {
			f.loss = func(f *fake, b objective.Batch) (float64, bool) {
				return math.NaN(), f.opened[0] == '1' && f.steps == 3 && b.Objective() == "bitext"
			}
		}, "bitext", 6, "step 11 of period cmlm+br: the loss of bitext is NaN"},
		{func(f *fake) {
			f.norm = func(f *fake) (float64, bool) { return math.Inf(1), f.opened[0] == '1' && f.steps == 4 }
		}, "gradient_norm", 20, "step 11 of period cmlm+br: the norm of the gradients is +Inf"},
	}
	for _, tt := range tests {
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := Run(context.Background(), out, c, options(tt.edit))
		var d *divergedError
		if !errors.As(err, &d) || !errors.Is(err, ErrDiverged) {
			t.Fatal(err)
		}
		checkpoint := filepath.Join(out+Suffix, "checkpoints", "000009")
		if d.Step != 11 || d.What != tt.what || len(d.IDs) != tt.count || d.Checkpoint != checkpoint {
			t.Errorf("%+v", d)
		}
		for _, want := range []string{tt.text, d.IDs[0], checkpoint} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("no %q in: %v", want, err)
			}
		}
		if _, err := readWhole(checkpoint); err != nil {
			t.Error(err)
		}
	}
	// Before the first checkpoint.
	_, _, err := Run(context.Background(), filepath.Join(t.TempDir(), "out"), c, options(func(f *fake) {
		f.loss = func(*fake, objective.Batch) (float64, bool) { return math.Inf(-1), true }
	}))
	if err == nil || !strings.Contains(err.Error(), "there is no checkpoint yet") {
		t.Error(err)
	}
}

func FuzzRecord(f *testing.F) {
	r := &Record{Version: 1, Steps: 3, Step: 2, Period: "cmlm", Config: valid(), Positions: []Position{},
		Files: []checkpoint.File{{Name: "a", Bytes: 3, XXH3: "00"}}}
	r.Config.Model = json.RawMessage(`{"a":"<ä\u2028>"}`)
	data, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	if _, err := parseRecord(data); err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(0), uint16(0), []byte(" "))
	f.Add(uint16(len(data)), uint16(0), []byte("{}"))
	f.Add(uint16(30), uint16(500), []byte(`"step": 4`))
	f.Fuzz(func(t *testing.T, at, cut uint16, insert []byte) {
		from := min(int(at), len(data))
		to := min(from+int(cut), len(data))
		for _, edited := range [][]byte{slices.Concat(data[:from], insert, data[to:]), data[:from], insert} {
			if _, err := parseRecord(edited); (err == nil) != bytes.Equal(edited, data) || err != nil &&
				!errors.Is(err, dataset.ErrCorrupt) {
				t.Fatalf("%v:\n%s", err, edited)
			}
		}
	})
}
