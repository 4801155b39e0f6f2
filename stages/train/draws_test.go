package train

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/stages/train/batches"
)

// sourced is a training whose second period draws its bitext of datasets with 9n and n examples:
// roots 3 and 1, so three batches of four are of the first.
func sourced(t testing.TB, n int) Config {
	t.Helper()
	c := twoPeriods(t)
	m := c.Periods[1].Mixture
	m[1].Dataset, m[1].Name = grouped(t, 9*n, 2, 1), "large"
	small := m[1]
	small.Dataset, small.Name, small.Weight = grouped(t, n, 1, 1), "small", .4
	c.Periods[1].Mixture = append(m, small)
	c.Sampling = &batches.Sampling{By: "source", Alpha: .5}
	return c
}

// The datasets of one objective take turns: 9 steps of 2 batches have 18 of cmlm, 14 of large and 4
// of small, which the record counts exactly; a run that was killed has the same.
func TestSourcesTakeTurns(t *testing.T) {
	c := sourced(t, 40)
	c.Validation = &Validation{Every: 5, Share: .3, Examples: 6}
	out := filepath.Join(t.TempDir(), "out")
	var notices []string
	o := options(nil)
	o.Observer.Notice = func(text string) { notices = append(notices, text) }
	var steps []Line
	o.Observer.Step = func(p Progress) { steps = append(steps, p.Line) }
	result, _, err := Run(t.Context(), out, c, o)
	if err != nil {
		t.Fatal(err)
	}
	want := look(t, out)
	got := map[string]int64{}
	for _, p := range result.Record.Positions {
		got[p.Source] = p.Batch
	}
	// .75 holds but for the part that is held out.
	if got["cmlm"] != 18 || got["large"]+got["small"] != 18 || got["large"] < 13 || got["large"] > 14 {
		t.Errorf("batches %v", got)
	}
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "period cmlm+br: of the batches for bitext it draws 7") ||
		!strings.Contains(notices[0], " % from small (of ") {
		t.Errorf("%q", notices)
	}
	// A line has the means over the batches of its steps.
	weights := map[string]float64{"cmlm": 1, "large": .2, "small": .4}
	for _, l := range steps[7:] {
		sum := 0.
		for name := range l.Losses {
			sum += weights[name] * l.Losses[name]
		}
		_, small := l.Losses["small"]
		if _, large := l.Losses["large"]; l.Losses["cmlm"] == 0 || !large && !small || large != small && math.Abs(sum-l.Loss) > 1e-9 ||
			large && small && math.Abs(sum-(l.Losses["large"]*.1+l.Losses["small"]*.2)-l.Loss) > 1e-9 {
			t.Errorf("%+v", l)
		}
	}
	for i, l := range want.Lines {
		if l.Period == "cmlm" || l.Validation != nil {
			continue
		}
		sums, batches := map[string]float64{}, map[string]float64{}
		for _, s := range steps[want.Lines[i-1].Step:l.Step] {
			both := 2.
			if len(s.Losses) == 3 {
				both = 1
			}
			for name, loss := range s.Losses {
				n := both
				if name == "cmlm" {
					n = 2
				}
				sums[name], batches[name] = sums[name]+n*loss, batches[name]+n
			}
		}
		for name, loss := range l.Losses {
			if math.Abs(loss-sums[name]/batches[name]) > 1e-9 {
				t.Errorf("step %d: the loss of %s is %v, want %v", l.Step, name, loss, sums[name]/batches[name])
			}
		}
	}
	resumesAfterKills(t, c, want)
}

// Sources take turns as they do without the languages in them, and these are drawn besides.
func TestSourcesAndLanguages(t *testing.T) {
	c := sourced(t, 9)
	c.Periods[1].Mixture[1].Dataset = tongues(t, 1) // 91 examples: 91 and 9 have the roots 9.54 and 3
	c.Sampling.By = "both"
	result, _, err := Run(t.Context(), filepath.Join(t.TempDir(), "out"), c, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	large, small := result.Record.Positions[1], result.Record.Positions[2]
	if large.Batch != 14 || small.Batch != 4 || small.Drawn["deu-eng"] != 24 {
		t.Errorf("%+v, %+v", large, small)
	}
	drawn := int64(0)
	for _, n := range large.Drawn {
		drawn += n
	}
	if drawn != 84 || large.Drawn["eng-fra"] < 15 {
		t.Errorf("%+v", large.Drawn)
	}
}

// More steps of a whole training go on with the turns of one that had them from the beginning.
func TestTurnsGoOn(t *testing.T) {
	short := sourced(t, 9)
	short.Periods[1].Decay = decayNone
	long := short
	long.Periods = append([]Period{}, short.Periods...)
	long.Periods[1].Steps += 5
	var files []string
	for i, configs := range [][]Config{{long}, {short, long}} {
		out := filepath.Join(t.TempDir(), fmt.Sprint("out", i))
		for _, c := range configs {
			result, _, err := Run(t.Context(), out, c, withPrivate())
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, fmt.Sprint(result.Record.Positions, result.Record.Files))
		}
	}
	if files[0] != files[2] || files[0] == files[1] {
		t.Errorf("%q", files)
	}
}

func TestSourcesThatCannotTakeTurns(t *testing.T) {
	c := sourced(t, 9)
	c.Periods[1].Mixture[2].BatchSize = 5
	if err := c.Validate(); err == nil ||
		err.Error() != "sampling: period cmlm+br: batch_size of small is 5 and that of large is 6: sources that are drawn need one" {
		t.Error(err)
	}
}
