package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/stages/objective"
)

// spiky is a training of two periods in which some losses of spiking spike.
func spiky(t testing.TB) Config {
	t.Helper()
	c := twoPeriods(t)
	c.MaxSpike, c.CheckpointEvery, c.Keep, c.LogEvery, c.Seed = 7, 7, 1, 5, 5
	c.Periods[0].Steps, c.Periods[1].Steps = 50, 45
	return c
}

// spiking has the fakes give some losses that spike, and some that are not finite, by all that they saw.
func spiking(f *fake) {
	f.loss = func(f *fake, b objective.Batch) (float64, bool) {
		if f.parts == 0 { // validation
			return 0, false
		}
		switch h := mix(f.state, " ", f.parts); {
		case h%97 == 0:
			return 1000, true
		case h%131 == 1:
			return math.NaN(), true
		}
		return 0, false
	}
}

// trained runs a training to its end. Before that, runs are interrupted after so many steps each.
func trained(t testing.TB, out string, c Config, o Options, cuts ...int64) (result *Result) {
	t.Helper()
	for _, cut := range append(cuts, 0) {
		if result = cutRun(t, out, c, o, cut); result != nil {
			break
		}
	}
	return result
}

// cutRun is a run that is interrupted after so many steps, 0 for never; its result is nil if it was.
func cutRun(t testing.TB, out string, c Config, o Options, cut int64) *Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	taken := int64(0)
	o.Observer.Step = func(Progress) {
		if taken++; taken == cut {
			cancel()
		}
	}
	result, _, err := Run(ctx, out, c, o)
	if err != nil && (cut == 0 || !errors.Is(err, context.Canceled)) {
		t.Fatal(err)
	}
	return result
}

func TestSpikesAreLeftOut(t *testing.T) {
	c := spiky(t)
	t.Run("plain", func(t *testing.T) { testSpikes(t, c) })
	c.Validation = &Validation{Every: 9, Share: .3, Examples: 12}
	t.Run("validated", func(t *testing.T) { testSpikes(t, c) })
	c.Validation, c.Seed = nil, 4
	for i := range c.Periods { // with accumulation, and beside a source of so many examples
		c.Periods[i].Mixture[0].BatchSize, c.Periods[i].Mixture[0].BatchTokens = 0, 150
	}
	t.Run("by tokens", func(t *testing.T) { testSpikes(t, c) })
}

// testSpikes compares a training that nothing interrupts with those that are interrupted and killed anywhere.
func testSpikes(t *testing.T, c Config) {
	out := filepath.Join(t.TempDir(), "out")
	record := trained(t, out, c, options(spiking)).Record
	want := look(t, out)
	periods, kinds := map[string]bool{}, map[bool]bool{}
	for _, s := range record.Spikes {
		if s.Back >= s.Step || s.Batches < 1 || s.Batches > s.Step-s.Back || (s.Limit == 0) != (s.Value == "NaN") {
			t.Errorf("%+v", s)
		}
		periods[s.Period], kinds[s.Limit == 0] = true, true
	}
	if record.Step != 95 || len(periods) != 2 || len(kinds) != 2 {
		t.Fatalf("the test needs spikes of both kinds in both periods: %+v", record.Spikes)
	}
	several, stride := [][]int64{{6, 5, 9, 2, 8, 3, 7, 1, 1, 1, 12}, {55, 3}, {23, 31}, {51}, {88}, {1}}, 59
	if testing.Short() {
		several, stride = several[:2], 140
	}
	for _, cuts := range several {
		out := filepath.Join(t.TempDir(), "out")
		trained(t, out, c, options(spiking), cuts...)
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Errorf("cut after %v steps:\n%s", cuts, diff)
		}
	}
	for n := 5; n < 300; n += stride {
		out, calls := filepath.Join(t.TempDir(), "out"), 0
		_, _, err := Run(t.Context(), out, c, options(func(f *fake) {
			spiking(f)
			f.fail = func(string, *fake) error {
				if calls++; calls > n {
					return errKilled
				}
				return nil
			}
		}))
		if !errors.Is(err, errKilled) {
			t.Fatalf("after %d calls: %v", n, err)
		}
		trained(t, out, c, options(spiking))
		if diff := cmp.Diff(want, look(t, out)); diff != "" {
			t.Errorf("killed after %d calls:\n%s", n, diff)
		}
	}
}

// What a spike goes back to comes from the bucket, where another host goes on.
func TestSpikesOnAnotherHost(t *testing.T) {
	c := spiky(t)
	out := filepath.Join(t.TempDir(), "out")
	record := trained(t, out, c, options(spiking)).Record
	location, folder := remote(t)
	cuts := []int64{0}
	for _, s := range record.Spikes[:2] {
		cuts = slices.Insert(cuts, 0, s.Step-1) // taken before the spike, which the next host finds
	}
	slices.Sort(cuts[:2])
	cuts[1] -= cuts[0]
	for _, cut := range cuts {
		onHost(t)
		o := options(spiking)
		o.Observer.Notice = func(text string) {
			if strings.Contains(text, "passed over") {
				t.Error(text)
			}
		}
		cutRun(t, location, c, o, cut)
	}
	if diff := cmp.Diff(look(t, out), lookAt(t, folder)); diff != "" {
		t.Errorf("cut after %v steps:\n%s", cuts, diff)
	}
}

// one is a training of one period on one source, whose batches the fakes of seeing tell of.
func one(t testing.TB) Config {
	t.Helper()
	c := spiky(t)
	c.Periods, c.CheckpointEvery = c.Periods[:1], 10
	return c
}

// seeing has the fakes list the batches that they see, and give the loss of a function of their number.
func seeing(list *[]string, loss func(batch int) float64) func(*fake) {
	return func(f *fake) {
		f.loss = func(_ *fake, b objective.Batch) (float64, bool) {
			data, _ := json.Marshal(b)
			*list = append(*list, string(data))
			return loss(len(*list)), true
		}
	}
}

func TestStepsAfterASpikeTakeTheNextBatches(t *testing.T) {
	c := one(t)
	var plain, guarded []string
	loss := func(batch int) float64 { return 5 + float64(batch%3) }
	trained(t, filepath.Join(t.TempDir(), "out"), c, options(seeing(&plain, loss)))
	var notices []string
	o := options(seeing(&guarded, func(batch int) float64 {
		if batch == 37 {
			return 12
		}
		return loss(batch)
	}))
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	c.Periods[0].Steps = 43 // and 7 that are taken again
	out := filepath.Join(t.TempDir(), "out")
	record := trained(t, out, c, o).Record
	if diff := cmp.Diff(plain, guarded); diff != "" {
		t.Error(diff)
	}
	if len(record.Spikes) != 1 || record.Positions[0].Batch != 50 {
		t.Fatalf("%+v", record)
	}
	limit := record.Spikes[0].Limit
	want := Spike{Step: 37, Period: "cmlm", What: "cmlm", Value: "12", Limit: limit, Back: 30, Batches: 7}
	if !cmp.Equal(record.Spikes[0], want) || limit < 6+5*.8 || limit > 12 {
		t.Errorf("%+v, want %+v", record.Spikes[0], want)
	}
	if text := "going back to step 30, and leaving out the batches of 7 steps"; !strings.Contains(strings.Join(notices, "\n"), text) ||
		!strings.Contains(strings.Join(notices, "\n"), "step 37 of period cmlm: the loss of cmlm is 12, above") {
		t.Errorf("no %q in %q", text, notices)
	}
}

// A training that has no spike is not changed by the guard.
func TestGuardWithoutSpikes(t *testing.T) {
	c := spiky(t)
	var models []map[string]string
	for _, deviations := range []float64{7, 0} {
		c.MaxSpike = deviations
		out := filepath.Join(t.TempDir(), "out")
		trained(t, out, c, options(nil))
		o := look(t, out)
		delete(o.Models, RecordName)
		delete(o.Models, "cmlm/"+RecordName)
		models = append(models, o.Models)
	}
	if diff := cmp.Diff(models[0], models[1]); diff != "" {
		t.Error(diff)
	}
}

// What spikes again and again ends the training with its last checkpoint.
func TestRollbacksEnd(t *testing.T) {
	c := one(t)
	var list []string
	for _, tt := range []struct {
		first int
		value float64
		want  []string
	}{
		{34, 1e4, []string{"step 31 of period cmlm: the loss of cmlm is 10000, above", "the training went back to step 30 3 times",
			"000030: ", "raise --max-spike"}},
		{34, math.NaN(), []string{"step 31 of period cmlm: the loss of cmlm is NaN", "000030: "}},
		{1, math.Inf(1), []string{"step 1 of period cmlm: the loss of cmlm is +Inf", "went back to step 0 3 times",
			"there is no checkpoint yet"}},
	} {
		list = nil
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := Run(t.Context(), out, c, options(seeing(&list, func(batch int) float64 {
			if batch >= tt.first {
				return tt.value
			}
			return 5
		})))
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v from %d: no %q in %v", tt.value, tt.first, want, err)
			}
		}
		if got := len(list); got != tt.first+3 {
			t.Errorf("%v from %d: %d batches", tt.value, tt.first, got)
		}
		if tt.first == 1 {
			continue
		}
		if _, err := readWhole(filepath.Join(out+Suffix, "checkpoints", "000030")); err != nil {
			t.Error(err)
		}
	}
}

// A checkpoint that is damaged when a spike goes back to it is made again from the one before.
func TestSpikeGoesBackToADamagedCheckpoint(t *testing.T) {
	c := spiky(t)
	c.Keep = 2
	out := filepath.Join(t.TempDir(), "out")
	record := trained(t, out, c, options(spiking)).Record
	want, spike := look(t, out), record.Spikes[len(record.Spikes)-1]
	out = filepath.Join(t.TempDir(), "out")
	o := options(func(f *fake) {
		spiking(f)
		next := f.loss
		f.loss = func(f *fake, b objective.Batch) (float64, bool) {
			loss, ok := next(f, b)
			path := filepath.Join(out+Suffix, "checkpoints", fmt.Sprintf("%06d", spike.Back), "model.json")
			if data, err := os.ReadFile(path); ok && err == nil && strings.HasPrefix(string(data), "1") {
				if err := os.WriteFile(path, []byte("x"+string(data)[1:]), 0o666); err != nil {
					t.Error(err)
				}
			}
			return loss, ok
		}
	})
	trained(t, out, c, o)
	if diff := cmp.Diff(want, look(t, out)); diff != "" {
		t.Error(diff)
	}
}

// A step that leaves a number in the model that is not finite never reaches a checkpoint.
func TestModelThatIsNotFinite(t *testing.T) {
	c := one(t)
	broken := func(times int) func(*fake) {
		return func(f *fake) {
			f.fail = func(call string, f *fake) error {
				if call == "save" && f.steps == 30 && times > 0 {
					times--
					return fmt.Errorf("the weight x: %w", objective.ErrNotFinite)
				}
				return nil
			}
		}
	}
	for _, deviations := range []float64{0, 7} {
		c.MaxSpike = deviations
		out := filepath.Join(t.TempDir(), "out")
		result, _, err := Run(t.Context(), out, c, options(broken(1)))
		if deviations == 0 {
			if want := "step 30 of period cmlm: after the step, the weight x: it is not a finite number; the last good checkpoint is " +
				filepath.Join(out+Suffix, "checkpoints", "000020"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("no %q in %v", want, err)
			}
			if got := folders(t, out); !slices.Equal(got, []string{"000020"}) {
				t.Error(got)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := []Spike{{Step: 30, Period: "cmlm", What: "model", Value: "NaN", Back: 20, Batches: 10}}
		if diff := cmp.Diff(want, result.Record.Spikes); diff != "" {
			t.Error(diff)
		}
	}
	// An interrupted run that cannot save goes back, too, and ends.
	ctx, cancel := context.WithCancel(t.Context())
	o := options(broken(1))
	o.Observer.Step = func(p Progress) {
		if p.Step == 30 {
			cancel()
		}
	}
	c.CheckpointEvery = 20
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(ctx, out, c, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := folders(t, out); !slices.Equal(got, []string{"000020"}) {
		t.Error(got)
	}
}

// The guard may be given to a training that is under way, and checkpoints then have other times with a record of that.
func TestGuardIsAChange(t *testing.T) {
	c := spiky(t)
	c.MaxSpike = 0
	out := stopped(t, c, 25) // a checkpoint after step 21
	o := options(spiking)
	c.MaxSpike = 7
	_, _, err := Run(t.Context(), out, c, o)
	if err == nil || !strings.Contains(err.Error(), "config.max_spike is not set there and 7 here") {
		t.Error(err)
	}
	o.Changeable = map[string]string{"config.max_spike": "", "config.checkpoint_every": ""}
	ctx, cancel := context.WithCancel(t.Context())
	o.Observer.Step = func(p Progress) {
		if p.Step == 60 {
			cancel()
		}
	}
	if _, _, err := Run(ctx, out, c, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	c.CheckpointEvery = 5
	record := trained(t, out, c, o).Record
	var changes []string
	for _, change := range record.Changes {
		changes = append(changes, fmt.Sprintf("%d %s %s %s", change.Step, change.Field, change.Before, change.After))
	}
	if diff := cmp.Diff([]string{"21 config.max_spike null 7", "60 config.checkpoint_every 7 5"}, changes); diff != "" {
		t.Error(diff)
	}
	for _, s := range record.Spikes {
		if s.Back < 21 {
			t.Errorf("%+v goes back behind the step from which spikes are looked for", s)
		}
	}
}
