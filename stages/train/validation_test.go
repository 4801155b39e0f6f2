package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/objective"
	"sentweave/stages/train/batches"
)

// validated is the training of two periods with a validation every second step, whose
// first period is stopped early.
func validated(t testing.TB) Config {
	t.Helper()
	c := twoPeriods(t)
	c.Validation = &Validation{Every: 2, Share: .3, Examples: 12, Patience: 2}
	return c
}

// losing has the fakes give losses on held-out examples by the step of the period: the sum
// of both sources, each with a weight, is not needed to be what decides.
func losing(byPeriod map[string][]float64) func(*fake) {
	return func(f *fake) {
		f.loss = func(f *fake, b objective.Batch) (float64, bool) {
			if f.parts != 0 { // training
				return 0, false
			}
			return f.at(byPeriod), true
		}
	}
}

// at is the value after the steps that the fake has taken in its period.
func (f *fake) at(byPeriod map[string][]float64) float64 {
	_, rest, _ := strings.Cut(f.opened, ":")
	period, _, _ := strings.Cut(rest, ":")
	list := byPeriod[period]
	return list[min(int(f.steps)/2, len(list))-1]
}

// scoring is a task whose figures are so, of the fakes that are in folders.
func scoring(byPeriod map[string][]float64) *Task {
	return &Task{
		Input: dataset.Input{Role: "validation/sts/spearman", XXH3: "aa"}, Better: 1,
		Measure: func(folder string) (float64, error) {
			var f fake
			err := f.read(folder)
			return f.at(byPeriod), err
		},
	}
}

// Figures of which the greatest is the best, with the best steps of someLosses.
var someFigures = map[string][]float64{"cmlm": {.3, .25, .3}, "cmlm+br": {.1, .2, .5, .3}}

// Losses after the steps 2, 4, 6 and so on. The first period is best after step 2 and has a
// patience of two, so it ends after step 6 of 7; the second is best after 6 of 9.
var someLosses = map[string][]float64{"cmlm": {3, 3.5, 3}, "cmlm+br": {9, 8, 5, 7}}

func TestBestStepIsPublished(t *testing.T) {
	c := validated(t)
	out := filepath.Join(t.TempDir(), "out")
	states := map[int64]string{} // of the fake after each step
	o := options(func(f *fake) { losing(someLosses)(f) })
	o.Private = []string{"1_Pooling/config.json"}
	o.Observer.Checkpoint = func(step int64, folder string) {
		data, err := os.ReadFile(filepath.Join(folder, "model.json"))
		if err != nil {
			t.Error(err)
		}
		states[step] = string(data)
	}
	var seen []string
	o.Observer.Validated = func(period string, step int64, value float64, found Validated) {
		found.Value = math.Round(1e9*found.Value) / 1e9 // of sums of shares
		seen = append(seen, fmt.Sprintf("%s %d %.1f %v", period, step, value, found))
	}
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	// The metric of the second period is loss + .2 × loss.
	want := []string{
		"cmlm 2 3.0 {2 3 0 false}", "cmlm 4 3.5 {2 3 1 false}", "cmlm 6 3.0 {2 3 2 true}",
		"cmlm+br 9 10.8 {9 10.8 0 false}", "cmlm+br 11 9.6 {11 9.6 0 false}", "cmlm+br 13 6.0 {13 6 0 false}",
		"cmlm+br 15 8.4 {13 6 1 false}", "cmlm+br 16 8.4 {13 6 2 true}",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if r := result.Record; r.Step != 16 || r.Validated.Best != 13 || math.Abs(r.Validated.Value-6) > 1e-9 || !r.finished() {
		t.Errorf("%+v", r)
	}
	for folder, step := range map[string]int64{"cmlm": 2, "": 13} {
		data, err := os.ReadFile(filepath.Join(out, folder, "model.json"))
		if err != nil || string(data) != states[step] || states[step] == "" {
			t.Errorf("%q holds %s, the model after step %d is %s", folder, data, step, states[step])
		}
		if _, err := readWhole(filepath.Join(out, folder)); err != nil {
			t.Error(err)
		}
	}
	// The second period begins with the best model of the first, and its log has the validations.
	lines, err := ReadLosses(filepath.Join(out, LossesName))
	if err != nil {
		t.Fatal(err)
	}
	var steps []int64
	for _, l := range lines {
		steps = append(steps, l.Step)
		if wants := l.Step <= 6 || l.Step%2 == 1 || l.Step == 16; (l.Validation != nil) != wants {
			t.Errorf("line %+v", l)
		}
	}
	if want := []int64{2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16}; !slices.Equal(steps, want) {
		t.Errorf("lines %v, want %v", steps, want)
	}
	// What is left goes on for more steps, but holds no model twice.
	if diff := cmp.Diff([]string{"checkpoints/000013/training.json", "checkpoints/000016/1_Pooling/config.json",
		"checkpoints/000016/model.json", "checkpoints/000016/training.json", "lock", "training.json"}, filesOf(t, out+Suffix)); diff != "" {
		t.Error(diff)
	}
	again, existed, err := Run(t.Context(), out, c, o)
	if err != nil || !existed {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// Killed at any change of the disk or call of the model, a validated run ends as one that
// was not.
func TestValidatedResumes(t *testing.T) {
	c := validated(t)
	t.Run("by losses", func(t *testing.T) { testValidatedResumes(t, c) })
	c.Validation.Metric, c.Validation.Datasets = "sts/spearman", []string{"data"}
	t.Run("by a task", func(t *testing.T) { testValidatedResumes(t, c) })
}

func testValidatedResumes(t *testing.T, c Config) {
	c.Keep = 1 // the best one is kept beside it
	begin := func(out string, edit func(*Options), fail func(string, *fake) error) error {
		o := options(func(f *fake) { losing(someLosses)(f); f.fail = fail })
		o.Private, o.Task = []string{"1_Pooling/config.json"}, scoring(someFigures)
		if edit != nil {
			edit(&o)
		}
		_, _, err := Run(context.Background(), out, c, o)
		return err
	}
	// Not look, because 1_Pooling/config.json is private here.
	result := func(out string) (o outcome) {
		lines, err := ReadLosses(filepath.Join(out, LossesName))
		if err != nil {
			t.Fatal(err)
		}
		for i := range lines {
			l := &lines[i]
			l.Seconds, l.TokensPerSecond, l.WaitShare, l.RemainingSeconds, l.RSSBytes = 0, 0, 0, 0, 0
		}
		o = outcome{lines, map[string]string{}}
		for _, root := range []string{out, out + Suffix} {
			for _, name := range filesOf(t, root) {
				data, err := os.ReadFile(filepath.Join(root, name))
				if err != nil {
					t.Fatal(err)
				}
				if name != LossesName {
					o.Models[strings.TrimPrefix(root, out)+"/"+name] = string(data)
				}
			}
		}
		return o
	}
	whole := filepath.Join(t.TempDir(), "out")
	if err := begin(whole, nil, nil); err != nil {
		t.Fatal(err)
	}
	want := result(whole)
	for _, kind := range []string{"disk", "model"} {
		for n := 0; ; n += stride() {
			calls := 0
			killed := func() error {
				if calls++; calls > n {
					return errKilled
				}
				return nil
			}
			out := filepath.Join(t.TempDir(), "out")
			var err error
			if kind == "disk" {
				err = begin(out, func(o *Options) { o.intercept = func(storage.Step, string) error { return killed() } }, nil)
			} else {
				err = begin(out, nil, func(string, *fake) error { return killed() })
			}
			if err == nil {
				if n < 100 {
					t.Errorf("%s: only %d calls", kind, n)
				}
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if err := begin(out, nil, nil); err != nil {
				t.Fatalf("%s: after %d calls: %v", kind, n, err)
			}
			if diff := cmp.Diff(want, result(out)); diff != "" {
				t.Fatalf("%s: killed after %d calls:\n%s", kind, n, diff)
			}
		}
	}
}

// The figure of a task decides, of the model that is saved, and the greatest is the best; the
// losses on what is held out are measured besides.
func TestTaskDecides(t *testing.T) {
	for _, share := range []float64{0, .3} {
		c := validated(t)
		c.Validation.Metric, c.Validation.Share, c.Validation.Datasets = "sts/spearman", share, []string{"data"}
		out := filepath.Join(t.TempDir(), "out")
		o := options(losing(map[string][]float64{"cmlm": {3, 2, 1}, "cmlm+br": {4, 3, 2, 1}})) // which would choose others
		o.Task = scoring(someFigures)
		var seen []string
		o.Observer.Validated = func(period string, step int64, value float64, found Validated) {
			seen = append(seen, fmt.Sprintf("%s %d %v %v", period, step, value, found))
		}
		result, _, err := Run(t.Context(), out, c, o)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"cmlm 2 0.3 {2 0.3 0 false}", "cmlm 4 0.25 {2 0.3 1 false}", "cmlm 6 0.3 {2 0.3 2 true}",
			"cmlm+br 9 0.1 {9 0.1 0 false}", "cmlm+br 11 0.2 {11 0.2 0 false}", "cmlm+br 13 0.5 {13 0.5 0 false}",
			"cmlm+br 15 0.3 {13 0.5 1 false}", "cmlm+br 16 0.3 {13 0.5 2 true}",
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Error(diff)
		}
		for folder, steps := range map[string]int64{"cmlm": 2, "": 6} {
			var f fake
			if err := f.read(filepath.Join(out, folder)); err != nil || f.steps != steps {
				t.Errorf("%q holds the model after step %d of its period, want %d: %v", folder, f.steps, steps, err)
			}
		}
		inputs := result.Record.Inputs
		if last := inputs[len(inputs)-1]; last != o.Task.Input || len(inputs) != 4 {
			t.Errorf("inputs %+v", inputs)
		}
		lines, err := ReadLosses(filepath.Join(out, LossesName))
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]float64{"sts/spearman": .25}
		if share > 0 {
			held["cmlm"] = 2
		}
		if diff := cmp.Diff(held, lines[1].Validation); diff != "" || lines[1].Step != 4 {
			t.Errorf("step %d: %s", lines[1].Step, diff)
		}
		// Other data are another training.
		o.Task.Input.XXH3 = "bb"
		if _, _, err := Run(t.Context(), out, c, o); err == nil ||
			!strings.Contains(err.Error(), "the dataset of validation/sts/spearman has other content") {
			t.Error(err)
		}
	}
}

// A figure that cannot be had, or is not a number, ends the run; it goes on from there.
func TestTaskThatFails(t *testing.T) {
	c := validated(t)
	c.Periods, c.Validation.Patience = c.Periods[:1], 0
	c.Validation.Metric, c.Validation.Datasets = "sts/spearman", []string{"data"}
	out := filepath.Join(t.TempDir(), "out")
	o := options(losing(someLosses))
	for _, test := range []struct {
		list []float64
		err  error
		want string
	}{
		{[]float64{.1, math.NaN()}, nil, "validation after step 4 of period cmlm: sts/spearman is not a finite number"},
		{[]float64{.1, .2, .3}, syscall.ENOSPC, "validation after step 4 of period cmlm: sts/spearman: no space left on device; make room"},
		{[]float64{.1, .2, .3}, nil, ""},
	} {
		o.Task = scoring(map[string][]float64{"cmlm": test.list})
		measure := o.Task.Measure
		o.Task.Measure = func(folder string) (float64, error) {
			value, err := measure(folder)
			if value == .2 && test.err != nil {
				return 0, test.err
			}
			return value, err
		}
		_, _, err := Run(t.Context(), out, c, o)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		if left, err := os.ReadDir(filepath.Join(out+Suffix, storage.TemporaryFolder)); err == nil && len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
	}
	if r, err := readWhole(out); err != nil || r.Validated.Best != 6 || r.Validated.Value != .3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run whose best checkpoint is damaged goes back behind it.
func TestDamagedBestCheckpoint(t *testing.T) {
	c := validated(t)
	c.Periods = c.Periods[:1]
	c.Validation.Patience, c.CheckpointEvery, c.Keep = 0, 1, 2
	losses := losing(map[string][]float64{"cmlm": {3, 4, 5, 6}})
	clean := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), clean, c, options(losses)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	_, _, err := Run(t.Context(), out, c, options(func(f *fake) {
		losses(f)
		f.fail = func(call string, f *fake) error {
			if call == "update" && f.steps == 6 {
				return errKilled
			}
			return nil
		}
	}))
	if got := folders(t, out); !errors.Is(err, errKilled) || !slices.Equal(got, []string{"000002", "000005", "000006"}) {
		t.Fatalf("%v, %v", got, err)
	}
	if err := os.Remove(filepath.Join(out+Suffix, "checkpoints", "000002", "model.json")); err != nil {
		t.Fatal(err)
	}
	var notices []string
	o := options(losses)
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil || result.Steps != 7 {
		t.Fatalf("%+v, %v", result, err)
	}
	for i, want := range []string{"000006 is damaged or incomplete and passed over: its best step 2: ", "000005 is damaged",
		"000002 is damaged"} {
		if !strings.Contains(notices[i], want) {
			t.Errorf("%q, want %q", notices[i], want)
		}
	}
	for _, name := range []string{"model.json", RecordName} {
		a, errA := os.ReadFile(filepath.Join(clean, name))
		b, errB := os.ReadFile(filepath.Join(out, name))
		if errors.Join(errA, errB) != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
}

// A full disk at a best checkpoint leaves the last good one and the best before it.
func TestFullDiskAtABestCheckpoint(t *testing.T) {
	c := validated(t)
	c.Periods, c.CheckpointEvery, c.Keep = c.Periods[:1], 3, 1
	c.Validation.Patience = 0
	losses := losing(map[string][]float64{"cmlm": {3, 4, 2, 1}})
	out := filepath.Join(t.TempDir(), "out")
	o := options(func(f *fake) {
		losses(f)
		f.fail = func(call string, f *fake) error {
			if call == "save" && f.steps == 6 {
				return fmt.Errorf("model.json: %w", syscall.ENOSPC)
			}
			return nil
		}
	})
	c.CheckpointEvery = 5
	_, _, err := Run(t.Context(), out, c, o)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room") ||
		!strings.Contains(err.Error(), "the last good checkpoint is "+filepath.Join(out+Suffix, "checkpoints", "000005")) {
		t.Fatal(err)
	}
	if got := folders(t, out); !slices.Equal(got, []string{"000002", "000005"}) {
		t.Errorf("%v", got)
	}
	if _, _, err := Run(t.Context(), out, c, options(losses)); err != nil {
		t.Fatal(err)
	}
	r, err := readWhole(out)
	if err != nil || r.Validated.Best != 6 || r.Validated.Since != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A run that its patience ended goes on for more steps, and may find a better one.
func TestMoreStepsAfterPatience(t *testing.T) {
	c := validated(t)
	c.Periods = c.Periods[:1]
	c.Periods[0].Decay = decayNone
	losses := losing(map[string][]float64{"cmlm": {3, 3.5, 3, 4, 1, 5, 6}})
	out := filepath.Join(t.TempDir(), "out")
	o := options(losses)
	o.Private = []string{"1_Pooling/config.json"}
	if result, _, err := Run(t.Context(), out, c, o); err != nil || result.Record.Step != 6 || result.Record.Validated.Best != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	c.Periods[0].Steps = 30
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	// From step 7 on: 4 after step 8, 1 after 10, 5 and 6 after 12 and 14.
	if r := result.Record; r.Step != 14 || result.Steps != 8 || r.Validated.Best != 10 || r.Validated.Value != 1 || len(r.Changes) != 1 {
		t.Errorf("%+v", r)
	}
}

// No held-out example is trained on, whatever the seed, and what is measured stays the same.
func TestHeldOutExamples(t *testing.T) {
	c := validated(t)
	v := c.WithDefaults().Validation
	e := row(schemas.KindConsecutive, 1)
	group := uint64(7)
	first, second := e, row(schemas.KindConsecutive, 2)
	first.Group, second.Group = &group, &group
	if v.holdsOut(&first) != v.holdsOut(&second) {
		t.Error("a group is cut in two")
	}
	for _, seed := range []uint64{3, 4} {
		c.Seed = seed
		trained, measured := map[string]int{}, map[string]int{}
		r := &run{config: c.WithDefaults(), options: options(nil), vocabulary: fingerprint}
		for _, p := range r.config.Periods {
			loaders, held, err := r.open(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range loaders {
				l.Start(t.Context(), 0)
				for range 60 {
					b, err := l.Next()
					if err != nil {
						t.Fatal(err)
					}
					for _, id := range b.IDs {
						trained[id]++
					}
				}
				l.Close()
				dataset := p.Mixture[i].Dataset
				whole, err := batches.OpenExamples(t.Context(), dataset, "")
				if err != nil {
					t.Fatal(err)
				}
				if n := held[i].examples.Rows(); n+r.parts[dataset][1].Rows() != whole.Rows() || n == 0 {
					t.Errorf("%d held out of %d", n, whole.Rows())
				}
				if want := 12 / p.Mixture[i].BatchSize; len(held[i].batches) != want {
					t.Errorf("%d batches, want %d", len(held[i].batches), want)
				}
				for _, b := range held[i].batches {
					for _, id := range b.IDs {
						measured[id]++
					}
				}
			}
		}
		for id := range measured {
			if trained[id] > 0 {
				t.Errorf("seed %d: %s is trained on and measured", seed, id)
			}
		}
		// 103 × .7 and 90 × .7 in groups of 3, each many times.
		if n := len(trained); n < 110 || n > 160 {
			t.Errorf("%d examples are trained on", n)
		}
		data, err := json.Marshal(measured)
		if err != nil {
			t.Fatal(err)
		}
		if seed == 3 {
			t.Setenv("MEASURED", string(data))
		} else if os.Getenv("MEASURED") != string(data) {
			t.Error("another seed measures on other examples")
		}
	}
}

// Another dataset is measured on instead, and its content is recorded.
func TestValidationOnADataset(t *testing.T) {
	c := twoPeriods(t)
	consecutives, pairs := consecutive(t, 9, 1), grouped(t, 12, 1, 1)
	c.Validation = &Validation{Every: 100, Datasets: []string{pairs, consecutives}, Metric: "loss/cmlm"}
	out := filepath.Join(t.TempDir(), "out")
	result, _, err := Run(t.Context(), out, c, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, in := range result.Record.Inputs {
		roles = append(roles, in.Role)
	}
	if want := []string{"cmlm/cmlm", "cmlm/cmlm/validation", "cmlm+br/cmlm", "cmlm+br/cmlm/validation", "cmlm+br/bitext",
		"cmlm+br/bitext/validation"}; !slices.Equal(roles, want) {
		t.Errorf("%v, want %v", roles, want)
	}
	lines, err := ReadLosses(filepath.Join(out, LossesName))
	if last := lines[len(lines)-1]; err != nil || len(last.Validation) != 2 || result.Record.Validated.Value != last.Validation["cmlm"] {
		t.Errorf("%+v, %v", last, err)
	}
	c.Validation.Datasets = []string{consecutives}
	if _, _, err := Run(t.Context(), out+"2", c, options(nil)); err == nil ||
		!strings.Contains(err.Error(), "holds examples that bitext takes, of the kind bitext") {
		t.Error(err)
	}
	c.Validation.Datasets = []string{pairs, consecutive(t, 10, 1)}
	if _, _, err := Run(t.Context(), out, c, options(nil)); err == nil ||
		!strings.Contains(err.Error(), "the dataset of cmlm/cmlm/validation has other content") {
		t.Error(err)
	}
}

func TestValidationThatIsNoNumber(t *testing.T) {
	c := validated(t)
	out := filepath.Join(t.TempDir(), "out")
	_, _, err := Run(t.Context(), out, c, options(losing(map[string][]float64{"cmlm": {3, math.NaN()}})))
	var diverged *divergedError
	if !errors.As(err, &diverged) || diverged.Step != 4 || !strings.Contains(err.Error(), "the loss of cmlm on held-out examples is NaN") ||
		len(diverged.IDs) != 4 {
		t.Errorf("%v", err)
	}
	if got := folders(t, out); !slices.Equal(got, []string{"000002", "000003"}) {
		t.Errorf("%v", got)
	}
}

func TestValidationFaults(t *testing.T) {
	for want, edit := range map[string]func(*Validation){
		"validation: every is 0, it must be at least 1": func(v *Validation) {
			v.Every = 0
		},
		"validation: share is 1, it must be from 0 to below 1": func(v *Validation) {
			v.Share = 1
		},
		"validation: share is NaN, it must be from 0 to below 1": func(v *Validation) {
			v.Share = math.NaN()
		},
		"validation: share and datasets exclude each other": func(v *Validation) {
			v.Datasets = []string{"x"}
		},
		"validation: give share, to hold examples out, or datasets of examples that are not trained on": func(v *Validation) {
			v.Share = 0
		},
		"validation: examples is -1, it must be from 1": func(v *Validation) {
			v.Examples = -1
		},
		"validation: least_change is -1, it must not be negative": func(v *Validation) {
			v.LeastChange = -1
		},
		"validation: patience is -1, it must not be negative": func(v *Validation) {
			v.Patience = -1
		},
		`validation: metric "accuracy" is not one of period cmlm (loss, loss/cmlm)`: func(v *Validation) {
			v.Metric = "accuracy"
		},
		`validation: metric "loss/bitext" is not one of period cmlm (loss, loss/cmlm)`: func(v *Validation) {
			v.Metric = "loss/bitext"
		},
	} {
		c := validated(t)
		edit(c.Validation)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c := validated(t)
	c.Validation.Metric, c.Validation.Share, c.Validation.Datasets = "sts/spearman", 0, []string{"data"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if _, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, options(nil)); err == nil ||
		!strings.Contains(err.Error(), "options: Task is nil, and the metric is sts/spearman") {
		t.Error(err)
	}
	c = validated(t)
	out := filepath.Join(t.TempDir(), "out")
	for share, want := range map[float64]string{
		1e-9:     "has 0 examples held out, a batch takes 4: hold another share out",
		.02:      " held out, a batch takes 4: take at most 1 by config.periods[0].mixture[0].batch_size, or hold another share out",
		1 - 1e-9: "has 0 examples not held out, a batch takes 4: hold another share out",
	} {
		c.Validation.Share = share
		if _, _, err := Run(t.Context(), out, c, options(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", share, err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the output was made")
	}
}

// The first value is the best; a later one must be lower by more than the least change.
func TestLeastChange(t *testing.T) {
	var v, rising Validated
	c := &Validation{LeastChange: .5, Patience: 3}
	var got []Validated
	for i, value := range []float64{4, 3.6, 3.5, 3.4, 3.5, 2.9, 2.8, 2.7, 2.6} {
		v.add(int64(10*(i+1)), value, c, -1)
		rising.add(int64(10*(i+1)), 1-value, c, 1)
		got = append(got, v)
		if rising.Best != v.Best || rising.Since != v.Since || rising.Stopped != v.Stopped {
			t.Errorf("rising: %+v, falling: %+v", rising, v)
		}
	}
	// 3.5 is not lower by more than .5; 3.4 is, and 2.9 is not (3.4 − .5 = 2.9).
	want := []Validated{{10, 4, 0, false}, {10, 4, 1, false}, {10, 4, 2, false}, {40, 3.4, 0, false}, {40, 3.4, 1, false},
		{40, 3.4, 2, false}, {70, 2.8, 0, false}, {70, 2.8, 1, false}, {70, 2.8, 2, false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
