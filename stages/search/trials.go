package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Trial is a training with settings of its own.
type Trial struct {
	// Name is that of the trial's folder and of its record.
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"`
	// Steps are those that the training takes at most.
	Steps int64 `json:"steps"`
	// Reached are the steps at which the trial was compared, as far as it came.
	Reached []Reached `json:"reached"`
}

// Reached is what a trial has at a step.
type Reached struct {
	// Until is the step, Taken that after which the training stands: less where its patience has ended.
	Until int64 `json:"until"`
	Taken int64 `json:"taken"`
	// Value is the best value of the metric up to there, after the step Best.
	Value float64 `json:"value"`
	Best  int64   `json:"best"`
	// Tokens are those of the steps, if they were counted.
	Tokens int64 `json:"tokens,omitempty"`
	// Diverged says why there is no value.
	Diverged string `json:"diverged,omitempty"`
}

// at returns what the trial has at a step, or at its last one where it has fewer.
func (t *Trial) at(step int64) (Reached, bool) {
	i := slices.IndexFunc(t.Reached, func(r Reached) bool { return r.Until == min(step, t.Steps) })
	if i < 0 {
		return Reached{}, false
	}
	return t.Reached[i], true
}

// Final returns what the trial has after its last step, false if it was stopped before.
func (t *Trial) Final() (Reached, bool) { return t.at(math.MaxInt64) }

// Trials says how trials are carried out.
type Trials struct {
	// Location is the folder of the trials: NAME.json is the record of each.
	Location string
	// Rungs are steps, in rising order, after which the losers are stopped: Survivors is the share that goes on, rounded
	// up.
	Rungs     []int64
	Survivors float64
	// Better is 1 where a greater value is better, −1 where a smaller one is.
	Better int
	// Train trains a trial up to a step, and says what it has there. It is called again for a trial that is further
	// already only if the record was lost. An error that matches train.ErrDiverged is for the function to turn into
	// Diverged.
	Train func(ctx context.Context, t *Trial, until int64) (Reached, error)
	// Stop, if it is not nil, is told of a trial that goes no further. It may be told again, and of one that is trained once
	// more after all, where there are more trials later.
	Stop func(ctx context.Context, t *Trial) error
	// Anew says that records of other settings do not count, in the place of an error.
	Anew bool
}

// Run carries trials out, in their order up to the first rung, then those that go on up to the next one, and fills in what
// they reached. Records of an earlier call count. It returns the places of those that came to their end, the best first.
func (o Trials) Run(ctx context.Context, trials []Trial) (finished []int, err error) {
	folder, err := storage.Locate(o.Location)
	if err != nil {
		return nil, err
	}
	for i := range trials {
		if err := o.read(ctx, folder, &trials[i]); err != nil {
			return nil, err
		}
	}
	running := make([]int, len(trials))
	for i := range running {
		running[i] = i
	}
	for _, rung := range append(slices.Clip(o.Rungs), math.MaxInt64) {
		for _, i := range running {
			if err := o.reach(ctx, folder, &trials[i], rung); err != nil {
				return nil, err
			}
		}
		o.rank(trials, running, rung)
		if rung == math.MaxInt64 {
			break
		}
		survivors := int(math.Ceil(o.Survivors * float64(len(running))))
		for _, i := range running[survivors:] {
			if _, ended := trials[i].Final(); ended || o.Stop == nil {
				continue
			}
			if err := o.Stop(ctx, &trials[i]); err != nil {
				return nil, fmt.Errorf("stop trial %s: %w", trials[i].Name, err)
			}
		}
		running = running[:survivors]
		slices.Sort(running)
	}
	return running, nil
}

// reach trains a trial up to a rung, unless its record tells what it has there, and writes the record.
func (o Trials) reach(ctx context.Context, folder storage.Folder, t *Trial, rung int64) error {
	if _, exists := t.at(rung); exists {
		return nil
	}
	until := min(rung, t.Steps)
	r, err := o.Train(ctx, t, until)
	if err != nil {
		return fmt.Errorf("trial %s: %w", t.Name, err)
	}
	if r.Taken > until {
		return dataset.Mismatch{
			What: fmt.Sprintf("trial %s in %s is at step %d, and its value after step %d was not kept", t.Name, o.Location, r.Taken,
				until),
			Way: "give the rungs that it was begun with, or choose another --out",
		}
	}
	r.Until = until
	t.Reached = append(t.Reached, r)
	data, err := json.MarshalIndent(record{Version, *t}, "", " ")
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, folder, t.Name+".json", append(data, '\n'), storage.Replace)
}

// rank sorts the places of trials by their values at a rung, the best first, and those without a value last. Of equal ones
// the first trial is the better one.
func (o Trials) rank(trials []Trial, places []int, rung int64) {
	slices.SortStableFunc(places, func(i, k int) int {
		a, _ := trials[i].at(rung)
		b, _ := trials[k].at(rung)
		if (a.Diverged == "") != (b.Diverged == "") {
			return cmp.Compare(len(a.Diverged), len(b.Diverged))
		}
		if a.Diverged != "" {
			return 0
		}
		return -o.Better * cmp.Compare(a.Value, b.Value)
	})
}

// record is what the file of a trial holds.
type record struct {
	Version int `json:"version"`
	Trial
}

// maxRecord bounds what is read of a record, in bytes.
const maxRecord = 1 << 20

// read fills in what the record of a trial tells.
func (o Trials) read(ctx context.Context, folder storage.Folder, t *Trial) error {
	data, err := storage.ReadFile(ctx, folder, t.Name+".json", maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r record
	if err == nil {
		err = jsonfile.Unmarshal(data, &r)
	}
	switch {
	case err != nil && !o.Anew:
		return fmt.Errorf("read the record of trial %s in %s: %w", t.Name, o.Location, err)
	case err == nil && r.Version == Version && slices.Equal(r.Settings, t.Settings):
		t.Reached = r.Reached
	case !o.Anew:
		return dataset.Mismatch{
			What: fmt.Sprintf("%v: trial %s in %s is of %s, and here of %s", dataset.ErrOtherPlan, t.Name, o.Location, FlagsOf(r.Settings),
				FlagsOf(t.Settings)),
			Way: "choose another --out, or give --overwrite to delete the trials there",
		}
	}
	return nil
}

// FlagsOf are settings on a command line.
func FlagsOf(settings []Setting) string {
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.String()
	}
	return strings.Join(words, " ")
}
