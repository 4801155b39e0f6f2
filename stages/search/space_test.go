package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const lensRanges = `bitext-batch: [128, 256, 512]
warmup: {from: 1000, to: 16000, log: true}
rate: {from: 1e-4, to: 0.01, log: true}
lens-dropout: {from: 0, to: 0.25}
head:
  ranker: {lens-head: ranker, lens-margin: 0.10}
  classifier: {lens-head: classifier}
steps: [[100, 200], [300, 400]]
decay: noam
`

func parse(t testing.TB, text string) *Space {
	t.Helper()
	s, err := Parse("space.yaml", []byte(text), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A trial is a function of its number and the seed: the order, the number of trials and other settings change nothing.
func TestDraw(t *testing.T) {
	s := parse(t, lensRanges)
	seen := map[string]map[string]bool{}
	for k := range 300 {
		settings := s.Draw(7, k)
		for _, setting := range settings {
			if seen[setting.Flag] == nil {
				seen[setting.Flag] = map[string]bool{}
			}
			seen[setting.Flag][setting.Value] = true
		}
		other := Space{Axes: slices.Clone(s.Axes)}
		slices.Reverse(other.Axes)
		reversed := other.Draw(7, k)
		slices.SortFunc(settings, func(a, b Setting) int { return strings.Compare(a.Flag, b.Flag) })
		slices.SortFunc(reversed, func(a, b Setting) int { return strings.Compare(a.Flag, b.Flag) })
		if !slices.Equal(settings, reversed) {
			t.Fatalf("trial %d is %v, and %v of the same space in another order", k, settings, reversed)
		}
	}
	for flag, want := range map[string][]string{"bitext-batch": {"128", "256", "512"}, "decay": {"noam"}, "lens-margin": {"0.10"},
		"lens-head": {"classifier", "ranker"}, "steps": {"100,200", "300,400"}} {
		if values := keys(seen[flag]); !slices.Equal(values, want) {
			t.Errorf("%s was drawn as %v, want %v", flag, values, want)
		}
	}
	middle := 0
	for value := range seen["warmup"] {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1000 || n > 16000 {
			t.Errorf("a warmup of %s", value)
		}
		if n < 4000 {
			middle++
		}
	}
	if share := float64(middle) / float64(len(seen["warmup"])); share < .4 || share > .6 {
		t.Errorf("%.2f of the numbers are below the geometric middle", share)
	}
	for value := range seen["rate"] {
		if x, err := strconv.ParseFloat(value, 64); err != nil || x < 1e-4 || x > .01 || len(strings.TrimLeft(value, "0.")) > 8 {
			t.Errorf("a rate of %s", value)
		}
	}
	if got := fmt.Sprint(s.Draw(7, 0)); got == fmt.Sprint(s.Draw(8, 0)) {
		t.Error("the seed changes nothing")
	}
}

// No two trials have the same settings, and fewer trials are the first ones of more.
func TestDraws(t *testing.T) {
	s := parse(t, "rate: [0.1, 0.2, 0.3]\nlayers: {from: 1, to: 4}")
	all := s.Draws(7, 50)
	drawn := map[string]bool{}
	for _, settings := range all {
		drawn[fmt.Sprint(settings)] = true
	}
	if few := s.Draws(7, 5); len(all) != 12 || len(drawn) != 12 || fmt.Sprint(few) != fmt.Sprint(all[:5]) {
		t.Errorf("%d trials, of which %d differ; five of them are %v", len(all), len(drawn), few)
	}
}

func keys(set map[string]bool) (list []string) {
	for k := range set {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// Whole numbers of a narrow range are drawn alike, and both ends are among them.
func TestWholeNumbers(t *testing.T) {
	counts := map[string]int{}
	for k := range 3000 {
		counts[parse(t, "layers: {from: 1, to: 3}").Draw(1, k)[0].Value]++
	}
	for _, n := range []string{"1", "2", "3"} {
		if counts[n] < 900 || counts[n] > 1100 {
			t.Errorf("%s was drawn %d times of 3000", n, counts[n])
		}
	}
}

func TestFaultsOfSpaces(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"rate: []", "space.yaml:1: rate has no values"},
		{"{}", "the space is empty"},
		{"a: 1\nrate: {from: 1, to: 1}", "space.yaml:2: rate: the range from 1 to 1 is empty"},
		{"rate: {from: 2}", "a range has from and to"},
		{"rate: {from: 0, to: 1, log: true}", "it must be above 0"},
		{"rate: {from: x, to: 1}", `rate: from is "x", it must be a number`},
		{"rate: {from: .nan, to: 1}", "it must be a number"},
		{"rate: {from: 1, to: 2, step: 1}", `no key "step"`},
		{"rate: {from: 1, to: 2, log: maybe}", "it must be true or false"},
		{"rate: [1, 1]", "rate has the value 1 twice"},
		{"bogus: [1, 2]", "space.yaml:1: there is no setting bogus"},
		{"rate: [1, 2]\nhead: {a: {rate: 3}, b: {decay: noam}}", "rate is a setting of rate and of head"},
		{"head: {a: {bogus: 3}}", "there is no setting bogus"},
		{"rate: [1, 2]\nrate: [3]", "already defined"},
	} {
		_, err := Parse("space.yaml", []byte(test.text), func(flag string) string {
			if flag == "bogus" {
				return "there is no setting bogus"
			}
			return ""
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

func TestCells(t *testing.T) {
	s := parse(t, "objective: {mlm: {preset: mlm, batch: 4}, br: {preset: br}}\nseed: [1, 2]")
	labels, settings, err := s.Cells()
	want := "[[mlm 1] [mlm 2] [br 1] [br 2]]"
	if err != nil || fmt.Sprint(labels) != want || FlagsOf(settings[1]) != "--preset=mlm --batch=4 --seed=2" ||
		FlagsOf(settings[2]) != "--preset=br --seed=1" {
		t.Errorf("%v: %v, %v", err, labels, settings)
	}
	if _, _, err := parse(t, "rate: {from: 1, to: 2}").Cells(); err == nil || !strings.Contains(err.Error(), "rate is a range") {
		t.Error(err)
	}
	if _, _, err := parse(t, manyAxes()).Cells(); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

func manyAxes() (text string) {
	for i := range 20 {
		text += fmt.Sprintf("a%d: [1, 2]\n", i)
	}
	return text
}

func FuzzParse(f *testing.F) {
	f.Add(lensRanges)
	f.Add("rate: {from: 9223372036854775807, to: 1e300}\n")
	f.Add("a: &x {b: {c: 1}}\nd: *x\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f", []byte(text), func(string) string { return "" })
		if err != nil {
			return
		}
		for k := range 3 {
			first, again := s.Draw(1, k), s.Draw(1, k)
			if !slices.Equal(first, again) {
				t.Fatalf("%v, then %v", first, again)
			}
		}
		for _, a := range s.Axes {
			if a.interval == nil {
				continue
			}
			for k := range 3 {
				x, err := strconv.ParseFloat((&Space{Axes: []Axis{a}}).Draw(2, k)[0].Value, 64)
				if err != nil || x < a.interval.low || x > a.interval.high {
					t.Fatalf("%v of %+v, %v", x, a.interval, err)
				}
			}
		}
	})
}
