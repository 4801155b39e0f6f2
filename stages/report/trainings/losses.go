package trainings

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"sentweave/stages/report/markup"
)

// periods groups steps by period, in the order of their first steps.
func periods(steps []Step) (names []string, groups map[string][]Step) {
	groups = map[string][]Step{}
	for _, s := range steps {
		if _, ok := groups[s.Period]; !ok {
			names = append(names, s.Period)
		}
		groups[s.Period] = append(groups[s.Period], s)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b Step) int { return a.Step - b.Step })
	}
	return names, groups
}

// components names the losses of steps: those of the first step first, each step's
// by name. So a component has the same place in all periods.
func components(steps []Step) []string {
	var names []string
	for _, s := range steps {
		for _, name := range slices.Sorted(maps.Keys(s.Losses)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// LossCharts shows the losses of each period by component, smoothed over a
// twenty-fifth of its lines. The charts are beside each other. A component has the same
// colour in all charts.
func LossCharts(steps []Step) []markup.Lines {
	names, groups := periods(steps)
	parts := components(steps)
	var charts []markup.Lines
	for _, name := range names {
		group := groups[name]
		title := "Losses"
		if name != "" {
			title = "Losses of period " + name
		}
		chart := markup.Lines{Title: title, X: markup.Axis{Label: "step"}, Y: markup.Axis{Label: "loss"}, Smooth: len(group)/25 | 1}
		for _, part := range parts {
			s := markup.Series{Name: part}
			for _, step := range group {
				if v, ok := step.Losses[part]; ok {
					s.Points = append(s.Points, markup.Point{X: float64(step.Step), Y: v})
				}
			}
			chart.Series = append(chart.Series, s)
		}
		if chart.Smooth > 1 {
			chart.Note = fmt.Sprintf("Faint: each step. Strong: mean over %d steps.", chart.Smooth)
			if span := group[len(group)/2].Steps; span > 1 {
				chart.Note = fmt.Sprintf("Faint: means of %d steps, as they were logged. Strong: mean over %d of them.", span, chart.Smooth)
			}
		}
		charts = append(charts, chart)
	}
	return charts
}

// RateChart shows the learning rates by period.
func RateChart(steps []Step) markup.Lines {
	names, groups := periods(steps)
	chart := markup.Lines{Title: "Learning rate", X: markup.Axis{Label: "step"}}
	for _, name := range names {
		s := markup.Series{Name: name}
		if name == "" {
			s.Name = "rate"
		}
		for _, step := range groups[name] {
			if markup.Finite(step.Rate) {
				s.Points = append(s.Points, markup.Point{X: float64(step.Step), Y: step.Rate})
			}
		}
		if len(s.Points) > 0 {
			chart.Series = append(chart.Series, s)
		}
	}
	return chart
}

// LossTable shows how each loss began and ended: means over the first and the last
// twentieth of what a period logged.
func LossTable(steps []Step) markup.Table {
	t := markup.Table{
		Caption: "Losses at the beginning and at the end of each period",
		Columns: []markup.Column{{Name: "Period"}, {Name: "Loss"}, {Name: "Steps", Number: true}, {Name: "First", Number: true},
			{Name: "Last", Number: true}},
		Note: "Means over the first and the last twentieth of the lines that were logged, at least one.",
	}
	names, groups := periods(steps)
	for _, name := range names {
		for _, part := range components(groups[name]) {
			var values []float64
			total := 0
			for _, s := range groups[name] {
				if v, ok := s.Losses[part]; ok {
					values, total = append(values, v), total+s.Steps
				}
			}
			few := max(1, len(values)/20)
			t.Rows = append(t.Rows, markup.Cells(name, part, markup.Number(float64(total), 0), markup.LossText(average(values[:few])),
				markup.LossText(average(values[len(values)-few:]))))
		}
	}
	return t
}

// HeldOutCharts shows the losses on held-out examples of each period that was validated.
func HeldOutCharts(steps []Step) (charts []markup.Lines) {
	names, groups := periods(steps)
	parts := components(steps)
	for _, name := range names {
		title := "Losses on held-out examples"
		if name != "" {
			title += " in period " + name
		}
		chart, drawn := markup.Lines{Title: title, X: markup.Axis{Label: "step"}, Y: markup.Axis{Label: "loss"}}, false
		for _, part := range parts { // each has the colour that it has in the other charts
			s := markup.Series{Name: part}
			for _, step := range groups[name] {
				if v, ok := step.HeldOut[part]; ok {
					s.Points = append(s.Points, markup.Point{X: float64(step.Step), Y: v})
				}
			}
			chart.Series = append(chart.Series, s)
			drawn = drawn || len(s.Points) > 0
		}
		if drawn {
			charts = append(charts, chart)
		}
	}
	return charts
}

// FigureChart shows the figures of tasks by which trainings were validated.
func FigureChart(steps []Step) markup.Lines {
	chart := markup.Lines{Title: "Figures of tasks in the training", X: markup.Axis{Label: "step"}}
	losses := components(steps)
	several := slices.ContainsFunc(steps, func(s Step) bool { return s.Training != steps[0].Training })
	series := map[string]*markup.Series{}
	for _, step := range steps {
		for name, v := range step.HeldOut {
			if slices.Contains(losses, name) {
				continue
			}
			if several {
				name += ", " + step.Training
			}
			if series[name] == nil {
				series[name] = &markup.Series{Name: name}
			}
			series[name].Points = append(series[name].Points, markup.Point{X: float64(step.Step), Y: v})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		chart.Series = append(chart.Series, *series[name])
	}
	return chart
}

// HeldOutTable shows the least losses on held-out examples and where they were.
func HeldOutTable(steps []Step) markup.Table {
	t := markup.Table{
		Caption: "Losses on held-out examples",
		Columns: []markup.Column{{Name: "Period"}, {Name: "Loss"}, {Name: "Validations", Number: true}, {Name: "First", Number: true},
			{Name: "Least", Number: true}, {Name: "After step", Number: true}, {Name: "Last", Number: true}},
		Note: "Without dropout, on the same examples each time. What a period ends with is the model of the step that its training.json names as the best.",
	}
	names, groups := periods(steps)
	for _, name := range names {
		for _, part := range components(groups[name]) {
			var values []float64
			minimum, step := math.Inf(1), 0
			for _, s := range groups[name] {
				if v, ok := s.HeldOut[part]; ok {
					values = append(values, v)
					if v < minimum {
						minimum, step = v, s.Step
					}
				}
			}
			if len(values) > 0 {
				t.Rows = append(t.Rows, markup.Cells(name, part, markup.Number(float64(len(values)), 0), markup.LossText(values[0]),
					markup.LossText(minimum),
					markup.Number(float64(step), 0), markup.LossText(values[len(values)-1])))
			}
		}
	}
	return t
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
