package main

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/runners/beam/flink"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// pipelineFlags are what every pipeline has besides its own configuration.
type pipelineFlags struct {
	Out       string `help:"Folder of the dataset to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another dataset that stands in --out." group:"Output"`
	DryRun    bool   `help:"Print the plan (units, bytes, shards) and do nothing." group:"Running"`
	runnerFlags
	units.Settings
}

// runnerFlags say where pipelines run.
type runnerFlags struct {
	Runner      string        `help:"Engine that runs the job (${enum})." default:"prism" enum:"prism,flink" group:"Running"`
	Parallelism int           `help:"Units in flight; 0 is one a core, or all slots of a cluster." default:"0" group:"Running"`
	Flink       flink.Options `embed:"" prefix:"flink-" group:"Flink"`
}

func (f pipelineFlags) options() beam.Options {
	return beam.Options{Runner: f.Runner, Parallelism: f.Parallelism, Overwrite: f.Overwrite, Flink: f.Flink}
}

// pipelineConfig is the configuration of a pipeline.
type pipelineConfig interface {
	// Validate returns all faults at once, before any work.
	Validate() error
	// Plan lists the inputs and cuts them into units.
	Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error)
}

// runPipeline plans and runs one pipeline, and prints its funnel.
func runPipeline(ctx context.Context, p *command.Program, flags pipelineFlags, config pipelineConfig) error {
	output, err := storage.Absolute(flags.Out) // a worker may have another working folder
	if err != nil {
		return err
	}
	job, err := config.Plan(ctx, output, flags.Settings)
	if err != nil {
		return err
	}
	for _, note := range job.Notes {
		fmt.Fprintf(p.Stderr, "note: %s\n", note)
	}
	if flags.DryRun {
		printPlan(p.Stdout, job)
		return nil
	}
	options := flags.options()
	var end func()
	options.Observe, end = newProgress(p.Stderr)
	m, state, err := beam.Run(ctx, job, options)
	end()
	if ctx.Err() != nil && err != nil {
		return errors.Join(err, command.ErrResumes)
	}
	if err != nil {
		return err
	}
	if state == dataset.Complete {
		fmt.Fprintf(p.Stderr, "%s: %s is complete, nothing to do\n", job.Plan.Pipeline, flags.Out)
	}
	printSummary(p.Stdout, flags.Out, m)
	return nil
}
