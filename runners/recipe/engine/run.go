// Package engine runs recipes: it makes the command lines of the steps, says before any work what they lack, what they
// cost and what becomes of what is in their folders, and runs them one after another. It knows verbs by the list
// of the program alone: by their values, and by the methods of their flags in asks.go.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/pipeline"
	"sentweave/runners/recipe"
	"sentweave/runners/recipe/openlineage"
	"sentweave/runners/recipe/record"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// Verb is what the programs know of the verb run.
var Verb = verb.Verb{
	Name: "run", Group: verb.GroupLook,
	Help: "Run a recipe: a whole experiment.",
	Examples: []string{
		"run pages --out data --set input=pages",
		"run --list",
		"run pages --list",
	},
	Makes: verb.Output{Rows: "recipe", Mark: recipe.RunName,
		Is: "a recipe, whose datasets lie in folders of their own (`sentweave status` lists them)", Copies: true},
	New: func() any { return new(runCommand) },
}

// runnerFlags are embedded under a name that is not exported: the parser would check them for runners that are not
// chosen.
type runnerFlags = pipeline.RunnerFlags

type runCommand struct {
	Recipe    string            `arg:"" optional:"" help:"Name of an embedded recipe, or path of a YAML file."`
	List      bool              `help:"List the parameters of the recipe, with --set as they are then, or of all that are embedded."`
	Out       string            `help:"Folder under which every step has its own." placeholder:"DIR"`
	Set       map[string]string `help:"Set a parameter of the recipe, or any flag of a step, as STEP.FLAG=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	Only      []string          `help:"Run only these steps." placeholder:"STEP"`
	From      string            `help:"Run this step and those after it." placeholder:"STEP"`
	DryRun    bool              `help:"Print the command lines, their cost, and what would keep the run from beginning, and do nothing."`
	Estimate  bool              `help:"Run what comes before the first step that may cost money, print what that step would send, and stop."`
	Overwrite bool              `help:"Delete another dataset that is in a step's folder."`
	Events    string            `name:"openlineage" help:"Tell what each step reads and makes, as events of OpenLineage: append to this file, or send to this service, with the key in OPENLINEAGE_API_KEY if it wants one." placeholder:"FILE|URL"`
	runnerFlags

	makes    map[string]verb.Product // by the steps of the recipe
	settings map[string][]string     // of the steps, for their records
	idle     []string                // notes on settings of steps alone that do not run
}

// Validate returns all faults of the flags.
func (c *runCommand) Validate() error {
	if c.List {
		if c.Recipe == "" && len(c.Set) > 0 {
			return errors.New("name a recipe: --list with --set lists what holds then in one")
		}
		return nil
	}
	var errs fault.List
	errs.Check(c.Recipe != "", "name a recipe; --list lists those that are embedded")
	if c.Out == "" && c.Recipe != "" { // a typo in its name is told, too
		_, err := recipe.Load(context.Background(), c.Recipe)
		errs.Add(err)
	}
	errs.Check(c.Out != "", "give --out, the folder under which every step has its own")
	errs.Check(!c.Dataflow.Detach, "detach has no place in a recipe: each step needs what the one before it has made")
	return errs.Err()
}

// Run implements the verb.
func (c *runCommand) Run(ctx context.Context, p *command.Program) error {
	if c.List {
		return c.list(ctx, p)
	}
	verbs, err := p.Flags()
	if err != nil {
		return err
	}
	r, commands, err := c.commands(ctx, p, verbs)
	if err == nil && c.Estimate {
		commands, err = upToEstimate(verbs, commands)
	}
	if err != nil {
		return command.Usage(err)
	}
	for _, text := range r.Unread {
		fmt.Fprintf(p.Stderr, "note: %s\n", text)
	}
	if c.DryRun {
		return c.plan(ctx, p, r, commands, verbs)
	}
	look, err := c.ready(ctx, p, r, commands, verbs)
	if err != nil {
		return err
	}
	note := func(text string) { fmt.Fprintf(p.Stderr, "note: %s\n", text) }
	for _, text := range look.notes(ctx, commands) {
		note(text)
	}
	if c.Events != "" {
		if look.events, err = openlineage.Open(c.Events, note); err != nil {
			return err
		}
	}
	started := time.Now()
	if err := c.steps(ctx, p, look, commands); err != nil || c.Estimate {
		return err
	}
	if err := c.publish(ctx, p, r); err != nil {
		return err
	}
	if !p.Quiet {
		fmt.Fprintf(p.Stdout, "recipe %s took %s\n", r.Name, command.Round(time.Since(started)))
	}
	return nil
}

// record returns what is noted of earlier runs of the recipe, without the steps that it
// no longer has and those that are made anew.
func (c *runCommand) record(ctx context.Context, r *recipe.Recipe, commands []recipe.Command) (*record.Record, error) {
	notes, err := record.Read(ctx, c.Out)
	if err != nil {
		return nil, err
	}
	if err := notes.Busy(c.Out, time.Now()); err != nil {
		return nil, err
	}
	if notes.Recipe != r.Name {
		return &record.Record{Recipe: r.Name}, nil
	}
	notes.Forget(func(step string) bool {
		_, exists := r.Find(step)
		return !exists || c.Overwrite && runs(commands, step)
	})
	return notes, nil
}

// steps runs the steps, notes what they take, and prints a summary.
func (c *runCommand) steps(ctx context.Context, p *command.Program, look *preparation, commands []recipe.Command) error {
	r, verbs := look.recipe, look.verbs
	notes, err := c.record(ctx, r, commands)
	if err != nil {
		return err
	}
	end, err := notes.Begin(ctx, c.Out, record.Run{Command: commandLineOf(p.Args), Part: len(c.Only) > 0, Estimate: c.Estimate}, commands)
	if err != nil {
		return err
	}
	way := ""      // out of a refusal because of an earlier step
	fresh := false // whether a step had something to do
	whole := look.events.Begin(ctx, r.Name, nil, nil)
	results, err := recipe.Run(ctx, commands, func(ctx context.Context, step recipe.Command) error {
		if _, trains := look.parsed[step.Step].(trainer); trains {
			if err := look.ahead(ctx, commands, step.Step); err != nil {
				return err
			}
		}
		inside := *p
		inside.Brief = true
		inside.Caller = func(text string) string { return inRecipe(text, r, step.Step, verbs) }
		if c.Estimate || look.fates[step.Step].works() || !locations.LooksWhole(ctx, p.Verbs, step.Out) {
			fresh = true
			if !p.Quiet {
				fmt.Fprintf(p.Stdout, "── %s: %s\n", step.Step, step.Verb())
			}
		}
		stop := record.WatchMemory(func(bytes int64) {
			notes.Note(func(*record.Run) { notes.PeakRSSBytes = max(notes.PeakRSSBytes, bytes) })
		})
		ended := notes.BeginStep(ctx, step.Step, c.settings[step.Step])
		told := look.tell(ctx, whole, step)
		failure := notes.Write(ctx, c.Out)
		err := inside.Execute(ctx, step.Args)
		stop()
		if err != nil && !command.WasSaid(err) {
			err = command.Reword(inside.Advice(err.Error()), err)
		}
		if err == nil && !c.Estimate {
			err = c.emptied(ctx, &inside, r, verbs, step)
		}
		ended(err)
		if way = rebuilt(ctx, p.Verbs, err, step, commands); way != "" && !command.WasSaid(err) {
			err = fmt.Errorf("%w%s", err, way)
		}
		told(faultText(ctx, err, []recipe.Result{{Command: step}}, way))
		return errors.Join(err, failure, notes.Write(context.WithoutCancel(ctx), c.Out))
	})
	fault := faultText(ctx, err, results, way)
	whole.End(ctx, fault, errors.Is(fault, errInterrupted), nil, nil)
	err = errors.Join(err, end(fault))
	if len(results) > 0 && !c.Estimate && !p.Quiet && (fresh || err != nil || p.Verbose) {
		summarize(ctx, p, results)
	}
	if err != nil && ctx.Err() != nil { // below the table, also where another program has said so
		return errors.Join(context.Cause(ctx), command.ErrResumes)
	}
	if command.WasSaid(err) {
		failed := results[len(results)-1].Step
		if errors.Is(err, errPaused) {
			fmt.Fprintf(p.Errors, "%s: step %s ended before its work was done, as it says above; the same command goes on\n", p.Name, failed)
			return err
		}
		if way == "" && verbNamed(p, verbOf(r, failed)).Libtorch {
			way = fmt.Sprintf("; --set %s.FLAG=… sets a flag of this step", failed)
		}
		fmt.Fprintf(p.Errors, "%s: step %s failed, as it says above%s\n", p.Name, failed, way)
	}
	return err
}

// errInterrupted is the fault of a run that is to go on.
var errInterrupted = errors.New("interrupted")

// errPaused is the error of a step that has ended by itself with work left, such as a training after its --max-time.
var errPaused = command.Said(command.ExitInterrupted)

// upToEstimate returns the steps up to the first one that can tell what it costs,
// which is made to tell it.
func upToEstimate(verbs map[string]command.Flags, commands []recipe.Command) ([]recipe.Command, error) {
	for i, step := range commands {
		if _, ok := verbs[step.Verb()]["estimate"]; ok {
			step.Args = append(slices.Clone(step.Args), "--estimate")
			return append(slices.Clone(commands[:i]), step), nil
		}
	}
	return nil, errors.New("estimate: no step of the recipe may cost money")
}

// maxPublished is the largest file that is published, in bytes.
const maxPublished = 256 << 20

// publish copies the files that the recipe names beside the folders of its steps,
// where these have been made.
func (c *runCommand) publish(ctx context.Context, p *command.Program, r *recipe.Recipe) error {
	for _, ref := range r.Publish {
		data, err := storage.ReadLocation(ctx, storage.Join(c.Out, ref.Step, ref.File), maxPublished)
		if errors.Is(err, fs.ErrNotExist) { // not among the steps of this run
			continue
		}
		if err != nil {
			return err
		}
		folder, err := storage.Locate(c.Out)
		if err != nil {
			return err
		}
		name := path.Base(ref.File)
		if err := storage.WriteFile(ctx, folder, name, data, storage.Replace); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, storage.Join(c.Out, name))
	}
	return nil
}

// verbNamed is the verb that a command line begins with, the zero value for none.
func verbNamed(p *command.Program, words string) verb.Verb {
	v, _ := verb.Find(p.Verbs, words)
	return v
}

// rebuilt is the way out of a refusal whose reason may be that an earlier step has been
// made anew, "" for other errors. Of a program that has said itself why it failed, a
// whole output tells that it was refused; a training is never deleted on that ground.
func rebuilt(ctx context.Context, verbs []verb.Verb, err error, step recipe.Command, commands []recipe.Command) string {
	v, _ := verb.Find(verbs, step.Verb())
	refused := errors.Is(err, dataset.ErrOtherPlan) || command.WasSaid(err) && ctx.Err() == nil && v.Libtorch && !v.Makes.Costly &&
		locations.IsUsable(ctx, verbs, step.Out)
	if !refused || len(step.Needs) == 0 {
		return ""
	}
	needs := slices.Compact(slices.Sorted(slices.Values(step.Needs)))
	changed, repeats := slices.Clone(needs), []string(nil)
	index := slices.IndexFunc(commands, func(c recipe.Command) bool { return c.Step == step.Step })
	for _, c := range commands[index:] {
		if slices.ContainsFunc(c.Needs, func(need string) bool { return slices.Contains(changed, need) }) {
			changed, repeats = append(changed, c.Step), append(repeats, c.Step)
		}
	}
	stays := "stays as it is"
	if len(needs) > 1 {
		stays = "stay as they are"
	}
	return fmt.Sprintf("; in a recipe this also happens when %s was made anew: add `--only %s --overwrite` to the same command, which deletes what is in the folders of %s and makes it again; %s %s",
		strings.Join(needs, " or "), strings.Join(repeats, ","), strings.Join(repeats, ", "), recipe.StepsNamed(needs), stays)
}

// commandLineOf prints arguments as a shell reads them.
func commandLineOf(args []string) string {
	var b strings.Builder
	b.WriteString("sentweave")
	for _, a := range args {
		b.WriteByte(' ')
		if strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@%+") != "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		b.WriteString(a)
	}
	return b.String()
}

func summarize(ctx context.Context, p *command.Program, results []recipe.Result) {
	failed := "failed"
	if ctx.Err() != nil {
		failed = "interrupted"
	}
	ctx = context.WithoutCancel(ctx)
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nstep\trows\tsize\tseconds\tfolder")
	for _, r := range results {
		rows, bytes := failed, ""
		if r.Err == nil {
			rows, bytes, _ = locations.Contents(ctx, p.Verbs, r.Out)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f\t%s\n", r.Step, rows, bytes, r.Took.Seconds(), r.Out)
	}
	t.Flush()
}

// faultText is an error for the record: an interrupt has no other words, and a step that
// printed why it failed has its name.
func faultText(ctx context.Context, err error, results []recipe.Result, way string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil || errors.Is(err, errPaused):
		return errInterrupted
	case command.WasSaid(err) && len(results) > 0:
		return fmt.Errorf("step %s failed, as it said on its standard error%s", results[len(results)-1].Step, way)
	}
	return err
}
