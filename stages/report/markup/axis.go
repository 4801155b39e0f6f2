package markup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Axis says how values become lengths.
type Axis struct {
	Label string
	// Percent shows values a hundred times as great, Count whole numbers.
	Percent, Count bool
	// Min and Max are shown whatever the data are. Both 0: what the data need.
	Min, Max float64
}

// tick is a mark of an axis.
type tick struct {
	value float64
	Label string
}

// scale maps [min, max] onto [0, 1].
type scale struct{ min, max float64 }

// Values above greatest are not drawn, so that differences are finite, nor values
// and widths below smallest, so that quotients are.
const greatest, smallest = 1e300, 1e-300

// narrowest is the least width of an axis, as a part of its values.
const narrowest = 1e-9

// drawable tells whether v has a place on the axis.
func (a Axis) drawable(v float64) bool { return math.Abs(v) <= greatest }

func (a Axis) validate() error {
	if !Finite(a.Min) || !Finite(a.Max) || a.Min > a.Max {
		return fmt.Errorf("axis %q from %v to %v: want finite ends in order", a.Label, a.Min, a.Max)
	}
	return nil
}

// scale holds all values that can be drawn, and what the axis asks for. Round
// moves its ends to ticks.
func (a Axis) scale(round bool, values ...float64) scale {
	s := scale{math.Inf(1), math.Inf(-1)}
	if a.Min != 0 || a.Max != 0 {
		values = append([]float64{a.Min, a.Max}, values...)
	}
	for _, v := range values {
		if a.drawable(v) {
			s.min, s.max = min(s.min, v), max(s.max, v)
		}
	}
	// Between nearly equal ends there are too few numbers to mark.
	largest := max(math.Abs(s.min), math.Abs(s.max))
	equal := s.max-s.min <= max(narrowest*largest, smallest)
	switch {
	case s.min > s.max:
		s.min, s.max = 0, 1
	case equal:
		wide := max(largest/2, smallest)
		s.min, s.max = s.min-wide, s.max+wide
	}
	if round {
		step := niceStep((s.max - s.min) / tickCount)
		// A value next to a tick is on it: .3 is 2.9999999999999996 steps of .1.
		s.min, s.max = step*math.Floor(s.min/step+1e-9), step*math.Ceil(s.max/step-1e-9)
	}
	return s
}

// at returns the place of v: 0 at min, 1 at max.
func (s scale) at(v float64) float64 {
	return (v - s.min) / (s.max - s.min)
}

// tickCount is about how many marks an axis gets: their labels must fit into 300
// pixels.
const tickCount = 5

// ticks returns the marks of an axis, ascending: multiples of 1, 2 or 5 times a
// power of ten.
func (a Axis) ticks(s scale) (list []tick) {
	step := niceStep((s.max - s.min) / tickCount)
	first, last := math.Ceil(s.min/step-1e-9), math.Floor(s.max/step+1e-9)
	for i := range int(min(last-first, 4*tickCount)) + 1 {
		v := (first + float64(i)) * step
		list = append(list, tick{v, a.format(v, step)})
	}
	return list
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that is not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	if power == 0 || !Finite(power) {
		return x
	}
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// format writes the value of a tick with the digits that step needs; 0 means those
// of the value.
func (a Axis) format(v, step float64) string {
	if a.Percent {
		v, step = 100*v, 100*step
	}
	text := ""
	switch size := math.Abs(v); {
	case size < step*1e-9 || v == 0:
		text = "0"
	case size >= 1e6 || size < 1e-3:
		digits := 4
		if step > 0 { // as many as tell two ticks apart
			digits = max(1, int(math.Ceil(math.Log10(size/step)-1e-9))+1)
		}
		text = strconv.FormatFloat(v, 'g', digits, 64)
		text = strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(text)
	case step > 0:
		text = decimals(v, max(0, int(math.Ceil(-math.Log10(step)-1e-9))))
	default:
		_, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		text = decimals(v, len(fraction))
	}
	text = strings.ReplaceAll(text, "-", "−")
	if a.Percent {
		text += " %"
	}
	return text
}
