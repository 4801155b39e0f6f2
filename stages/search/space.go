// Package search tries settings of a training: those of a random search, which stops the losers early, or all that a grid
// has. It reads spaces, draws trials, decides which of them go on, and compares their values. How a trial is trained is a
// function of its caller.
//
// # Determinism
//
// Draw k is a pure function of the space, the seed and k: each setting is drawn by itself, so that another order, and more
// settings in the space, change none of the others. A trial is a draw that is unlike all before it, so that more trials
// change none of the others. Which trials go on is a function of their values. A search
// that was killed at any moment therefore ends as one that was not, as far as its trainings do.
package search

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"sentweave/schemas/yamlfile"
	"sentweave/transforms/random"
)

// Version is raised when the same space and seed give other trials, or the same values another choice of them.
const Version = 1

// Setting is a flag of train and the text of its value.
type Setting struct {
	Flag  string `json:"flag"`
	Value string `json:"value"`
}

// String is the setting on a command line.
func (s Setting) String() string { return "--" + s.Flag + "=" + s.Value }

// Choice is one value of an axis: settings that belong together.
type Choice struct {
	Label    string
	Settings []Setting
}

// Axis is what one entry of a space says: its values are Choices, or the numbers of an interval.
type Axis struct {
	Name    string
	Choices []Choice

	interval *interval
}

// interval are the numbers from low to high, both included.
type interval struct {
	low, high float64
	// ends are the texts of both.
	ends [2]string
	// logarithmic draws each order of magnitude alike, whole draws whole numbers alone.
	logarithmic, whole bool
}

// Space is what trials are drawn from.
type Space struct{ Axes []Axis }

// Parse reads a space, a YAML or JSON file, which has a key for each setting:
//
//	bitext-batch: [128, 256, 512]                    # one of these, each alike
//	steps: [[100, 200], [200, 400]]                  # one of these lists
//	rate: {from: 0.0001, to: 0.01, log: true}        # a number; whole numbers where both ends are
//	head:                                            # one of these sets of settings, by its name
//	  ranker: {lens-head: ranker, lens-margin: 0.1}
//	  classifier: {lens-head: classifier}
//
// Refuse says what is wrong with a setting of that name, "" if nothing is. The error joins all faults with their lines.
func Parse(name string, data []byte, refuse func(flag string) string) (*Space, error) {
	p, root, err := yamlfile.Open(name, data)
	if err != nil {
		return nil, err
	}
	parser := parser{Document: p, refuse: refuse, axes: map[string]string{}}
	s := &Space{}
	entries := p.Entries(root, "the space")
	for _, e := range entries {
		s.Axes = append(s.Axes, parser.axis(e))
	}
	if len(entries) == 0 {
		p.Faultf(1, "the space is empty: give settings of train with the values that they may have")
	}
	return s, p.Err()
}

type parser struct {
	*yamlfile.Document
	refuse func(flag string) string
	// axes are the names of those that have a setting.
	axes map[string]string
}

// axis reads an entry.
func (p *parser) axis(e yamlfile.Entry) Axis {
	a := Axis{Name: e.Key}
	switch v := p.Resolve(e.Value).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		entries := p.Entries(v, e.Key)
		if slices.ContainsFunc(entries, func(e yamlfile.Entry) bool { return p.isMapping(e.Value) }) {
			a.Choices = p.sets(e.Key, entries)
		} else {
			p.accept(e.Key, e.Key, e.Line)
			a.interval = p.interval(e, v)
		}
	case *ast.SequenceNode:
		p.accept(e.Key, e.Key, e.Line)
		for _, n := range v.Values {
			value := strings.Join(p.Scalars(n, e.Key), ",")
			a.Choices = append(a.Choices, Choice{value, []Setting{{e.Key, value}}})
		}
	default:
		p.accept(e.Key, e.Key, e.Line)
		value, _ := p.Scalar(v, e.Key)
		a.Choices = []Choice{{value, []Setting{{e.Key, value}}}}
	}
	if len(a.Choices) == 0 && a.interval == nil {
		p.Faultf(e.Line, "%s has no values: give a list, or {from: …, to: …}", e.Key)
	}
	labels := map[string]bool{}
	for _, c := range a.Choices {
		if labels[c.Label] {
			p.Faultf(e.Line, "%s has the value %s twice", e.Key, c.Label)
		}
		labels[c.Label] = true
	}
	return a
}

func (p *parser) isMapping(n ast.Node) bool {
	switch p.Resolve(n).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// accept adds faults of a setting. All choices of an axis may have the same one, two axes may not.
func (p *parser) accept(flag, axis string, line int) {
	if other, exists := p.axes[flag]; exists && other != axis {
		p.Faultf(line, "%s is a setting of %s and of %s", flag, other, axis)
	}
	p.axes[flag] = axis
	if fault := p.refuse(flag); fault != "" {
		p.Faultf(line, "%s", fault)
	}
}

// sets reads choices of several settings, by their names.
func (p *parser) sets(axis string, entries []yamlfile.Entry) (list []Choice) {
	for _, e := range entries {
		c := Choice{Label: e.Key}
		for _, setting := range p.Entries(e.Value, axis+", "+e.Key) {
			p.accept(setting.Key, axis, setting.Line)
			c.Settings = append(c.Settings, Setting{setting.Key, strings.Join(p.Scalars(setting.Value, setting.Key), ",")})
		}
		list = append(list, c)
	}
	return list
}

// interval reads from and to.
func (p *parser) interval(e yamlfile.Entry, n ast.Node) *interval {
	i := &interval{whole: true}
	number := func(into *float64, end int) func(yamlfile.Entry) {
		return func(number yamlfile.Entry) {
			text, ok := p.Scalar(number.Value, e.Key)
			value, err := strconv.ParseFloat(text, 64)
			if ok && (err != nil || math.IsInf(value, 0) || math.IsNaN(value)) {
				p.Faultf(number.Line, "%s: %s is %q, it must be a number", e.Key, number.Key, text)
			}
			_, err = strconv.ParseInt(text, 10, 64)
			*into, i.ends[end], i.whole = value, text, i.whole && err == nil && math.Abs(value) <= 1<<53
		}
	}
	p.Keys(n, e.Key, map[string]func(yamlfile.Entry){
		"from": number(&i.low, 0), "to": number(&i.high, 1),
		"log": func(log yamlfile.Entry) {
			text, _ := p.Scalar(log.Value, e.Key)
			if i.logarithmic = text == "true"; !i.logarithmic && text != "false" {
				p.Faultf(log.Line, "%s: log is %q, it must be true or false", e.Key, text)
			}
		},
	})
	switch {
	case i.ends[0] == "" || i.ends[1] == "":
		p.Faultf(e.Line, "%s: a range has from and to", e.Key)
	case i.low >= i.high:
		p.Faultf(e.Line, "%s: the range from %s to %s is empty", e.Key, i.ends[0], i.ends[1])
	case i.logarithmic && i.low <= 0:
		p.Faultf(e.Line, "%s: from is %s, it must be above 0 where log is true", e.Key, i.ends[0])
	}
	return i
}

// Draws returns the settings of n trials, no two of them alike: the draws from 0 on, without those that repeat an earlier one.
// Fewer trials are the first ones of more. There are fewer than n where 100 × n draws have no more.
func (s *Space) Draws(seed uint64, n int) (list [][]Setting) {
	drawn := map[string]bool{}
	for k := 0; len(list) < n && k < 100*n; k++ {
		settings := s.Draw(seed, k)
		if name := fmt.Sprint(settings); !drawn[name] {
			drawn[name] = true
			list = append(list, settings)
		}
	}
	return list
}

// Draw returns the settings of draw k, in the order of the space.
func (s *Space) Draw(seed uint64, k int) (settings []Setting) {
	for _, a := range s.Axes {
		stream := random.New(Version, seed, "search", a.Name, int64(k))
		if a.interval != nil {
			settings = append(settings, Setting{a.Name, a.interval.number(stream.Float64())})
			continue
		}
		settings = append(settings, a.Choices[stream.IntN(len(a.Choices))].Settings...)
	}
	return settings
}

// digits of a number that is drawn: as many as anybody would give.
const digits = 4

// number is the text of the number at a share of the interval.
func (i *interval) number(share float64) string {
	low, high := i.low, i.high
	if i.whole {
		high++
	}
	value := low + share*(high-low)
	if i.logarithmic {
		value = math.Exp(math.Log(low) + share*(math.Log(high)-math.Log(low)))
	}
	if i.whole {
		return strconv.FormatInt(int64(min(max(math.Floor(value), i.low), i.high)), 10)
	}
	text := strconv.FormatFloat(value, 'g', digits, 64)
	switch rounded, _ := strconv.ParseFloat(text, 64); {
	case rounded < i.low:
		return i.ends[0]
	case rounded > i.high:
		return i.ends[1]
	}
	return text
}

// Ends returns the settings of each choice of each axis, and of both ends of intervals: what a trial may have.
func (s *Space) Ends() (list [][]Setting) {
	for _, a := range s.Axes {
		for _, c := range a.Choices {
			list = append(list, c.Settings)
		}
		if a.interval != nil {
			for _, end := range a.interval.ends {
				list = append(list, []Setting{{a.Name, end}})
			}
		}
	}
	return list
}

// maxCells bounds a grid.
const maxCells = 10_000

// Cells returns all combinations of the choices, the last axis first: the label of each axis, and the settings together.
func (s *Space) Cells() (labels [][]string, settings [][]Setting, err error) {
	labels, settings = [][]string{nil}, [][]Setting{nil}
	for _, a := range s.Axes {
		if a.interval != nil {
			return nil, nil, fmt.Errorf("%s is a range, from which no grid can be made: give its values as a list", a.Name)
		}
		if len(labels)*len(a.Choices) > maxCells {
			return nil, nil, fmt.Errorf("the grid has more than %d cells", maxCells)
		}
		var moreLabels [][]string
		var moreSettings [][]Setting
		for i := range labels {
			for _, c := range a.Choices {
				moreLabels = append(moreLabels, append(slices.Clip(labels[i]), c.Label))
				moreSettings = append(moreSettings, append(slices.Clip(settings[i]), c.Settings...))
			}
		}
		labels, settings = moreLabels, moreSettings
	}
	return labels, settings, nil
}
