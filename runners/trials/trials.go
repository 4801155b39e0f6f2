// Package trials holds the verbs that train several encoders of different settings: search, which keeps the best one, and
// grid, which compares them. A trial is what the verb train makes of the same command line with some flags in the place of
// others.
package trials

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/torchverbs"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/spelling"
	"sentweave/schemas/storage"
	"sentweave/schemas/yamlfile"
	"sentweave/stages/metrics"
	"sentweave/stages/search"
	"sentweave/stages/train"
)

// Verbs are those that train several encoders, in the order of help. Both programs have them.
var Verbs = []verb.Verb{SearchVerb, GridVerb}

// trainer is a program that knows the verb train alone.
func trainer() *command.Program {
	return &command.Program{Name: "sentweave", Verbs: []verb.Verb{torchverbs.TrainVerb}, Stdout: io.Discard, Stderr: io.Discard}
}

// Ranges are the flags that say what trials may have.
type Ranges struct {
	Space string `help:"YAML or JSON file that has settings of train with the values that each may have." placeholder:"FILE" group:"Trials"`
	Vary  string `help:"The same as text, such as '{rate: [0.001, 0.002]}', in the place of --space." placeholder:"YAML" group:"Trials"`

	// given are the flags of the command line that train has.
	given []search.Setting
}

// read notes the flags of the command line.
func (s *Ranges) read(k *kong.Context) {
	flags := map[string]*kong.Flag{}
	for _, group := range k.Selected().AllFlags(false) {
		for _, f := range group {
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				flags[name] = f
			}
		}
	}
	s.given = nil
	for i := 1; i < len(k.Args); i++ { // the first one is the verb
		name, value, written := strings.Cut(strings.TrimPrefix(k.Args[i], "--"), "=")
		f, exists := flags[name]
		if positive, negated := strings.CutPrefix(name, "no-"); !exists && negated && flags[positive] != nil {
			f, exists, value, written = flags[positive], true, "false", true
		}
		switch {
		case !exists: // which kong says
			continue
		case !written && f.IsBool():
			value = "true"
		case !written && i+1 < len(k.Args):
			i++
			value = k.Args[i]
		}
		s.given = append(s.given, search.Setting{Flag: f.Name, Value: value})
	}
}

// alike are the groups of the flags of train that all trials have alike.
var alike = []string{"Output", "Running", "Validation", "Libtorch"}

// refusals returns what is wrong with a setting, and the flags that train has.
func refusals() (refuse func(flag string) string, names []string, err error) {
	parser, err := trainer().Parser()
	if err != nil {
		return nil, nil, err
	}
	var fixed []string
	for _, node := range parser.Model.Leaves(false) {
		if node.Name != torchverbs.TrainVerb.Name {
			continue
		}
		for _, f := range node.Flags {
			names = append(names, f.Name)
			if f.Group == nil || slices.Contains(alike, f.Group.Key) || f.Name == "print-config" {
				fixed = append(fixed, f.Name)
			}
		}
	}
	return func(flag string) string {
		switch {
		case !slices.Contains(names, flag):
			return fmt.Sprintf("train has no setting %s%s", flag, spelling.Proposal(flag, names))
		case slices.Contains(fixed, flag):
			return fmt.Sprintf("%s is one for all trials: give --%s beside the space", flag, flag)
		}
		return ""
	}, names, nil
}

// space reads the space.
func (s *Ranges) space() (*search.Space, error) {
	if (s.Space == "") == (s.Vary == "") {
		return nil, errors.New("give the settings that trials may have by --space or by --vary, one of both")
	}
	refuse, _, err := refusals()
	if err != nil {
		return nil, err
	}
	name, data := "vary", []byte(s.Vary)
	if s.Space != "" {
		name = s.Space
		if data, err = storage.ReadLocation(context.Background(), s.Space, yamlfile.MaxBytes); err != nil {
			return nil, fmt.Errorf("space: %w", err)
		}
	}
	return search.Parse(name, data, refuse)
}

// training is a trial as train knows it.
type training struct {
	search.Trial
	train  *torchverbs.Train
	config train.Config
}

// training parses the command line of a trial. What is given at last counts.
func (s *Ranges) training(names []string, name, location string, settings []search.Setting) (t training, err error) {
	t.Trial = search.Trial{Name: name, Settings: settings, Reached: []search.Reached{}}
	parsed, _, err := trainer().Parsed(append([]string{torchverbs.TrainVerb.Name},
		s.arguments(names, append(slices.Clip(settings), search.Setting{Flag: "out", Value: storage.Join(location, name)}))...))
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "; see `")
		return t, fmt.Errorf("a trial with %s: %s", search.FlagsOf(settings), strings.TrimPrefix(text, torchverbs.TrainVerb.Name+": "))
	}
	t.train = parsed.(*torchverbs.Train)
	t.config, err = t.train.Training()
	for _, p := range t.config.Periods {
		t.Steps += p.Steps
	}
	return t, err
}

// arguments are the flags of train with settings in the place of those of the command line.
func (s *Ranges) arguments(names []string, settings []search.Setting) (arguments []string) {
	for _, given := range s.given {
		own := slices.ContainsFunc(settings, func(o search.Setting) bool { return o.Flag == given.Flag })
		if !own && slices.Contains(names, given.Flag) && given.Flag != "dry-run" {
			arguments = append(arguments, given.String())
		}
	}
	for _, setting := range settings {
		arguments = append(arguments, setting.String())
	}
	return arguments
}

// trainings are what both verbs have: the flags of train, and trainings with some of them changed. The type has no name
// outside, so that kong does not validate the flags of train by themselves, which trials may complete.
type trainings struct {
	torchverbs.Train
	Ranges
	// list are the trials, as Validate has parsed them.
	list []training
}

// BeforeApply is called by kong before the values of flags are set.
func (t *trainings) BeforeApply(k *kong.Context) error {
	t.Ranges.read(k)
	return t.Train.BeforeApply(k)
}

// parse parses trials by their names, and says what train would refuse and why their values would not compare.
func (t *trainings) parse(location string, names []string, settings [][]search.Setting) error {
	_, flags, err := refusals()
	if err != nil {
		return err
	}
	t.list = nil
	var errs fault.List
	for i := 0; i < len(settings) && len(errs) < mostFaults; i++ {
		one, err := t.training(flags, names[i], location, settings[i])
		if err == nil {
			base := one
			if len(t.list) > 0 {
				base = t.list[0]
			}
			err = search.Comparable(base.config, one.config)
		}
		errs.Add(err)
		t.list = append(t.list, one)
	}
	return errs.Err()
}

// mostFaults is how many trials are told that train would refuse.
const mostFaults = 3

// standing says what is in the folders of the trials, or returns the error with which train would refuse one of them.
func (t *trainings) standing(ctx context.Context) (fate dataset.Fate, err error) {
	fates := map[dataset.Fate]int{}
	for _, one := range t.list {
		one.train.Threads = cmp.Or(one.train.Threads, t.Threads)
		is, err := one.train.Standing(ctx)
		if err != nil {
			return dataset.Fresh, fmt.Errorf("trial %s: %w", one.Name, err)
		}
		fates[is]++
	}
	switch len(t.list) {
	case fates[dataset.Complete]:
		return dataset.Complete, nil
	case fates[dataset.Fresh]:
		return dataset.Fresh, nil
	}
	return dataset.Resumed, nil
}

// run carries the trials out. Verb is the one that does, in what is printed.
func (t *trainings) run(ctx context.Context, p *command.Program, o search.Trials, verb string) (finished []int, err error) {
	o.Anew, o.Better = t.Overwrite, t.better()
	brief := *p
	brief.Brief = true
	o.Train = func(ctx context.Context, trial *search.Trial, until int64) (r search.Reached, err error) {
		i := slices.IndexFunc(t.list, func(one training) bool { return one.Name == trial.Name })
		fmt.Fprintf(p.Stderr, "%s: trial %s, %d of %d, up to step %s: %s\n", verb, trial.Name, i+1, len(t.list), command.Count(until),
			search.FlagsOf(trial.Settings))
		result, _, err := t.list[i].train.TrainUntil(ctx, &brief, until)
		if errors.Is(err, train.ErrDiverged) {
			fmt.Fprintf(p.Stderr, "%s: trial %s: %v\n", verb, trial.Name, err)
			return search.Reached{Diverged: train.ErrDiverged.Error()}, nil
		}
		if err != nil {
			return r, err
		}
		r.Taken, r.Tokens = result.Record.Step, tokens(t.list[i].train.Out)
		if v := result.Record.Validated; v == nil || v.Best == 0 {
			return r, fmt.Errorf("there is no validation before step %s of its period: give another --validate-every", command.Count(until))
		} else {
			r.Value, r.Best = v.Value, v.Best
		}
		return r, nil
	}
	o.Stop = func(ctx context.Context, trial *search.Trial) error {
		return train.Release(ctx, storage.Join(o.Location, trial.Name))
	}
	trials := t.trials()
	finished, err = o.Run(ctx, trials)
	for i := range t.list {
		t.list[i].Trial = trials[i]
	}
	if ctx.Err() != nil && err != nil {
		err = errors.Join(err, command.ErrResumes)
	}
	return finished, err
}

// CheckBatches is that of train, of the first trial that has an error.
func (t *trainings) CheckBatches(ctx context.Context, stands func(location string) bool) error {
	return t.firstError(func(one *torchverbs.Train) error { return one.CheckBatches(ctx, stands) })
}

// CheckKinds is that of train, of the first trial that has an error.
func (t *trainings) CheckKinds(describe func(location string) (maker string, kinds []string)) error {
	return t.firstError(func(one *torchverbs.Train) error { return one.CheckKinds(describe) })
}

func (t *trainings) firstError(check func(*torchverbs.Train) error) error {
	for _, one := range t.list {
		if err := check(one.train); err != nil {
			return err
		}
	}
	return nil
}

// Periods are those of all trials together, as if each took all its steps.
func (t *trainings) Periods(s cost.Shape) (list []cost.Period) {
	for _, one := range t.list {
		for _, p := range one.train.Periods(s) {
			i := slices.IndexFunc(list, func(sum cost.Period) bool { return sum.Period == p.Period })
			if i < 0 {
				list = append(list, p)
				continue
			}
			sum := &list[i]
			sum.Steps, sum.Tokens, sum.Operations = sum.Steps+p.Steps, sum.Tokens+p.Tokens, sum.Operations+p.Operations
			sum.Bytes = max(sum.Bytes, p.Bytes)
		}
	}
	return list
}

// Operations are those of all trials.
func (t *trainings) Operations(known cost.Upstream, _ int64) (float64, bool) {
	s, ok := known.Shapes[t.Out]
	return cost.Operations(t.Periods(s), s), ok
}

// Room is that of all trials.
func (t *trainings) Room(known cost.Upstream) (sum int64) {
	for _, one := range t.list {
		sum += one.train.Room(known)
	}
	return sum
}

func (t *trainings) trials() (list []search.Trial) {
	for _, one := range t.list {
		list = append(list, one.Trial)
	}
	return list
}

// tokens sums those of the steps of a training, 0 where its losses are not on this machine.
func tokens(location string) (sum int64) {
	if storage.IsRemote(location) {
		return 0
	}
	lines, err := train.ReadLosses(filepath.Join(location, train.LossesName))
	if err != nil { // somebody has removed them
		return 0
	}
	for _, l := range lines {
		sum += l.Tokens
	}
	return sum
}

// metric is what trials are compared by.
func (t *trainings) metric() string { return t.list[0].config.WithDefaults().Validation.Metric }

// better is 1 where a greater value is better, −1 where a smaller one is.
func (t *trainings) better() int {
	if t.list[0].config.Validation.OfTask() {
		return metrics.ByName(path.Base(t.metric())).Better
	}
	return -1
}
