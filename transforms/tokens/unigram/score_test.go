package unigram

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The values are those that Hugging Face tokenizers 0.23.3 writes after it has read the numbers.
func TestScoreOf(t *testing.T) {
	for number, want := range map[string]float64{
		"0": 0, "-0.0": math.Copysign(0, -1), "1": 1, "-1E+2": -100, "-9.9e-5": -9.9e-05,
		"-13.547431945800781": -13.54743194580078, "-10.123456789012345678901234": -10.123456789012344,
		"-123456789012345678901234.5": -1.2345678901234567e+23, "-1.8446744073709551616": -1.8446744073709553,
		"-0.00000000000000000000000000012345678901234567890123": -1.2345678901234567e-28, "-18446744073709551616": -1.8446744073709552e+19,
		"-2.154990951e-172": -2.1549909510000002e-172, "-0.8454748554565275e-159": -8.454748554565276e-160,
		"-9.3505646e-272": -9.350564599999999e-272, "-5e-324": -5e-324, "-1e-320": -1e-320,
		"-1e-99999999999999999999": math.Copysign(0, -1),
	} {
		if got := scoreOf(number); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s is %v, want %v", number, got, want)
		}
	}
}

func FuzzScoreOf(f *testing.F) {
	f.Add("-13.5")
	f.Add("1e-330")
	f.Add("0e-10000000000000000000")
	f.Fuzz(func(t *testing.T, number string) {
		exact, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsInf(exact, 0) || strings.Trim(number, "-0123456789.eE") != "" || strings.Contains(number, ".e") {
			return
		}
		if got := scoreOf(number); math.Abs(got-exact) > math.Abs(exact)*1e-15+1e-323 {
			t.Errorf("%s is %v, exactly %v", number, got, exact)
		}
	})
}
