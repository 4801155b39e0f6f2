package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/pipelines/identifier"
	"sentweave/pipelines/units"
	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/libtorch"
	"sentweave/runners/locations"
	"sentweave/runners/pipeline"
	"sentweave/runners/recipe"
	"sentweave/runners/recipe/openlineage"
	"sentweave/runners/recipe/record"
	"sentweave/runners/torchverbs/cost"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// inRecipe writes the flags of a step that a text names as --set sets them in a recipe.
// Flags that run has, too, are left as they are, unless a parameter sets them.
func inRecipe(text string, r *recipe.Recipe, step string, verbs map[string]command.Flags) string {
	flags := verbs[verbOf(r, step)]
	return command.RewriteFlags(text, func(name string) string {
		flag, exists := flags[name]
		_, shared := verbs["run"][name]
		setting := r.Setting(step, name)
		switch {
		case !exists || setting == "" || shared && strings.Contains(setting, "."):
			return ""
		case flag.Bool:
			return "--set " + setting + "=true"
		}
		return "--set " + setting + "=…"
	})
}

// verbOf is the verb of a step, "" if the recipe has no such step.
func verbOf(r *recipe.Recipe, step string) string {
	s, _ := r.Find(step)
	return s.Run
}

// vacant returns an error if the folder of a first run is the place of something else.
func (c *runCommand) vacant(ctx context.Context, p *command.Program) error {
	folder, err := storage.Locate(c.Out)
	if err != nil {
		return err
	}
	if _, err := folder.Stat(ctx, recipe.RunName); err == nil {
		return nil // its own
	}
	return locations.Occupied(ctx, p.Verbs, c.Out, recipe.RunName)
}

// ready says at once what the steps lack: inputs, models, engines, programs, room, and folders in which nothing
// else stands. A fault in the last step must not cost the hours of the first.
//
// A dry run also plans the steps that read nothing that this run makes, as a run does if something is in
// their folders: they read their inputs whole, which a run else leaves to the steps.
func (c *runCommand) ready(ctx context.Context, p *command.Program, r *recipe.Recipe, commands []recipe.Command,
	verbs map[string]command.Flags) (*preparation, error) {
	look := &preparation{runCommand: c, program: p, recipe: r, verbs: verbs, parsed: map[string]any{}, jobs: map[string]*units.Job{},
		fates: map[string]fate{}, bad: map[string]bool{}, lacking: map[string]bool{}, read: map[string]error{}, devices: map[string]error{}}
	if err := c.vacant(ctx, p); err != nil {
		return look, err
	}
	if _, err := c.record(ctx, r, commands); err != nil { // another launcher is at work
		return look, err
	}
	earlier, err := record.Read(ctx, c.Out)
	if err != nil {
		return look, err
	}
	look.earlier = earlier.Settings(r.Name)
	upstream := cost.Upstream{Shapes: map[string]cost.Shape{}}
	for _, step := range commands {
		parsed, inputs, err := p.Parsed(step.Args)
		if err != nil {
			return look, err
		}
		look.parsed[step.Step] = parsed
		faults := []error{look.absent(commands, step.Step)}
		bad, encoders := look.inputs(ctx, step, inputs)
		faults = append(faults, bad...)
		if preparer, ok := parsed.(preparer); ok {
			faults = append(faults, preparer.Prepared(ctx, p, c.Estimate))
		}
		if maker, ok := parsed.(encoderMaker); ok {
			if s, ok := maker.Shape(upstream); ok {
				upstream.Shapes[step.Out] = s
			}
		}
		if taker, ok := parsed.(layerTaker); ok {
			faults = append(faults, taker.CheckLayer(upstream))
		}
		_, paid := parsed.(payer) // an estimate needs less than the step
		if estimate := paid && c.Estimate; errors.Join(faults...) == nil && !estimate {
			faults = append(faults, look.decide(ctx, step))
		} else {
			look.fates[step.Step] = fate{doubtful: true}
		}
		if errors.Join(faults...) == nil { // the decision may have told them
			faults = append(faults, look.batches(ctx, step))
		}
		faults = append(faults, look.kinds(step), look.untranslated(ctx, step))
		alone, optional := parsed.(command.Alone)
		if v := verbNamed(p, step.Verb()); v.Libtorch || v.Encodes && encoders || optional && !alone.Alone() {
			faults = append(faults, look.torch(ctx, step))
		}
		for _, err := range faults {
			if err != nil {
				look.bad[step.Step] = true
				look.add(step.Step, inRecipe(err.Error(), r, step.Step, verbs))
			}
		}
	}
	look.wayToLacking(commands)
	look.refused(ctx, commands)
	if err := look.err(); err != nil {
		return look, err
	}
	return look, c.disk(ctx, p, commands)
}

// preparation is what is known of the steps that were looked at.
type preparation struct {
	*runCommand
	faultsOfSteps
	program       *command.Program
	recipe        *recipe.Recipe
	verbs         map[string]command.Flags
	parsed        map[string]any        // the verbs of the steps
	earlier       map[string][]string   // the settings with which earlier runs made their outputs
	jobs          map[string]*units.Job // that were planned
	fates         map[string]fate       // of the steps
	bad           map[string]bool       // steps that have faults
	lacking       map[string]bool       // steps that do not run, and of which others read what is not there
	read, devices map[string]error      // of locations and devices that several steps name
	threads       int                   // those of libtorch, if it was asked
	asked         bool
	events        *openlineage.Log // nil for none
}

// decide plans a step of a pipeline that reads nothing which this run makes, where a dry run wants the plan or
// something is in its folder, and else looks at it. Then it decides what becomes of the step.
func (l *preparation) decide(ctx context.Context, step recipe.Command) error {
	waits := slices.ContainsFunc(step.Needs, func(need string) bool {
		f, exists := l.fates[need]
		return exists && f.is != fateComplete && !l.isSettled(ctx, step, need)
	})
	var err error
	if planner, ok := l.parsed[step.Step].(Planner); ok && !waits {
		if l.DryRun || locations.HoldsAnything(ctx, step.Out) {
			l.jobs[step.Step], err = planner.Planned(ctx)
		} else {
			err = planner.Look(ctx)
		}
	}
	if err != nil {
		l.fates[step.Step] = fate{doubtful: true}
		return err
	}
	l.fates[step.Step], err = l.fate(ctx, step)
	return err
}

// inputs returns the faults of the inputs of a step that no other step makes, and whether an
// encoder is among them or among what others make.
func (l *preparation) inputs(ctx context.Context, step recipe.Command, list []command.Input) (faults []error, encoders bool) {
	encoders = slices.ContainsFunc(
		step.Needs, func(need string) bool { return verbNamed(l.program, verbOf(l.recipe, need)).Makes.Rows == "encoder" })
	v := verbNamed(l.program, step.Verb())
	for _, input := range list {
		if l.ofStep(l.recipe, input.Location) {
			continue
		}
		err := locations.InputFault(ctx, l.program.Verbs, step.Verb(), input)
		kind := locations.KindAt(ctx, l.program.Verbs, input.Location)
		encoder := kind == "encoder" || kind == "" && slices.Contains(input.Takes, "encoder")
		encoders = encoders || encoder
		switch {
		case err != nil:
		case input.Flag == "input" && command.Contains(input.Location, l.Out):
			err = fmt.Errorf("%s holds --out, so that the next step or run would read what this one makes: choose an --out outside of it",
				input.Location)
		case input.Flag == "input" && valueIn(step.Args, "unreadable") != units.UnreadableSkip:
			cached := false
			if err, cached = l.read[input.Location]; !cached {
				err = unreadable(input, l.verbs[step.Verb()], v.Dangling)
				l.read[input.Location] = err
			}
		case input.Flag == "langid":
			_, err = identifier.Open(ctx, input.Location)
		case encoder:
			err = l.checkOutput("encoder", input.Location)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "--"+input.Flag) {
			err = fmt.Errorf("--%s: %w", input.Flag, err)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults, encoders
}

// checkOutput returns an error unless a folder on this machine can be opened as what some verb makes.
func (l *preparation) checkOutput(rows, location string) error {
	verbs := l.program.Verbs
	i := slices.IndexFunc(verbs, func(v verb.Verb) bool { return v.Makes.Rows == rows && v.Makes.Check != nil })
	if i < 0 {
		return nil
	}
	return verbs[i].Makes.Check(location)
}

// torch returns why a step cannot run on libtorch.
func (l *preparation) torch(ctx context.Context, step recipe.Command) error {
	device := valueIn(step.Args, "device")
	if err := libtorch.Fault(); err != nil || device == "" || device == "cpu" {
		return err
	}
	if _, cached := l.devices[device]; !cached {
		l.devices[device] = libtorch.DeviceFault(ctx, device)
	}
	return l.devices[device]
}

// valueIn is the value of a flag in the arguments of a step, as recipes write them.
func valueIn(args []string, flag string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value
		}
	}
	return ""
}

// ofStep says whether a location is, or lies in, the output of a step.
func (c *runCommand) ofStep(r *recipe.Recipe, location string) bool {
	for _, s := range r.Steps {
		folder := storage.Join(c.Out, s.Name)
		if location == folder || strings.HasPrefix(location, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// faultsOfSteps are faults with the steps that have them, each told once.
type faultsOfSteps struct {
	texts []string
	steps map[string][]string
	ways  []string // out of some of them
}

func (f *faultsOfSteps) add(step, text string) {
	if f.steps == nil {
		f.steps = map[string][]string{}
	}
	if _, told := f.steps[text]; !told {
		f.texts = append(f.texts, text)
	}
	if !slices.Contains(f.steps[text], step) {
		f.steps[text] = append(f.steps[text], step)
	}
}

func (f *faultsOfSteps) list() (errs fault.List) {
	for _, text := range f.texts {
		errs.Addf("%s: %s", recipe.StepsNamed(f.steps[text]), text)
	}
	return errs
}

func (f *faultsOfSteps) err() error {
	errs := f.list()
	if len(errs) == 0 {
		return nil
	}
	for _, way := range f.ways {
		errs.Addf("%s", way)
	}
	errs.Addf("nothing was begun")
	return errs.Err()
}

// emptied returns an error if a step left no rows, unless they are only left out of others.
func (c *runCommand) emptied(ctx context.Context, p *command.Program, r *recipe.Recipe, verbs map[string]command.Flags,
	step recipe.Command) error {
	_, m, err := dataset.Open(ctx, step.Out)
	if err != nil || m.Rows > 0 { // it is not a dataset
		return nil
	}
	used, needed := false, false
	for _, s := range r.Steps {
		for _, input := range s.From {
			if slices.ContainsFunc(input.From, func(ref recipe.Reference) bool { return ref.Step == step.Step }) {
				used, needed = true, needed || !verbs[s.Run][input.Flag].Subtracts
			}
		}
	}
	if used && !needed {
		return nil
	}
	return fmt.Errorf("it left no rows: %s", p.Advice(pipeline.WhyEmpty(p.Verbs, m)))
}
