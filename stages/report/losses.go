package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"sentweave/schemas/excerpt"
)

// Step is a line that training logged: the means of the optimizer steps since the line
// before.
type Step struct {
	// Step is the last of them, Steps their number.
	Step, Steps int
	// Training is the name of the training, and Period that of the training's period.
	Training, Period string
	// Losses are those of the components: cmlm, bitext. NaN where it is null.
	Losses map[string]float64
	// Rate is the learning rate; NaN where it is not given.
	Rate float64
	// Other holds all other fields that are numbers.
	Other map[string]float64
	// HeldOut are losses on examples that are not trained on, where they were measured
	// after the step; else nil.
	HeldOut map[string]float64
}

// longestLine bounds a line of losses.
const longestLine = 1 << 20

// ReadLosses reads steps from lines of JSON such as
//
//	{"step":10,"period":"br","losses":{"cmlm":6.1,"bitext":2.4},"rate":0.003,"tokens":9600}
//
// Fields with other names are kept if they are numbers and passed over if they are
// not. Where a step of a period stands twice, as after a resumed run, the later one
// counts, in the place of the first. A last line without its end, as a killed run
// leaves it, is passed over if it cannot be read; any other such line is an error
// that has its number.
func ReadLosses(r io.Reader) ([]Step, error) {
	var steps []Step
	places := map[string]int{}
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read losses: line %d: %w", n, err)
		}
		last := err != nil
		if len(line) > 0 {
			s, err := parseStep(line)
			switch {
			case err != nil && last:
			case err != nil:
				return nil, fmt.Errorf("read losses: line %d: %w", n, err)
			default:
				key := strconv.Itoa(s.Step) + " " + s.Period
				if at, twice := places[key]; twice {
					steps[at] = s
				} else {
					places[key] = len(steps)
					steps = append(steps, s)
				}
			}
		}
		if last {
			countSteps(steps)
			return steps, nil
		}
	}
}

// countSteps sets the number of optimizer steps of each line. Steps are counted through
// the periods of a training; a line that is not after the one before it begins anew.
func countSteps(steps []Step) {
	before := 0
	for i := range steps {
		s := &steps[i]
		if s.Steps = s.Step - before; s.Steps <= 0 {
			s.Steps = s.Step
		}
		before = s.Step
	}
}

// readLine returns a line without its end, and io.EOF with one that has none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longestLine:
			return nil, fmt.Errorf("more than %d bytes: this is no file of losses", longestLine)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line, err
		default:
			for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
				line = line[:len(line)-1]
			}
			return line, nil
		}
	}
}

func parseStep(line []byte) (Step, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return Step{}, err
	}
	s := Step{Losses: map[string]float64{}, Rate: math.NaN(), Other: map[string]float64{}}
	step, ok := value(fields["step"])
	if !ok || step != math.Trunc(step) || step < 0 || step > math.MaxInt32 {
		return Step{}, fmt.Errorf("step is %s, want a whole number", shown(fields["step"]))
	}
	s.Step = int(step)
	if raw, ok := fields["period"]; ok && json.Unmarshal(raw, &s.Period) != nil {
		s.Period = string(raw) // periods that are numbered
	}
	for _, field := range []struct {
		name string
		into *map[string]float64
	}{{"losses", &s.Losses}, {"validation", &s.HeldOut}} {
		raw, ok := fields[field.name]
		if !ok {
			continue
		}
		var losses map[string]json.RawMessage
		if err := json.Unmarshal(raw, &losses); err != nil {
			return Step{}, fmt.Errorf("%s are %s, want an object", field.name, shown(raw))
		}
		*field.into = make(map[string]float64, len(losses))
		for name, raw := range losses {
			if (*field.into)[name], ok = value(raw); !ok {
				return Step{}, fmt.Errorf("loss %q is %s, want a number", name, shown(raw))
			}
		}
	}
	for name, raw := range fields {
		if name == "step" || name == "period" || name == "losses" || name == "validation" {
			continue
		}
		if v, ok := value(raw); ok && name == "rate" {
			s.Rate = v
		} else if ok {
			s.Other[name] = v
		}
	}
	return s, nil
}

// value reads a number. JSON has none that are not finite: null and texts such as
// "NaN" and "Infinity" stand for them.
func value(raw json.RawMessage) (float64, bool) {
	if string(raw) == "null" {
		return math.NaN(), true
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		switch text {
		case "NaN", "nan":
			return math.NaN(), true
		case "Infinity", "+Inf", "inf", "Inf":
			return math.Inf(1), true
		case "-Infinity", "-Inf", "-inf":
			return math.Inf(-1), true
		}
		return 0, false
	}
	var v float64
	err := json.Unmarshal(raw, &v)
	return v, raw != nil && err == nil
}

// shown clips what an error quotes.
func shown(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	return excerpt.Characters(string(raw), 40)
}

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
// twenty-fifth of its lines. The charts stand beside each other. A component has the same
// colour in all charts.
func LossCharts(steps []Step) []Lines {
	names, groups := periods(steps)
	parts := components(steps)
	var charts []Lines
	for _, name := range names {
		group := groups[name]
		title := "Losses"
		if name != "" {
			title = "Losses of period " + name
		}
		chart := Lines{Title: title, X: Axis{Label: "step"}, Y: Axis{Label: "loss"}, Smooth: len(group)/25 | 1}
		for _, part := range parts {
			s := Series{Name: part}
			for _, step := range group {
				if v, ok := step.Losses[part]; ok {
					s.Points = append(s.Points, Point{float64(step.Step), v})
				}
			}
			chart.Series = append(chart.Series, s)
		}
		if chart.Smooth > 1 {
			chart.Note = fmt.Sprintf("Faint: each step. Strong: mean over %d steps.", chart.Smooth)
			if each := group[len(group)/2].Steps; each > 1 {
				chart.Note = fmt.Sprintf("Faint: means of %d steps, as they were logged. Strong: mean over %d of them.", each, chart.Smooth)
			}
		}
		charts = append(charts, chart)
	}
	return charts
}

// rateChart shows the learning rates by period.
func rateChart(steps []Step) Lines {
	names, groups := periods(steps)
	chart := Lines{Title: "Learning rate", X: Axis{Label: "step"}}
	for _, name := range names {
		s := Series{Name: name}
		if name == "" {
			s.Name = "rate"
		}
		for _, step := range groups[name] {
			if finite(step.Rate) {
				s.Points = append(s.Points, Point{float64(step.Step), step.Rate})
			}
		}
		if len(s.Points) > 0 {
			chart.Series = append(chart.Series, s)
		}
	}
	return chart
}

// lossTable shows how each loss began and ended: means over the first and the last
// twentieth of what a period logged.
func lossTable(steps []Step) Table {
	t := Table{
		Caption: "Losses at the beginning and at the end of each period",
		Columns: []Column{{Name: "Period"}, {Name: "Loss"}, {"Steps", true}, {"First", true}, {"Last", true}},
		Note:    "Means over the first and the last twentieth of the lines that were logged, at least one.",
	}
	names, groups := periods(steps)
	for _, name := range names {
		for _, part := range components(groups[name]) {
			var values []float64
			taken := 0
			for _, s := range groups[name] {
				if v, ok := s.Losses[part]; ok {
					values, taken = append(values, v), taken+s.Steps
				}
			}
			few := max(1, len(values)/20)
			t.Rows = append(t.Rows, cells(name, part, number(float64(taken), 0), loss(average(values[:few])), loss(average(values[len(values)-few:]))))
		}
	}
	return t
}

// heldOutCharts shows the losses on held-out examples of each period that was validated.
func heldOutCharts(steps []Step) (charts []Lines) {
	names, groups := periods(steps)
	parts := components(steps)
	for _, name := range names {
		title := "Losses on held-out examples"
		if name != "" {
			title += " in period " + name
		}
		chart, any := Lines{Title: title, X: Axis{Label: "step"}, Y: Axis{Label: "loss"}}, false
		for _, part := range parts { // each has the colour that it has in the other charts
			s := Series{Name: part}
			for _, step := range groups[name] {
				if v, ok := step.HeldOut[part]; ok {
					s.Points = append(s.Points, Point{float64(step.Step), v})
				}
			}
			chart.Series = append(chart.Series, s)
			any = any || len(s.Points) > 0
		}
		if any {
			charts = append(charts, chart)
		}
	}
	return charts
}

// figureChart shows the figures of tasks by which trainings were validated.
func figureChart(steps []Step) Lines {
	chart := Lines{Title: "Figures of tasks in the training", X: Axis{Label: "step"}}
	losses := components(steps)
	several := slices.ContainsFunc(steps, func(s Step) bool { return s.Training != steps[0].Training })
	series := map[string]*Series{}
	for _, step := range steps {
		for name, v := range step.HeldOut {
			if slices.Contains(losses, name) {
				continue
			}
			if several {
				name += ", " + step.Training
			}
			if series[name] == nil {
				series[name] = &Series{Name: name}
			}
			series[name].Points = append(series[name].Points, Point{float64(step.Step), v})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(series)) {
		chart.Series = append(chart.Series, *series[name])
	}
	return chart
}

// heldOutTable shows the least losses on held-out examples and where they were.
func heldOutTable(steps []Step) Table {
	t := Table{
		Caption: "Losses on held-out examples",
		Columns: []Column{{Name: "Period"}, {Name: "Loss"}, {"Validations", true}, {"First", true}, {"Least", true}, {"After step", true}, {"Last", true}},
		Note:    "Without dropout, on the same examples each time. What a period ends with is the model of the step that its training.json names as the best.",
	}
	names, groups := periods(steps)
	for _, name := range names {
		for _, part := range components(groups[name]) {
			var values []float64
			least, at := math.Inf(1), 0
			for _, s := range groups[name] {
				if v, ok := s.HeldOut[part]; ok {
					values = append(values, v)
					if v < least {
						least, at = v, s.Step
					}
				}
			}
			if len(values) > 0 {
				t.Rows = append(t.Rows, cells(name, part, number(float64(len(values)), 0), loss(values[0]), loss(least), number(float64(at), 0), loss(values[len(values)-1])))
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
