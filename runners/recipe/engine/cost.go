package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"text/tabwriter"
	"time"

	"sentweave/runners/beam"
	"sentweave/runners/command"
	"sentweave/runners/locations"
	"sentweave/runners/recipe"
	"sentweave/runners/torchverbs/cost"
)

// gpuSpeed is what a GPU of a data centre keeps up in training with bfloat16, in operations
// a second: a third of what an A100 can do at most.
const gpuSpeed = 1e14

// plan prints the command lines of the steps, and what they take, and returns an error if the run
// would not begin.
func (c *runCommand) plan(ctx context.Context, p *command.Program, r *recipe.Recipe, commands []recipe.Command,
	verbs map[string]command.Flags) error {
	for _, step := range commands {
		fmt.Fprintln(p.Stdout, commandLineOf(step.Args))
	}
	look, fault := c.ready(ctx, p, r, commands, verbs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	known, err := costs(p, commands)
	if err == nil {
		err = c.minutes(p, look, commands, known)
	}
	if err == nil {
		for _, text := range look.notes(ctx, commands) {
			fmt.Fprintf(p.Stdout, "note: %s\n", text)
		}
	}
	if err == nil && fault != nil {
		err = fmt.Errorf("the run would not begin: %w", fault)
	}
	return err
}

// minutes prints what the steps take on this machine, and what becomes of their folders: of those whose inputs are
// there, as their own dry run says, of others by what the steps before them write. Steps that are complete take nothing.
func (c *runCommand) minutes(p *command.Program, look *preparation, commands []recipe.Command, known cost.Upstream) error {
	fmt.Fprintln(p.Stdout)
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "step\tverb\tinput\tunits\tCPU minutes\toutput")
	sizes, unknown := map[string]int64{}, false
	for _, step := range commands {
		parsed, inputs, err := p.Parsed(step.Args)
		if err != nil {
			return err
		}
		var e beam.Estimate
		estimated, size, number := false, "", ""
		if job := look.jobs[step.Step]; job != nil {
			e, estimated = beam.EstimateOf(job, verbNamed(p, job.Plan.Pipeline).Rates, 0)
			number = command.Count(int64(len(job.Units)))
		} else {
			volume := int64(0)
			for _, need := range step.Needs {
				volume += sizes[need]
			}
			for _, input := range inputs {
				if input.Flag != "langid" && !c.ofStep(look.recipe, input.Location) {
					volume += locations.BytesBelow(input.Location)
				}
			}
			if volume > 0 {
				kind := cmp.Or(valueIn(step.Args, "near"), valueIn(step.Args, "level")+valueIn(step.Args, "kind"))
				e, estimated = beam.GuessOf(verbNamed(p, step.Verb()).Rates, kind,
					valueIn(step.Args, "pairs") != "", valueIn(step.Args, "langid") != "", volume)
				e.Bytes = volume
			}
		}
		if e.Bytes > 0 {
			size = command.Size(e.Bytes)
		}
		if sizes[step.Step] = e.Written; e.Written == 0 {
			sizes[step.Step] = int64(verbNamed(p, step.Verb()).Makes.Share * float64(e.Bytes))
		}
		took := time.Duration(0)
		if estimated {
			took = e.Time(1)
		}
		if verb, ok := parsed.(computer); ok {
			if operations, ok := verb.Operations(known, e.Bytes); ok {
				took, estimated = time.Duration(operations/cost.CPUSpeed*float64(time.Second)), true
			}
		}
		text := "not known"
		outcome := look.fates[step.Step].is
		switch {
		case outcome == fateComplete:
			text, estimated, sizes[step.Step] = "", true, locations.BytesBelow(step.Out)
		case estimated:
			text = twoDigits(took.Minutes(), .1)
		}
		unknown = unknown || !estimated
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", step.Step, step.Verb(), size, number, text, outcome)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	text := "Of one core, by rates that were measured on other texts; of encoders by their operations, where texts in training count as long as they may be."
	if unknown {
		text += " What is not known depends on an engine or on inputs that are not there, or nobody has measured it."
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}

// twoDigits writes a number with two digits that count, from the least on that is told.
func twoDigits(x, least float64) string {
	switch {
	case x >= 100:
		return command.Count(int64(math.Round(x)))
	case x < least:
		return fmt.Sprint("< ", least)
	default:
		return fmt.Sprintf("%.2g", x)
	}
}

// costs prints what the trainings among the steps take on a GPU. Encoders that are not there
// yet, and begin with one that is elsewhere, are left out. It returns what is known of the encoders.
func costs(p *command.Program, commands []recipe.Command) (known cost.Upstream, err error) {
	known.Shapes = map[string]cost.Shape{}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := 0
	for _, step := range commands {
		parsed, _, err := p.Parsed(step.Args)
		if err != nil {
			return known, err
		}
		if verb, ok := parsed.(vocabularyMaker); ok {
			known.Pieces = verb.Pieces()
		}
		verb, ok := parsed.(encoderMaker)
		if !ok {
			continue
		}
		s, ok := verb.Shape(known)
		if ok {
			known.Shapes[step.Out] = s
		}
		trainer, trains := parsed.(trainer)
		if trains && !ok {
			fmt.Fprintf(p.Stdout, "%s: what it takes is not known: it begins with %s, which is not there\n", step.Step,
				valueIn(step.Args, "from"))
		}
		if !trains || !ok {
			continue
		}
		for _, c := range trainer.Periods(s) {
			if rows++; rows == 1 {
				fmt.Fprintln(t, "\nstep\tperiod\tparameters\tsteps\ttokens\tmemory\tGPU hours\t")
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", step.Step, c.Period, command.Count(s.Parameters()), command.Count(c.Steps),
				command.Count(c.Tokens), command.Size(c.Bytes), twoDigits(c.Operations/gpuSpeed/3600, .01))
		}
	}
	if rows == 0 {
		return known, nil
	}
	if err := t.Flush(); err != nil {
		return known, err
	}
	_, err = fmt.Fprintln(p.Stdout,
		"At most: every text counts as long as it may be, where most are much shorter. Memory is that of weights, optimizer and activations, and small trainings took three to four times as much; hours are by 100 TFLOP/s, a third of an A100's peak in bfloat16.")
	return known, err
}
