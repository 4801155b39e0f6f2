package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"sentweave/pipelines/units"
	"sentweave/runners/beam"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/flink"
	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/fault"
	"sentweave/schemas/storage"
)

// datasetFlags are what every pipeline has besides its own configuration.
type datasetFlags struct {
	Out       string        `help:"Folder of the dataset to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool          `help:"Delete another dataset in --out." group:"Output"`
	DryRun    bool          `help:"Print the plan (units, bytes, shards) and what it takes, and do nothing." group:"Running"`
	Rate      dataset.Bytes `help:"Input that one core does in a second, for the estimates of --dry-run; as measured on the Debian handbook if not given." placeholder:"SIZE" group:"Running"`
	RunnerFlags
	units.Settings
}

// RunnerFlags say where pipelines run.
type RunnerFlags struct {
	Runner      string               `help:"Where the job runs (${enum})." default:"local" enum:"local,flink,dataflow" group:"Running"`
	Parallelism int                  `help:"Units in flight; 0 is one a core, or all slots of a cluster." default:"0" group:"Running"`
	Flink       flink.Options        `embed:"" prefix:"flink-" group:"Flink"`
	Dataflow    beam.DataflowOptions `embed:"" group:"Dataflow"`
}

// misplaced returns an error for flags of a runner that is not the chosen one: who
// gives them wants the job to run there.
func (f RunnerFlags) misplaced() error {
	flags, err := command.FlagsOf(&f, nil)
	if err != nil {
		return err
	}
	var errs fault.List
	for _, flag := range flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		runner := "dataflow"
		switch {
		case slices.Contains([]string{"runner", "parallelism", "project", "flink-job-server"}, name):
			continue // the last two may be of the environment
		case strings.HasPrefix(name, "flink-"):
			runner = "flink"
		}
		errs.Check(f.Runner == runner, "%s has no effect on the runner %s: give --runner %s, too", name, f.Runner, runner)
	}
	return errs.Err()
}

func (f datasetFlags) options() beam.Options {
	return beam.Options{Runner: f.Runner, Parallelism: f.Parallelism, Overwrite: f.Overwrite, Flink: f.Flink, Dataflow: f.Dataflow}
}

// Config is the configuration of a pipeline.
type Config interface {
	// Validate returns all faults at once, before any work.
	Validate() error
	// Plan lists the inputs and cuts them into units.
	Plan(ctx context.Context, output string, settings units.Settings) (*units.Job, error)
}

// runPipeline plans and runs one pipeline, and prints its funnel.
func runPipeline(ctx context.Context, p *command.Program, flags datasetFlags, config Config) error {
	output, err := storage.Absolute(flags.Out) // a worker may have another working folder
	if err != nil {
		return err
	}
	job, err := config.Plan(ctx, output, flags.Settings)
	if err != nil {
		return err
	}
	if p.Verbose || !p.Brief || !isThere(ctx, job) {
		for _, note := range job.Notes {
			fmt.Fprintf(p.Stderr, "note: %s\n", p.Advice(note))
		}
	}
	options := flags.options()
	if flags.DryRun {
		printPlan(p.Stdout, job)
		return printEstimate(ctx, p, job, options, int64(flags.Rate))
	}
	var end func()
	options.Observe, end = newProgress(p.Stderr)
	options.Dataflow.Interrupted = func(j dataflow.Job) bool { end(); return goesOn(p.Stderr, os.Stdin, j) }
	m, state, err := beam.Run(ctx, job, options)
	end()
	if errors.Is(err, beam.ErrTemplate) {
		return nil
	}
	if detached := (*beam.Detached)(nil); errors.As(err, &detached) {
		fmt.Fprintf(p.Stderr, "%s\n  sentweave jobs follow %s --project %s --region %s\n  sentweave status %s\n",
			detached, detached.Job.ID, options.Dataflow.Project, options.Dataflow.Region, flags.Out)
		if ctx.Err() != nil {
			return command.Said(command.ExitInterrupted)
		}
		return nil
	}
	if ctx.Err() != nil && err != nil {
		if cause := context.Cause(ctx); err.Error() != cause.Error() { // it did not stop as it should
			fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, strings.TrimPrefix(err.Error(), cause.Error()+"\n"))
		}
		return errors.Join(err, command.ErrResumes)
	}
	if err != nil {
		return err
	}
	if state != dataset.Complete || p.Done(job.Plan.Pipeline, flags.Out) {
		PrintSummary(p, flags.Out, m)
		if reporter, ok := config.(interface {
			Shortfalls(m *dataset.Manifest) []string
		}); ok && !p.Quiet {
			for _, text := range reporter.Shortfalls(m) {
				fmt.Fprintf(p.Stdout, "note: %s\n", p.Advice(text))
			}
		}
	}
	return nothingKept(p, flags.Out, m)
}

// isThere says whether the dataset of a job is there.
func isThere(ctx context.Context, job *units.Job) bool {
	_, m, err := dataset.Open(ctx, job.Output)
	return err == nil && m.Plan.Hash == job.Plan.Hash
}

// goesOn asks on a terminal whether the job of a service goes on without its
// launcher. Without an answer it does not.
func goesOn(output io.Writer, input *os.File, job dataflow.Job) bool {
	if !command.IsTerminal(input) {
		return false
	}
	fmt.Fprintf(output, "job %s runs on Dataflow. Cancel it, or detach and let it go on? [c/d] ", job.ID)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(input).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		return strings.HasPrefix(said, "d")
	case <-time.After(time.Minute):
		return false
	}
}
