package markup

import (
	"fmt"

	"sentweave/schemas/fault"
)

// Bars is a chart of horizontal bars with whiskers.
type Bars struct {
	Title string
	// Axis begins at 0 unless it says otherwise.
	Axis   Axis
	Bars   []Bar
	Levels []Level
	// Note is small print below the chart.
	Note string
}

// Bar is a value with an interval.
type Bar struct {
	Name  string
	Value float64
	// Low and High are the ends of the interval; NaN, or both 0, where there is none.
	Low, High float64
	// Muted draws the bar in grey: something to compare with.
	Muted bool
}

func (b Bar) whiskered() bool {
	return Finite(b.Low) && Finite(b.High) && (b.Low != 0 || b.High != 0)
}

// Validate implements Block.
func (b Bars) Validate() error {
	errs := fault.List{b.Axis.validate()}
	for i, bar := range b.Bars {
		errs.Check(bar.Name != "", "bar %d has no name", i+1)
		errs.Check(!bar.whiskered() || bar.Low <= bar.High, "bar %q: interval from %v to %v", bar.Name, bar.Low, bar.High)
	}
	if err := errs.Err(); err != nil {
		return fmt.Errorf("bars %q: %w", b.Title, err)
	}
	return nil
}

type (
	barsView struct {
		Bars
		Rows   []barRow
		Ticks  []placedTick
		Marked []placedTick
	}
	// barRow is a bar with lengths in percent of the width.
	barRow struct {
		Bar
		Text, Detail     string
		From, Width      string
		LowAt, HighAt    string
		Drawn, Whiskered bool
	}
)

// View implements Block.
func (b Bars) View() (string, any) {
	values := []float64{0}
	if b.Axis.Min != 0 {
		values = nil
	}
	for _, bar := range b.Bars {
		values = append(values, bar.Value)
		if bar.whiskered() {
			values = append(values, bar.Low, bar.High)
		}
	}
	for _, l := range b.Levels {
		values = append(values, l.Value)
	}
	s := b.Axis.scale(true, values...)
	v := barsView{Bars: b, Ticks: b.Axis.placed(s, 100)}
	origin := s.at(max(s.min, min(s.max, 0)))
	for _, bar := range b.Bars {
		row := barRow{Bar: bar, Drawn: b.Axis.drawable(bar.Value), Whiskered: bar.whiskered()}
		row.Text = b.text(bar.Value)
		if row.Drawn {
			position := s.at(bar.Value)
			row.From, row.Width = fixed(100*min(position, origin)), fixed(100*max(position-origin, origin-position))
		}
		if row.Whiskered {
			row.LowAt, row.HighAt = fixed(100*s.at(bar.Low)), fixed(100*s.at(bar.High))
			row.Detail = b.text(bar.Low) + " to " + b.text(bar.High)
		}
		v.Rows = append(v.Rows, row)
	}
	for _, l := range b.Levels {
		if b.Axis.drawable(l.Value) {
			v.Marked = append(v.Marked, placedTick{Label: l.Name + ": " + b.text(l.Value), At: fixed(100 * s.at(l.Value))})
		}
	}
	return "bars", v
}

func (b Bars) text(v float64) string {
	switch {
	case v != v:
		return Absent
	case b.Axis.Percent:
		return Percent(v)
	case b.Axis.Count:
		return Number(v, 0)
	default:
		return LossText(v)
	}
}
