package train

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/stages/train/batches"
)

// Counts are state: a run that was killed has those of one that was not. What is held out
// is counted nowhere.
func TestSampledRunResumes(t *testing.T) {
	c := twoPeriods(t)
	c.Periods[1].Mixture[1].Dataset = tongues(t, 2)
	c.Sampling = &batches.Sampling{Alpha: .5}
	c.Validation = &Validation{Every: 5, Share: .2, Examples: 6}
	out := filepath.Join(t.TempDir(), "out")
	var notices []string
	o := options(nil)
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	want := look(t, out)
	// 9 steps of 2 batches of 6 and of 4 examples.
	sums := map[string]int64{}
	for _, p := range result.Record.Positions {
		for _, n := range p.Drawn {
			sums[p.Source] += n
		}
	}
	if diff := cmp.Diff(map[string]int64{"cmlm": 72, "bitext": 108}, sums); diff != "" {
		t.Error(diff)
	}
	if p := result.Record.Positions[1].Drawn; len(p) < 2 || p["eng-fra"] < 15 {
		t.Errorf("drawn %v", p)
	}
	if len(notices) != 3 || !strings.Contains(notices[2], "an epoch of cmlm+br/bitext draws ") ||
		!strings.Contains(notices[2], "of eng-fra (of ") {
		t.Errorf("%q", notices)
	}
	resumesAfterKills(t, c, want)
}

func TestSamplingFaults(t *testing.T) {
	for want, s := range map[string]batches.Sampling{
		"sampling: alpha is 1.5, it must be above 0 and at most 1":                   {Alpha: 1.5},
		"sampling: alpha is -0.1, it must be above 0 and at most 1":                  {Alpha: -.1},
		"sampling: alpha is NaN, it must be above 0 and at most 1":                   {Alpha: math.NaN()},
		`sampling: by is "origin", it must be language, source or both`:              {By: "origin", Alpha: .5},
		`sampling: by is "source", and no period has two datasets for one objective`: {By: "source", Alpha: .5},
	} {
		c := twoPeriods(t)
		c.Sampling = &s
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	c := twoPeriods(t)
	c.Sampling = &batches.Sampling{}
	data, err := json.Marshal(c.WithDefaults().Sampling)
	if err != nil || string(data) != `{"by":"language","alpha":0.7}` || c.Validate() != nil {
		t.Errorf("%s, %v, %v", data, err, c.Validate())
	}
}

// More steps go on with the counts of what was drawn.
func TestSampledRunTakesMoreSteps(t *testing.T) {
	c := twoPeriods(t)
	c.Periods[1].Mixture[1].Dataset = tongues(t, 2)
	c.Sampling = &batches.Sampling{Alpha: .5}
	long := c
	long.Periods = slices.Clone(c.Periods)
	long.Periods[1].Steps += 5
	whole := func(out string, configs ...Config) (r *Record) {
		t.Helper()
		for _, c := range configs {
			result, _, err := Run(t.Context(), out, c, withPrivate())
			if err != nil {
				t.Fatal(err)
			}
			r = result.Record
		}
		return r
	}
	straight, raised := whole(filepath.Join(t.TempDir(), "out"), long), whole(filepath.Join(t.TempDir(), "out"), c, long)
	if diff := cmp.Diff(straight.Positions, raised.Positions); diff != "" || straight.Step != 21 || len(raised.Changes) != 1 {
		t.Errorf("step %d, changes %v: %s", straight.Step, raised.Changes, diff)
	}
	if diff := cmp.Diff(straight.Files, raised.Files); diff != "" {
		t.Error(diff)
	}
}
