package markup

import (
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		name     string
		axis     Axis
		min, max float64
		want     string
	}{
		{"one to five hundred", Axis{}, 1, 500, "100 200 300 400 500"},
		{"a share", Axis{Percent: true}, 0, 1, "0 % 20 % 40 % 60 % 80 % 100 %"},
		{"small shares keep their digits", Axis{Percent: true}, 0, .012, "0 % 0.5 % 1.0 %"},
		{"a step of two", Axis{}, 0, 10, "0 2 4 6 8 10"},
		{"a step of a half", Axis{}, 4.1, 6.2, "4.5 5.0 5.5 6.0"},
		{"around zero", Axis{}, -1, 1, "−1.0 −0.5 0 0.5 1.0"},
		{"thousands", Axis{}, 0, 50000, "0 10,000 20,000 30,000 40,000 50,000"},
		{"millions", Axis{}, 0, 4e6, "0 1e6 2e6 3e6 4e6"},
		{"tiny", Axis{}, 0, 4e-6, "0 1e−6 2e−6 3e−6 4e−6"},
		{"tenths are not 0.30000000000000004", Axis{}, 0, .5, "0 0.1 0.2 0.3 0.4 0.5"},
		{"a narrow range far from zero", Axis{}, 100.001, 100.004, "100.001 100.002 100.003 100.004"},
		{"a narrow range of millions", Axis{}, 3000000, 3000004, "3000000 3000001 3000002 3000003 3000004"},
	} {
		var labels []string
		s := scale{test.min, test.max}
		for _, tick := range test.axis.ticks(s) {
			labels = append(labels, tick.Label)
			if at := s.at(tick.value); at < -1e-6 || at > 1+1e-6 {
				t.Errorf("%s: tick %s lies outside, at %v", test.name, tick.Label, at)
			}
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestScale(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		name     string
		axis     Axis
		round    bool
		values   []float64
		min, max float64
	}{
		{"no value", Axis{}, false, nil, 0, 1},
		{"nothing finite", Axis{}, true, []float64{nan, inf, -inf}, 0, 1},
		{"one value", Axis{}, false, []float64{8}, 4, 12},
		{"one value 0", Axis{}, false, []float64{0}, -1e-300, 1e-300},
		{"as the data", Axis{}, false, []float64{3, nan, 1}, 1, 3},
		{"nearly one value", Axis{}, false, []float64{1, 1 + 1e-12}, .5, 1.5},
		{"rounded to ticks", Axis{}, true, []float64{.31, 4.83}, 0, 5},
		{"ends on ticks stay", Axis{}, true, []float64{0, .3}, 0, .3},
		{"the axis asks for more", Axis{Max: 1}, true, []float64{.2, .4}, 0, 1},
		{"the data need more", Axis{Max: 1}, true, []float64{1.7}, 0, 2},
		{"too great to subtract", Axis{}, false, []float64{1, -math.MaxFloat64, math.MaxFloat64, 3}, 1, 3},
	} {
		s := test.axis.scale(test.round, test.values...)
		if math.Abs(s.min-test.min) > 1e-9*math.Abs(test.min) || math.Abs(s.max-test.max) > 1e-9*math.Abs(test.max) {
			t.Errorf("%s: %v to %v, want %v to %v", test.name, s.min, s.max, test.min, test.max)
		}
	}
}

// A scale of any two numbers has ends in order and some ticks between them.
func FuzzTicks(f *testing.F) {
	f.Add(0.0, 1.0)
	f.Add(1e-320, 5.0)
	f.Add(-1e300, 1e300)
	f.Add(1.0, math.Nextafter(1, 2))
	f.Fuzz(func(t *testing.T, a, b float64) {
		for _, percent := range []bool{false, true} {
			axis := Axis{Percent: percent}
			for _, round := range []bool{false, true} {
				s := axis.scale(round, a, b)
				if !(s.min < s.max) || !Finite(s.min) || !Finite(s.max) {
					t.Fatalf("scale of %v and %v: %v to %v", a, b, s.min, s.max)
				}
				ticks := axis.ticks(s)
				if len(ticks) > 4*tickCount {
					t.Fatalf("%d ticks for %v to %v", len(ticks), s.min, s.max)
				}
				for i, k := range ticks {
					if at := s.at(k.value); !(at > -.01 && at < 1.01) {
						t.Fatalf("tick %v of %v to %v is at %v", k.value, s.min, s.max, at)
					}
					if i > 0 && k.value < ticks[i-1].value {
						t.Fatalf("ticks %v of %v to %v do not ascend", ticks, s.min, s.max)
					}
				}
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Number(1234567.891, 2), "1,234,567.89"},
		{Number(999, 0), "999"},
		{Number(-1234, 0), "−1,234"},
		{Number(-.004, 2), "0.00"},
		{Number(math.NaN(), 1), "not a number"},
		{Number(math.Inf(-1), 1), "−∞"},
		{Percent(.8816), "88.2"},
		{Signed(.1714, 3), "+0.171"},
		{Signed(-.1714, 3), "−0.171"},
		{Signed(0, 1), "0.0"},
		{Size(1363148800), "1.3 GiB"},
		{Size(1023), "1,023 B"},
		{Duration(59.94), "59.9 s"},
		{Duration(312), "5 min 12 s"},
		{Duration(7260), "2 h 1 min"},
		{LossText(4.2312), "4.231"},
		{LossText(12345.6), "12,346"},
		{LossText(0), "0.000"},
		{LossText(.1), "0.100"},
		{LossText(.0017449), "0.00174"},
		{LossText(-.05), "−0.0500"},
		{LossText(1e-30), "0.000000000"},
		{Interval(.5, math.NaN()), ""},
		{fixed(-0.001), "0"},
		{fixed(12.50), "12.5"},
		{fixed(100), "100"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
