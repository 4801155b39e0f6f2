package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/stages/objective"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
	"sentweave/stages/train/traintest"
	"sentweave/transforms/tokens/masking"
)

// learner is a model of one number, which each step brings nearer to 1 by the rate. Rates above 1.9 diverge.
type learner struct {
	weight float64
	// ask is asked before each call, and may kill.
	ask func() error
}

func (l *learner) Accumulate(objective.Batch, float64, []float64, uint64) (float64, error) {
	if l.weight > 100 {
		return math.NaN(), nil
	}
	return math.Abs(l.weight - 1), l.ask()
}

func (l *learner) Loss(_ objective.Batch, shares []float64) (float64, error) {
	return shares[0] * math.Abs(l.weight-1), l.ask()
}

func (l *learner) Update(rate float64) (float64, error) {
	if l.weight += rate * (1 - l.weight); rate > 1.9 {
		l.weight = 1000
	}
	return 1, l.ask()
}

func (l *learner) Save(folder string) error {
	return os.WriteFile(filepath.Join(folder, "weight"), fmt.Append(nil, l.weight), 0o666)
}

func (l *learner) Load(folder string) error {
	data, err := os.ReadFile(filepath.Join(folder, "weight"))
	if err == nil {
		l.weight, err = strconv.ParseFloat(string(data), 64)
	}
	return err
}

func (*learner) Close() {}

var errKilled = errors.New("killed")

// lab trains trials of rates on a dataset.
type lab struct {
	Trials
	data  string
	calls []string
	// life is after how many calls of models the process is killed.
	life int
}

func newLab(t *testing.T, data string) *lab {
	l := &lab{data: data, life: math.MaxInt}
	l.Trials = Trials{Location: t.TempDir(), Rungs: []int64{2, 4}, Survivors: .5, Better: -1, Train: l.train,
		Stop: func(ctx context.Context, t *Trial) error {
			return train.Release(ctx, filepath.Join(l.Location, t.Name))
		}}
	return l
}

func (l *lab) ask() error {
	if l.life--; l.life < 0 {
		return errKilled
	}
	return nil
}

func (l *lab) train(ctx context.Context, t *Trial, until int64) (r Reached, err error) {
	if call := fmt.Sprintf("%s to %d", t.Name, until); !slices.Contains(l.calls, call) {
		l.calls = append(l.calls, call)
	}
	rate, err := strconv.ParseFloat(t.Settings[0].Value, 64)
	if err != nil {
		return r, err
	}
	c := train.Config{
		Vocabulary: traintest.Fingerprint,
		Validation: &train.Validation{Every: 2, Share: .2},
		Periods: []train.Period{{
			Name: "br", Mixture: []batches.Source{{Objective: objective.BitextName, Dataset: l.data, BatchSize: 4}},
			Schedule: train.Schedule{Steps: t.Steps, Rate: rate, Decay: "none"},
		}},
	}
	o := train.Options{
		Open: func(int, train.Period, string) (train.Trainer, error) { return &learner{ask: l.ask}, nil },
		Encoding: batches.Encoding{MaxTokens: 64, Vocabulary: masking.Vocabulary{Size: traintest.VocabularySize, Mask: traintest.Mask,
			Special: []int32{0, traintest.Classify, traintest.Separate, traintest.Mask}}},
		Until: until,
	}
	result, _, err := train.Run(ctx, filepath.Join(l.Location, t.Name), c, o)
	if errors.Is(err, train.ErrDiverged) {
		return Reached{Diverged: "the loss is NaN"}, nil
	}
	if err != nil {
		return r, err
	}
	v := result.Record.Validated
	return Reached{Taken: result.Record.Step, Value: v.Value, Best: v.Best}, l.ask()
}

// rates are trials, the best of which learns by the rate .9.
func rates(list ...float64) (trials []Trial) {
	for i, rate := range list {
		trials = append(trials, Trial{Name: fmt.Sprintf("%03d", i), Settings: []Setting{{"rate", fmt.Sprint(rate)}}, Steps: 6})
	}
	return trials
}

func pairs(t *testing.T) string {
	return traintest.Grouped(t, 90, 2, 3)
}

// A search that is killed ten times ends as one that was not: the same trials in the same order, with the same values.
func TestKilledSearch(t *testing.T) {
	data := pairs(t)
	l := newLab(t, data)
	list := []float64{.01, .3, 2.5, .9, .6}
	want := rates(list...)
	finished, err := l.Run(t.Context(), want)
	if err != nil || !slices.Equal(finished, []int{3, 4}) {
		t.Fatal(finished, err)
	}
	wantCalls := "000 to 2 001 to 2 002 to 2 003 to 2 004 to 2 001 to 4 003 to 4 004 to 4 003 to 6 004 to 6"
	if got := strings.Join(l.calls, " "); got != wantCalls {
		t.Errorf("%s", got)
	}
	if r, _ := want[3].Final(); r.Value > 1e-5 || r.Taken != 6 {
		t.Errorf("the best trial ends with %+v", r)
	}
	if r := want[2].Reached; len(r) != 1 || r[0].Diverged == "" {
		t.Errorf("a trial that diverges has %+v", r)
	}
	killed := newLab(t, data)
	for kills := 0; ; kills++ {
		killed.life = 5 + kills
		got := rates(list...)
		again, err := killed.Run(t.Context(), got)
		if errors.Is(err, errKilled) {
			continue
		}
		if err != nil || kills < 10 {
			t.Fatalf("%v after %d kills", err, kills)
		}
		if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(again, finished) {
			t.Errorf("%v after %d kills:\n%s", again, kills, diff)
		}
		break
	}
	if got := strings.Join(killed.calls, " "); got != wantCalls {
		t.Errorf("killed, the order is %s", got)
	}
	for _, name := range []string{"003/weight", "004/" + train.RecordName, "000.json", "003.json"} {
		a, errA := os.ReadFile(filepath.Join(l.Location, name))
		b, errB := os.ReadFile(filepath.Join(killed.Location, name))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s differs after kills: %v %v", name, errA, errB)
		}
	}
	killed.life = 0 // nothing is trained any more
	if _, err := killed.Run(t.Context(), rates(list...)); err != nil {
		t.Error(err)
	}
}

// More trials of the same search go on from those that are there; other ones and other rungs are refused.
func TestSearchAgain(t *testing.T) {
	data := pairs(t)
	l := newLab(t, data)
	l.Rungs = []int64{2}
	if _, err := l.Run(t.Context(), rates(.1, .2)); err != nil {
		t.Fatal(err)
	}
	more := rates(.1, .2, .8, .9)
	finished, err := l.Run(t.Context(), more)
	if err != nil || !slices.Equal(finished, []int{3, 2}) {
		t.Error(finished, err)
	}
	if _, err := l.Run(t.Context(), rates(.1, .3)); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "trial 001 in "+l.Location+" is of --rate=0.2, and here of --rate=0.3; choose another --out") {
		t.Error(err)
	}
	l.Rungs = []int64{4}
	if _, err := l.Run(t.Context(), rates(.1, .2, .8, .9)); !errors.Is(err, dataset.ErrOtherPlan) ||
		!strings.Contains(err.Error(), "is at step 6, and its value after step 4 was not kept") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(l.Location, "000.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context(), rates(.1)); err == nil || !strings.Contains(err.Error(), "read the record of trial 000") {
		t.Error(err)
	}
}

// Equal values are ranked by the order of trials, greater ones first where they are better, and those without one last.
func TestRank(t *testing.T) {
	for _, test := range []struct {
		values string
		better int
		want   []int
	}{
		{"3 1 2", -1, []int{1, 2, 0}},
		{"3 1 2", 1, []int{0, 2, 1}},
		{"1 1 1", 1, []int{0, 1, 2}},
		{"x 1 x 0", -1, []int{3, 1, 0, 2}},
	} {
		var trials []Trial
		var places []int
		for i, text := range strings.Fields(test.values) {
			r := Reached{Until: 5, Diverged: "it has"}
			if value, err := strconv.ParseFloat(text, 64); err == nil {
				r = Reached{Until: 5, Value: value}
			}
			trials, places = append(trials, Trial{Steps: 5, Reached: []Reached{r}}), append(places, i)
		}
		Trials{Better: test.better}.rank(trials, places, 9)
		if !slices.Equal(places, test.want) {
			t.Errorf("%s, %d: %v, want %v", test.values, test.better, places, test.want)
		}
	}
}
