package main

import (
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"sentweave/runners/command"
	"sentweave/runners/models"
	"sentweave/runners/recipe"
)

// gpuSpeed is what a GPU of a data centre keeps up in training with bfloat16, in operations
// a second: a third of what an A100 can do at most.
const gpuSpeed = 1e14

// costs prints what the trainings among the steps take on a GPU. Encoders that are not there
// yet, and begin with one that is elsewhere, are left out.
func costs(p *command.Program, commands []recipe.Command) error {
	pieces, shapes := int64(0), map[string]models.Shape{} // of the encoders, by their folders
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := 0
	for _, step := range commands {
		if !slices.Contains([]string{"vocab", "init", "train"}, step.Verb()) {
			continue
		}
		parsed, _, err := p.Parsed(step.Args)
		if err != nil {
			return err
		}
		switch verb := parsed.(type) {
		case *vocabCommand:
			pieces = int64(verb.Size)
		case *initCommand:
			if s, ok := verb.Shape(pieces); ok {
				shapes[step.Out] = s
			}
		case *trainCommand:
			s, ok := shapes[verb.From]
			if !ok {
				if s, ok = verb.Shape(pieces); !ok {
					fmt.Fprintf(p.Stdout, "%s: what it takes is not known: it begins with %s, which is not there\n", step.Step, verb.From)
					continue
				}
			}
			shapes[step.Out] = s
			for _, c := range verb.Costs(s) {
				if rows++; rows == 1 {
					fmt.Fprintln(t, "\nstep\tperiod\tparameters\tsteps\ttokens\tmemory\tGPU hours\t")
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", step.Step, c.Period, command.Count(s.Parameters()), command.Count(c.Steps), command.Count(c.Tokens),
					command.Size(c.Bytes), hours(c.Operations/gpuSpeed/3600))
			}
		}
	}
	if rows == 0 {
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.Stdout, "At most: every text counts as long as it may be. Memory is that of weights, optimizer and activations in float32, and small trainings took three to four times as much; hours are by 100 TFLOP/s, a third of an A100's peak in bfloat16.")
	return err
}

// hours writes a number of hours with two digits that count, from a hundredth on.
func hours(h float64) string {
	switch {
	case h >= 100:
		return command.Count(int64(math.Round(h)))
	case h < .01:
		return "< 0.01"
	default:
		return fmt.Sprintf("%.2g", h)
	}
}
