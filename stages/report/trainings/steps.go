package trainings

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"sentweave/schemas/excerpt"
	"sentweave/schemas/jsonfile"
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
// not. Where a step of a period occurs twice, as after a resumed run, the later one
// counts, in the place of the first. A last line without its end, as a killed run
// leaves it, is passed over if it cannot be read; any other such line is an error
// that has its number. Of a file with more than a million numbers, neighbouring lines of a period are put
// together, to their means. The memory is at most some 300 MB; more than 256 names of numbers or periods
// are an error.
func ReadLosses(r io.Reader) ([]Step, error) { return readLosses(r, mostValues) }

func readLosses(r io.Reader, values int) ([]Step, error) {
	store := keptSteps{most: values, grain: 1, places: map[place]int{}, open: map[string]int{}, names: map[string]string{}}
	reader := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(reader)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read losses: line %d: %w", n, err)
		}
		last := err != nil
		if len(line) > 0 {
			s, err := parseStep(line)
			if err == nil {
				err = store.add(s)
			} else if last {
				err = nil
			}
			if err != nil {
				return nil, fmt.Errorf("read losses: line %d: %w", n, err)
			}
		}
		if last {
			var steps []Step
			for _, k := range store.list {
				steps = append(steps, k.Step)
			}
			countSteps(steps)
			return steps, nil
		}
	}
}

// Bounds of what is kept of a file.
const (
	mostValues = 1 << 20 // numbers of all lines together, from which on lines are put together
	mostNames  = 256     // of numbers and periods
	mostPlaces = 1 << 21 // lines
)

// place is where a line of losses goes.
type place struct {
	step   int
	period string
}

// keptSteps are the lines that are kept.
type keptSteps struct {
	list   []keptStep
	values int // numbers in list
	most   int // numbers from which on more lines are put together
	grain  int // lines that are put together
	places map[place]int
	open   map[string]int    // the last kept step of a period
	names  map[string]string // one text for each name
}

// keptStep is the mean of so many lines.
type keptStep struct {
	Step
	lines int
}

// add keeps a line.
func (k *keptSteps) add(s Step) error {
	for _, numbers := range []*map[string]float64{&s.Losses, &s.HeldOut, &s.Other} {
		if *numbers == nil {
			continue
		}
		canonical := make(map[string]float64, len(*numbers))
		for name, v := range *numbers {
			text, err := k.name(name)
			if err != nil {
				return err
			}
			canonical[text] = v
		}
		*numbers = canonical
	}
	var err error
	if s.Period, err = k.name(s.Period); err != nil {
		return err
	}
	position := place{s.Step, s.Period}
	if i, twice := k.places[position]; twice {
		k.values += s.values() - k.list[i].values()
		k.list[i] = keptStep{s, 1}
		return nil
	}
	if len(k.places) == mostPlaces {
		return fmt.Errorf("there are more than %d steps: this is not a file of losses", mostPlaces)
	}
	k.put(keptStep{s, 1})
	k.places[position] = k.open[s.Period]
	if k.values > k.most {
		k.halve()
	}
	return nil
}

// name returns the one text of a name.
func (k *keptSteps) name(name string) (string, error) {
	text, ok := k.names[name]
	if !ok {
		if len(k.names) == mostNames {
			return "", fmt.Errorf("there are more than %d names of losses, other numbers and periods: this is no file of losses", mostNames)
		}
		text = strings.Clone(name) // without the line that it is in
		k.names[text] = text
	}
	return text, nil
}

// values is how many numbers a line takes; itself takes as much as four.
func (s *Step) values() int { return 4 + len(s.Losses) + len(s.HeldOut) + len(s.Other) }

// put keeps a step behind the others, or puts it together with the last one of its period.
func (k *keptSteps) put(s keptStep) {
	i, ok := k.open[s.Period]
	if ok && k.list[i].lines+s.lines <= k.grain {
		k.values -= k.list[i].values()
		k.list[i].merge(s)
	} else {
		i = len(k.list)
		k.open[s.Period] = i
		k.list = append(k.list, s)
	}
	k.values += k.list[i].values()
}

// halve puts twice as many lines together as before.
func (k *keptSteps) halve() {
	steps, indices := k.list, make([]int, len(k.list))
	k.list, k.values, k.grain = nil, 0, 2*k.grain
	clear(k.open)
	for i, s := range steps {
		k.put(s)
		indices[i] = k.open[s.Period]
	}
	for position, i := range k.places {
		k.places[position] = indices[i]
	}
	k.most = max(k.most, 2*k.values)
}

// merge makes the line the mean of itself and the next one, which counts for as many lines as it was made of. Losses
// on held-out examples are those of the later line that has them.
func (s *keptStep) merge(next keptStep) {
	ours, theirs := float64(s.lines), float64(next.lines)
	mean := func(a, b float64) float64 { return (a*ours + b*theirs) / (ours + theirs) }
	for _, pair := range []struct{ to, from map[string]float64 }{{s.Losses, next.Losses}, {s.Other, next.Other}} {
		for name, v := range pair.from {
			if previous, ok := pair.to[name]; ok {
				v = mean(previous, v)
			}
			pair.to[name] = v
		}
	}
	if next.HeldOut != nil {
		s.HeldOut = next.HeldOut
	}
	s.Step.Step, s.lines = next.Step.Step, s.lines+next.lines
	if s.Rate = mean(s.Rate, next.Rate); math.IsNaN(s.Rate) {
		s.Rate = next.Rate
	}
}

// countSteps sets the number of optimizer steps of each line. Steps are counted through
// the periods of a training; a line that is not after the one before it begins anew.
func countSteps(steps []Step) {
	previous := 0
	for i := range steps {
		s := &steps[i]
		if s.Steps = s.Step - previous; s.Steps <= 0 {
			s.Steps = s.Step
		}
		previous = s.Step
	}
}

// readLine returns a line without its end, and io.EOF with one that has none.
func readLine(reader *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longestLine:
			return nil, fmt.Errorf("more than %d bytes: this is not a file of losses", longestLine)
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
	if err := jsonfile.Unmarshal(line, &fields); err != nil {
		return Step{}, err
	}
	s := Step{Losses: map[string]float64{}, Rate: math.NaN(), Other: map[string]float64{}}
	step, ok := value(fields["step"])
	if !ok || step != math.Trunc(step) || step < 0 || step > math.MaxInt32 {
		return Step{}, fmt.Errorf("step is %s, want a whole number", clip(fields["step"]))
	}
	s.Step = int(step)
	if raw, ok := fields["period"]; ok && jsonfile.Unmarshal(raw, &s.Period) != nil {
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
		if err := jsonfile.Unmarshal(raw, &losses); err != nil {
			return Step{}, fmt.Errorf("%s are %s, want an object", field.name, clip(raw))
		}
		*field.into = make(map[string]float64, len(losses))
		for name, raw := range losses {
			if (*field.into)[name], ok = value(raw); !ok {
				return Step{}, fmt.Errorf("loss %q is %s, want a number", name, clip(raw))
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
	if jsonfile.Unmarshal(raw, &text) == nil {
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
	err := jsonfile.Unmarshal(raw, &v)
	return v, raw != nil && err == nil
}

// clip clips what an error quotes.
func clip(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	return excerpt.Characters(string(raw), 40)
}
