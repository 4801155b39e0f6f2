package markup

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sentweave/schemas/fault"
)

// Scatter is a plot of dots whose axes have one scale.
type Scatter struct {
	Title  string
	X, Y   string // labels
	Groups []string
	Dots   []Dot
	// Note is small print below the plot.
	Note string
}

// Dot is a place in a plot. One that is not finite is left out.
type Dot struct {
	X, Y float64
	// Group is the number of its group, which decides its colour and shape.
	Group int
	// Set, above 0, joins the dots that have the same.
	Set int
	// Label is shown when the pointer rests on it.
	Label string
}

// scatterSize is the width and height of the drawing, and scatterEdge what is left
// free at its edges.
const scatterSize, scatterEdge = 400, 12

// Validate implements Block.
func (s Scatter) Validate() error {
	var errs fault.List
	for i, d := range s.Dots {
		if d.Group < 0 || d.Group >= len(s.Groups) {
			errs.Addf("dot %d is of group %d, and there are %d", i+1, d.Group, len(s.Groups))
			break
		}
	}
	if i := slices.Index(s.Groups, ""); i >= 0 {
		errs.Addf("group %d has no name", i+1)
	}
	if err := errs.Err(); err != nil {
		return fmt.Errorf("scatter %q: %w", s.Title, err)
	}
	return nil
}

type (
	ScatterView struct {
		Scatter
		Size   int
		Legend []shapeEntry
		Joins  []string
		Marks  []mark
		Empty  bool
		Left   string
	}
	shapeEntry struct {
		Name, Path string
		Look       int
	}
	mark struct {
		Look        int
		Path, Title string
	}
)

// View implements Block.
func (s Scatter) View() (string, any) {
	v := ScatterView{Scatter: s, Size: scatterSize}
	for i, g := range s.Groups {
		v.Legend = append(v.Legend, shapeEntry{g, shape(i, 8, 8, 5.5), i % Looks})
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	var dots []Dot
	for _, d := range s.Dots {
		if math.Abs(d.X) > greatest || math.Abs(d.Y) > greatest || !Finite(d.X) || !Finite(d.Y) {
			continue
		}
		dots = append(dots, d)
		for k, x := range []float64{d.X, d.Y} {
			low[k], high[k] = min(low[k], x), max(high[k], x)
		}
	}
	v.Empty = len(dots) == 0
	if undrawn := len(s.Dots) - len(dots); undrawn > 0 {
		v.Left = Counted(undrawn, "dot has no finite place and is not drawn.", "dots have no finite place and are not drawn.")
	}
	wide := max(high[0]-low[0], high[1]-low[1])
	place := func(d Dot) (x, y float64) {
		if wide == 0 {
			return scatterSize / 2, scatterSize / 2
		}
		unit := (scatterSize - 2*scatterEdge) / wide
		return scatterSize/2 + unit*(d.X-(low[0]/2+high[0]/2)), scatterSize/2 - unit*(d.Y-(low[1]/2+high[1]/2))
	}
	radius := 4.5 // many dots are small
	if len(dots) > 400 {
		radius = 3
	}
	// Dots that belong together lie at one height, so that no group covers another.
	slices.SortStableFunc(dots, func(a, b Dot) int { return a.Set - b.Set })
	for from := 0; from < len(dots); {
		to := from + 1
		for to < len(dots) && dots[to].Set == dots[from].Set {
			to++
		}
		if set := dots[from:to]; set[0].Set > 0 && len(set) > 1 {
			v.Joins = append(v.Joins, star(set, place))
		}
		from = to
	}
	for _, d := range dots {
		x, y := place(d)
		title := s.Groups[d.Group]
		if d.Label != "" {
			title += ": " + d.Label
		}
		v.Marks = append(v.Marks, mark{d.Group % Looks, shape(d.Group, x, y, radius), title})
	}
	return "scatter", v
}

// star draws lines from the middle of a set to its dots.
func star(set []Dot, place func(Dot) (x, y float64)) string {
	var middleX, middleY float64
	for _, d := range set {
		x, y := place(d)
		middleX, middleY = middleX+x/float64(len(set)), middleY+y/float64(len(set))
	}
	var b strings.Builder
	for _, d := range set {
		x, y := place(d)
		fmt.Fprintf(&b, "M%s %sL%s %s", fixed(middleX), fixed(middleY), fixed(x), fixed(y))
	}
	return b.String()
}

// shape draws the sign of a group: a circle, a square, a triangle, a diamond, a
// triangle upside down, a cross, of about equal areas. The seventh group, whose
// colour is that of the first, has its shape turned on by one.
func shape(group int, x, y, r float64) string {
	corner := func(points ...float64) string {
		var b strings.Builder
		for i := 0; i < len(points); i += 2 {
			command := "L"
			if i == 0 {
				command = "M"
			}
			b.WriteString(command + fixed(x+r*points[i]) + " " + fixed(y+r*points[i+1]))
		}
		return b.String() + "Z"
	}
	switch (group + group/Looks) % Looks {
	case 0:
		d := fixed(2 * r)
		return "M" + fixed(x-r) + " " + fixed(y) + "a" + fixed(r) + " " + fixed(r) + " 0 1 0 " + d + " 0a" + fixed(r) + " " + fixed(r) +
			" 0 1 0 -" + d + " 0Z"
	case 1:
		return corner(-.88, -.88, .88, -.88, .88, .88, -.88, .88)
	case 2:
		return corner(0, -1.25, 1.2, .85, -1.2, .85)
	case 3:
		return corner(0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0)
	case 4:
		return corner(0, 1.25, 1.2, -.85, -1.2, -.85)
	default:
		return corner(-.4, -1.2, .4, -1.2, .4, -.4, 1.2, -.4, 1.2, .4, .4, .4, .4, 1.2, -.4, 1.2, -.4, .4, -1.2, .4, -1.2, -.4, -.4, -.4)
	}
}
