package markup

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// Lines is a chart of lines.
type Lines struct {
	Title  string
	X, Y   Axis
	Series []Series
	// Smooth, above 1, draws the mean of so many points around each one, and the
	// points themselves faintly.
	Smooth int
	// Note is small print below the chart.
	Note string
}

// Series is a line. Its colour and dash follow from its place among the series;
// one without points keeps its place and is not shown.
// A point that is not finite interrupts it.
type Series struct {
	Name   string
	Points []Point
}

// Point is a place in a chart.
type Point struct{ X, Y float64 }

// Level is a value with a name.
type Level struct {
	Name  string
	Value float64
}

// Sizes of the drawing: its width is stretched to the screen.
const (
	linesWidth  = 1000
	linesHeight = 260
	// buckets is the number of pieces of the width in which only the first, least,
	// greatest and last point of a series are drawn.
	buckets = 400
	// bands is the number of pieces of the width that tell their values.
	bands = 50
	// Looks is the number of colours, and of dashes and shapes beside them.
	Looks = 6
)

// Validate implements Block.
func (l Lines) Validate() error {
	errs := fault.List{l.X.validate(), l.Y.validate()}
	for i, s := range l.Series {
		errs.Check(s.Name != "", "series %d has no name", i+1)
	}
	errs.Check(l.Smooth >= 0, "smoothing over %d points", l.Smooth)
	if err := errs.Err(); err != nil {
		return fmt.Errorf("lines %q: %w", l.Title, err)
	}
	return nil
}

// The rest is what the template shows.
type (
	linesView struct {
		Lines
		Width, Height  int
		Legend         []legendEntry
		Curves         []curve
		XTicks, YTicks []placedTick
		Bands          []band
		Empty          bool
		Left           string
	}
	legendEntry struct {
		Name string
		Look int
	}
	curve struct {
		Look  int
		Path  string
		Faint bool
	}
	placedTick struct {
		Label string
		// At is the place as a number, of a percentage or of pixels.
		At string
		// Line is the place in the stretched drawing.
		Line string
		// Anchor keeps labels at the ends inside.
		Anchor string
	}
	band struct{ X, Width, Title string }
)

// View implements Block.
func (l Lines) View() (string, any) {
	v := linesView{Lines: l, Width: linesWidth, Height: linesHeight}
	var xs, ys []float64
	undrawn := 0
	for i, s := range l.Series {
		if len(s.Points) > 0 {
			v.Legend = append(v.Legend, legendEntry{s.Name, i % Looks})
		}
		for _, p := range s.Points {
			if !l.X.drawable(p.X) || !l.Y.drawable(p.Y) {
				undrawn++
				continue
			}
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	v.Empty = len(xs) == 0
	if undrawn > 0 {
		v.Left = fmt.Sprintf("%s not drawn: not finite.", Counted(undrawn, "point is", "points are"))
	}
	x, y := l.X.scale(false, xs...), l.Y.scale(true, ys...)
	v.XTicks, v.YTicks = l.X.placed(x, linesWidth), l.Y.placed(y, linesHeight)
	for i := range v.YTicks { // heights count downwards
		t := &v.YTicks[i]
		t.At = flip(y, l.Y.ticks(y)[i].value)
		t.Line = t.At
	}
	for i, s := range l.Series {
		if len(s.Points) == 0 {
			continue
		}
		if l.Smooth > 1 && len(s.Points) > 2 {
			v.Curves = append(v.Curves, curve{i % Looks, l.path(s.Points, x, y), true})
			s.Points = smoothed(s.Points, l.Smooth)
		}
		v.Curves = append(v.Curves, curve{i % Looks, l.path(s.Points, x, y), false})
	}
	// What is faint lies below all that is not.
	slices.SortStableFunc(v.Curves, func(a, b curve) int {
		return strings.Compare(fmt.Sprint(!a.Faint), fmt.Sprint(!b.Faint))
	})
	v.Bands = l.bands(x)
	return "lines", v
}

// flip returns the height of a value, which counts from the top.
func flip(y scale, v float64) string { return fixed(linesHeight * (1 - y.at(v))) }

// placed gives the ticks their places: At in percent of the width.
func (a Axis) placed(s scale, width float64) []placedTick {
	var list []placedTick
	for _, t := range a.ticks(s) {
		position := s.at(t.value)
		anchor := "middle"
		switch {
		case position < .03:
			anchor = "start"
		case position > .97:
			anchor = "end"
		}
		list = append(list, placedTick{t.Label, fixed(100 * position), fixed(width * position), anchor})
	}
	return list
}

// smoothed returns, for each point, the value there of the line that fits the
// width points around it best, by least squares. Inside that is their mean; at the
// ends, where they lie on one side, a mean would be off by half their slope.
// Values that are not finite take no part.
func smoothed(points []Point, width int) []Point {
	fitted := slices.Clone(points)
	width = min(width, len(points))
	for i := range fitted {
		if !Finite(points[i].Y) {
			continue
		}
		var n, x, y, xx, xy float64
		start := max(0, min(len(points)-width, i-width/2))
		for k := start; k < start+width; k++ {
			if v := points[k].Y; Finite(v) {
				offset := float64(k - i)
				n, x, y, xx, xy = n+1, x+offset, y+v, xx+offset*offset, xy+offset*v
			}
		}
		slope := 0.0
		if spread := n*xx - x*x; spread > 0 {
			slope = (n*xy - x*y) / spread
		}
		fitted[i].Y = (y - slope*x) / n
	}
	return fitted
}

// path draws the points, in their order. A point alone is a dot: a line of no
// length with round ends.
func (l Lines) path(points []Point, x, y scale) string {
	var b strings.Builder
	open, alone := false, false
	end := func() {
		if alone {
			b.WriteString("h0")
		}
		open, alone = false, false
	}
	for _, p := range l.thin(points, x) {
		if !l.X.drawable(p.X) || !l.Y.drawable(p.Y) {
			end()
			continue
		}
		command := "L"
		if alone = !open; alone {
			command = "M"
		}
		open = true
		b.WriteString(command + fixed(linesWidth*x.at(p.X)) + " " + flip(y, p.Y))
	}
	end()
	return b.String()
}

// thin keeps of each run of points in one bucket the first, the least, the
// greatest and the last, so that no peak is lost.
func (l Lines) thin(points []Point, x scale) []Point {
	if len(points) <= 4*buckets {
		return points
	}
	bucket := func(p Point) int {
		if !l.X.drawable(p.X) || !l.Y.drawable(p.Y) {
			return -1
		}
		return int(buckets * x.at(p.X))
	}
	var thinned []Point
	for from := 0; from < len(points); {
		index, to, lowest, highest := bucket(points[from]), from+1, from, from
		for ; to < len(points) && bucket(points[to]) == index; to++ {
			if points[to].Y < points[lowest].Y {
				lowest = to
			}
			if points[to].Y > points[highest].Y {
				highest = to
			}
		}
		keep := []int{from, lowest, highest, to - 1}
		slices.Sort(keep)
		for _, k := range slices.Compact(keep) {
			thinned = append(thinned, points[k])
		}
		from = to
	}
	return thinned
}

// bands gives the values at places over the width.
func (l Lines) bands(x scale) []band {
	var list []band
	width := float64(linesWidth) / bands
	for i := range bands {
		var title strings.Builder
		for _, s := range l.Series {
			// The nearest point to the middle, within the band.
			var nearest *Point
			best := .5 / bands * (1 + 1e-9)
			for k, p := range s.Points {
				if !l.X.drawable(p.X) {
					continue
				}
				if away := math.Abs(x.at(p.X) - (float64(i)+.5)/bands); away <= best {
					nearest, best = &s.Points[k], away
				}
			}
			if nearest != nil {
				fmt.Fprintf(&title, "\n%s %s: %s", l.X.Label, l.X.format(nearest.X, 0), s.Name+" "+l.value(nearest.Y))
			}
		}
		if title.Len() > 0 {
			list = append(list, band{fixed(float64(i) * width), fixed(width), strings.TrimSpace(title.String())})
		}
	}
	return list
}

func (l Lines) value(v float64) string {
	if l.Y.Percent {
		return Percent(v) + " %"
	}
	if size := math.Abs(v); Finite(v) && v != 0 && (size < .01 || size >= 1e6) {
		return l.Y.format(v, 0)
	}
	return LossText(v)
}

// Counted writes a number with the word for one or for many.
func Counted(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return Number(float64(n), 0) + " " + plural
}
