package trainings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"sentweave/schemas"
	"sentweave/stages/report/markup"
)

func TestReadLosses(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "[]"},
		{"a step", `{"step":3,"period":"br","losses":{"cmlm":6.5,"bitext":2},"rate":0.003,"tokens":9600}` + "\n",
			"[{3 3  br map[bitext:2 cmlm:6.5] 0.003 map[tokens:9600] map[]}]"},
		{"with a validation", `{"step":3,"losses":{"a":1},"validation":{"a":2.5}}` + "\n", "[{3 3   map[a:1] NaN map[] map[a:2.5]}]"},
		{"a validation that is a text", `{"step":1,"validation":"x"}` + "\n", `read losses: line 1: validation are "x", want an object`},
		{"fields that are unknown", `{"step":1,"period":"a","when":"now","batch":[1,2],"memory":{"rss":5},"grad_norm":0.5,"ok":true}` +
			"\n",
			"[{1 1  a map[] NaN map[grad_norm:0.5] map[]}]"},
		{"a number as a period", `{"step":1,"period":2}` + "\n", "[{1 1  2 map[] NaN map[] map[]}]"},
		{"no number", `{"step":1,"losses":{"a":null,"b":"NaN","c":"Infinity"},"rate":null}` + "\n",
			"[{1 1   map[a:NaN b:NaN c:+Inf] NaN map[] map[]}]"},
		{"empty lines and other line ends", "\n{\"step\":1}\r\n\n", "[{1 1   map[] NaN map[] map[]}]"},
		{"a resumed run says a step again", `{"step":1,"losses":{"a":1}}` + "\n" + `{"step":2,"losses":{"a":2}}` + "\n" +
			`{"step":1,"losses":{"a":3}}` + "\n",
			"[{1 1   map[a:3] NaN map[] map[]} {2 1   map[a:2] NaN map[] map[]}]"},
		{"periods have steps of their own", `{"step":1,"period":"a"}` + "\n" + `{"step":1,"period":"b"}` + "\n",
			"[{1 1  a map[] NaN map[] map[]} {1 1  b map[] NaN map[] map[]}]"},
		{"each tenth step is logged, through two periods", `{"step":10,"period":"a"}` + "\n" + `{"step":15,"period":"a"}` + "\n" +
			`{"step":25,"period":"b"}` + "\n",
			"[{10 10  a map[] NaN map[] map[]} {15 5  a map[] NaN map[] map[]} {25 10  b map[] NaN map[] map[]}]"},
		{"a last line without its end", `{"step":1}`, "[{1 1   map[] NaN map[] map[]}]"},
		{"a last line that was cut", `{"step":1}` + "\n" + `{"step":2,"loss`, "[{1 1   map[] NaN map[] map[]}]"},
		{"a cut line amid", `{"step":1}` + "\n" + `{"step":2,"loss` + "\n", "read losses: line 2: unexpected end of JSON input"},
		{"no step", `{"period":"a"}` + "\n", "read losses: line 1: step is absent, want a whole number"},
		{"half a step", `{"step":1.5}` + "\n", "read losses: line 1: step is 1.5, want a whole number"},
		{"a step that is a text", `{"step":"1"}` + "\n", `read losses: line 1: step is "1", want a whole number`},
		{"a loss that is a text", `{"step":1,"losses":{"a":"x"}}` + "\n", `read losses: line 1: loss "a" is "x", want a number`},
		{"losses that are a number", `{"step":1,"losses":5}` + "\n", "read losses: line 1: losses are 5, want an object"},
		{"no lines", strings.Repeat(" ", longestLine+1), "read losses: line 1: more than 1048576 bytes: this is not a file of losses"},
	} {
		steps, err := ReadLosses(strings.NewReader(test.text))
		got := fmt.Sprint(steps)
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if _, err := ReadLosses(iotest.ErrReader(errors.New("disk"))); err == nil || err.Error() != "read losses: line 1: disk" {
		t.Error(err)
	}
}

// What is kept of a file is bounded, and long files become means of their lines.
func TestLossesAreBounded(t *testing.T) {
	names := func(line, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"n%d_%d":1`, line, i)
		}
		return b.String()
	}
	var many, wide, periods strings.Builder
	for i := range 3 {
		fmt.Fprintf(&many, `{"step":%d,"losses":{"a":1%s}}`+"\n", i+1, names(i, 100))
		fmt.Fprintf(&wide, `{"step":%d%s}`+"\n", i+1, names(i, 100))
	}
	for i := range 300 {
		fmt.Fprintf(&periods, `{"step":1,"period":"p%d"}`+"\n", i)
	}
	for name, text := range map[string]string{"losses": many.String(), "other numbers": wide.String(), "periods": periods.String()} {
		if _, err := ReadLosses(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "more than 256 names") {
			t.Errorf("%s: %v", name, err)
		}
	}
	const lines = 8_000
	var long strings.Builder
	for i := range lines {
		period, heldOut := "one", ""
		if i%2 == 1 {
			period = "two"
		}
		if i%100 == 99 {
			heldOut = fmt.Sprintf(`,"validation":{"a":%d}`, i+1)
		}
		fmt.Fprintf(&long, `{"step":%d,"period":%q,"losses":{"a":%d},"rate":%d%s}`+"\n", i+1, period, i, i, heldOut)
	}
	fmt.Fprintf(&long, `{"step":5,"period":"one","losses":{"a":4},"rate":4}`+"\n") // of a resumed run
	read, err := readLosses(strings.NewReader(long.String()), lines)
	if err != nil || len(read) > lines/4 || len(read) < lines/16 {
		t.Fatalf("%d steps, %v", len(read), err)
	}
	sums, count, last := map[string]float64{}, map[string]float64{}, 0
	for _, s := range read {
		sums[s.Period] += s.Losses["a"]
		count[s.Period]++
		if len(s.HeldOut) > 0 {
			last = max(last, int(s.HeldOut["a"]))
		}
	}
	for period, want := range map[string]float64{"one": lines/2 - 1, "two": lines / 2} {
		if mean := sums[period] / count[period]; math.Abs(mean-want) > 16 {
			t.Errorf("period %s has the mean %v, want %v", period, mean, want)
		}
	}
	if end := read[len(read)-1]; end.Step != lines || last != lines {
		t.Errorf("the last step is %d, the last validation after %d: want %d", end.Step, last, lines)
	}
}

func FuzzReadLosses(f *testing.F) {
	f.Add([]byte(`{"step":3,"period":"br","losses":{"cmlm":6.5}}` + "\n" + `{"step":3,"period":"br"}`))
	f.Add([]byte("{\"step\":null}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		steps, err := ReadLosses(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, s := range steps {
			key := fmt.Sprint(s.Step, " ", s.Period)
			if seen[key] || s.Step < 0 || s.Losses == nil {
				t.Fatalf("%+v", s)
			}
			seen[key] = true
		}
		// What was read is read again from a plain rendering of it.
		var b strings.Builder
		for _, s := range steps {
			if text, err := json.Marshal(map[string]any{"step": s.Step, "period": s.Period}); err == nil {
				b.Write(append(text, '\n'))
			}
		}
		again, err := ReadLosses(strings.NewReader(b.String()))
		if err != nil || len(again) != len(steps) {
			t.Fatalf("%d steps, %v, of %d", len(again), err, len(steps))
		}
		for _, c := range LossCharts(steps) {
			if err := c.Validate(); err != nil && !strings.Contains(err.Error(), "has no name") {
				t.Fatal(err)
			}
			c.View()
		}
	})
}

func steps(period string, n int, losses func(i int) map[string]float64) []Step {
	var list []Step
	for i := range n {
		list = append(list, Step{Step: i + 1, Steps: 1, Period: period, Losses: losses(i), Rate: .001,
			Other: map[string]float64{"tokens": 9}})
	}
	return list
}

func TestLossCharts(t *testing.T) {
	all := append(steps("one", 40, func(i int) map[string]float64 { return map[string]float64{"cmlm": float64(40 - i)} }),
		steps("two", 100, func(i int) map[string]float64 { return map[string]float64{"bitext": 1, "cmlm": 2} })...)
	charts := LossCharts(all)
	if len(charts) != 2 || charts[0].Title != "Losses of period one" || charts[0].Smooth != 1 || charts[1].Smooth != 5 {
		t.Fatalf("%+v", charts)
	}
	for i, c := range charts {
		if len(c.Series) != 2 || c.Series[0].Name != "cmlm" || c.Series[1].Name != "bitext" {
			t.Errorf("chart %d: components change their places: %v", i, c.Series)
		}
	}
	if n := len(charts[0].Series[1].Points); n != 0 {
		t.Errorf("%d points of a loss that the period does not have", n)
	}
	table := LossTable(all)
	// Twentieths: 40 and 39; 2 and 1.
	if got := fmt.Sprint(table.Rows); got != fmt.Sprint(
		[][]markup.Cell{markup.Cells("one", "cmlm", "40", "39.500", "1.500"), markup.Cells("two", "bitext", "100", "1.000", "1.000"),
			markup.Cells("two", "cmlm", "100", "2.000", "2.000")}) {
		t.Error(got)
	}
	// Lines that are the means of several steps count as so many.
	for i := range all {
		all[i].Steps = 10
	}
	if table := LossTable(all); table.Rows[0][2].Text != "400" || table.Rows[2][2].Text != "1,000" {
		t.Errorf("%+v", table.Rows)
	}
	if got, want := LossCharts(all)[1].Note, "Faint: means of 10 steps, as they were logged. Strong: mean over 5 of them."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if c := RateChart(all); len(c.Series) != 2 || len(c.Series[1].Points) != 100 || c.Series[1].Points[0] != (markup.Point{X: 1, Y: .001}) {
		t.Errorf("%+v", c)
	}
	for i := range all {
		all[i].Rate = math.NaN()
	}
	if c := RateChart(all); len(c.Series) != 0 {
		t.Errorf("%+v", c)
	}
}

// Validations are in charts and in a table of their own, by period.
func TestHeldOut(t *testing.T) {
	all := append(steps("one", 4, func(i int) map[string]float64 { return map[string]float64{"cmlm": 9} }),
		steps("two", 6, func(i int) map[string]float64 { return map[string]float64{"bitext": 1, "cmlm": 2} })...)
	if charts := HeldOutCharts(all); len(charts) != 0 {
		t.Errorf("without a validation: %+v", charts)
	}
	if chart := FigureChart(all); len(chart.Series) != 0 {
		t.Errorf("without a validation: %+v", chart)
	}
	for i, loss := range map[int]float64{5: 3, 7: 2, 9: 2.5} {
		all[i].HeldOut = map[string]float64{"bitext": loss, "cmlm": 1, "stsb/spearman": 1 / loss}
	}
	if chart := FigureChart(all); len(chart.Series) != 1 || chart.Series[0].Name != "stsb/spearman" ||
		fmt.Sprint(chart.Series[0].Points) != "[{2 0.3333333333333333} {4 0.5} {6 0.4}]" {
		t.Errorf("%+v", chart)
	}
	for i := range all {
		all[i].Training = []string{"a", "b"}[i%2]
	}
	if chart := FigureChart(all); len(chart.Series) != 1 || chart.Series[0].Name != "stsb/spearman, b" {
		t.Errorf("%+v", chart)
	}
	all[7].Training = "a"
	if chart := FigureChart(all); len(chart.Series) != 2 || fmt.Sprint(chart.Series[1].Points) != "[{2 0.3333333333333333} {6 0.4}]" {
		t.Errorf("%+v", chart)
	}
	charts := HeldOutCharts(all)
	if len(charts) != 1 || charts[0].Title != "Losses on held-out examples in period two" || charts[0].Series[0].Name != "cmlm" ||
		fmt.Sprint(charts[0].Series[1].Points) != "[{2 3} {4 2} {6 2.5}]" {
		t.Errorf("%+v", charts)
	}
	want := [][]markup.Cell{markup.Cells("two", "bitext", "3", "3.000", "2.000", "4", "2.500"),
		markup.Cells("two", "cmlm", "3", "1.000", "1.000", "2", "1.000")}
	if got := HeldOutTable(all).Rows; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTraining(t *testing.T) {
	nan := math.NaN()
	prefix := PrefixTable([]PrefixEffect{{"planted", 2000, .5, 2.25, 4, nan, .0125}, {"pages", 10, 4, nan, 4.25, nan, nan}})
	for i, want := range []string{
		"[{planted  false 0} {0.500  false 0} {2.250 +1.750 false 0} {4.000 +3.5000 ± 0.0125 false 0} {2,000  false 0}]",
		"[{pages  false 0} {4.000  false 0} {–  false 0} {4.250 +0.250 false 0} {10  false 0}]",
	} {
		if got := fmt.Sprint(prefix.Rows[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	half := .25
	effects, _ := Prefixes([]schemas.Result{
		{Model: "m", Task: PrefixTask, Subtask: "other", Metric: "loss", Value: 3},
		{Model: "m", Task: PrefixTask, Subtask: "other", Metric: "loss_above_own", Value: 1, Spread: &half},
	})
	if e := effects[0]; e.Shuffled != 3 || e.ShuffledSpread != half || markup.Finite(e.ZeroedSpread) {
		t.Errorf("%+v", effects)
	}
	if b := PrefixBars(PrefixEffect{Data: "x", Own: 1, Zeroed: nan, Shuffled: 3}); len(b.Bars) != 2 ||
		b.Bars[1].Name != "Shuffled prefix" || !b.Bars[1].Muted {
		t.Errorf("%+v", b)
	}
	speed := SpeedTable([]Speed{{"cmlm", 150, 60, 90000, .3, 1 << 30}, {Period: "none"}})
	for i, want := range []string{
		"[{cmlm  false 0} {150  false 0} {1 min 0 s  false 0} {400.0  false 0} {1,500  false 0} {0.5 %  false 0} {1.0 GiB  false 0}]",
		"[{none  false 0} {0  false 0} {0.0 s  false 0} {–  false 0} {–  false 0} {–  false 0} {–  false 0}]",
	} {
		if got := fmt.Sprint(speed.Rows[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
