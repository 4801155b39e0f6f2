package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sentweave/pipelines/verb"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/command"
)

// jobsVerb is what the programs know of the verb jobs.
var jobsVerb = verb.Verb{
	Name: "jobs", Group: verb.GroupMachine,
	Help: "List, follow and cancel jobs on Dataflow.",
	Examples: []string{
		"jobs list --project PROJECT --region us-central1",
		"jobs follow JOB --project PROJECT --region us-central1",
		"jobs cancel JOB --project PROJECT --region us-central1",
	},
	New: func() any { return new(jobsCommand) },
}

// jobsCommand is about jobs on Dataflow, from whichever machine they were submitted.
type jobsCommand struct {
	Project string `help:"Google Cloud project that the jobs run in." placeholder:"ID" env:"GOOGLE_CLOUD_PROJECT" required:""`
	Region  string `help:"Region that they run in." placeholder:"REGION" required:""`

	List   jobsListCommand   `cmd:"" help:"List the jobs, the latest first."`
	Follow jobsFollowCommand `cmd:"" help:"Show what becomes of a job until it ends."`
	Cancel jobsCancelCommand `cmd:"" help:"Cancel a job and wait until it has stopped."`
}

// client connects as the flags of jobs say.
func (c *jobsCommand) client(ctx context.Context) (*dataflow.Client, error) {
	return dataflow.NewClient(ctx, dataflow.Options{Project: c.Project, Region: c.Region})
}

type jobsListCommand struct {
	All  bool `help:"Also those that have ended."`
	Most int  `help:"List no more than so many." default:"50"`
	JSON bool `name:"json" help:"Print JSON."`
}

// Run implements the verb.
func (c *jobsListCommand) Run(ctx context.Context, p *command.Program, jobs *jobsCommand) error {
	client, err := jobs.client(ctx)
	if err != nil {
		return err
	}
	list := []dataflow.Job{}
	err = client.List(ctx, !c.All, func(j dataflow.Job) bool {
		list = append(list, j)
		return len(list) < c.Most
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return command.PrintJSON(p.Stdout, list)
	}
	if len(list) == 0 {
		fmt.Fprintf(p.Stderr, "no jobs of sentweave in %s, %s; --all lists those that have ended, too\n", jobs.Project, jobs.Region)
		return nil
	}
	t := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "job\tstate\tpipeline\tcreated\tname")
	for _, j := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", j.ID, j.State, j.Pipeline, j.Created.Local().Format(time.DateTime), j.Name)
	}
	return t.Flush()
}

type jobsFollowCommand struct {
	ID string `arg:"" help:"The job's id."`
}

// Run implements the verb.
func (c *jobsFollowCommand) Run(ctx context.Context, p *command.Program, jobs *jobsCommand) error {
	client, err := jobs.client(ctx)
	if err != nil {
		return err
	}
	_, err = client.Wait(ctx, c.ID, func(e dataflow.Event) { printEvent(p.Stdout, e) })
	if ctx.Err() != nil {
		fmt.Fprintf(p.Stderr, "job %s goes on; see %s\n", c.ID, client.JobURL(c.ID))
		return command.Said(command.ExitInterrupted)
	}
	if errors.Is(err, dataflow.ErrCancelled) {
		return fmt.Errorf("%w; what is committed stays", err)
	}
	return err
}

type jobsCancelCommand struct {
	ID string `arg:"" help:"The job's id."`
}

// Run implements the verb.
func (c *jobsCancelCommand) Run(ctx context.Context, p *command.Program, jobs *jobsCommand) error {
	client, err := jobs.client(ctx)
	if err != nil {
		return err
	}
	job, err := client.Cancel(ctx, c.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "job %s: %s\n", job.ID, job.State)
	return nil
}

// printEvent prints a new state or a message of a job.
func printEvent(w io.Writer, e dataflow.Event) {
	if e.Message == nil {
		fmt.Fprintf(w, "job %s: %s\n", e.Job.ID, e.Job.State)
		return
	}
	fmt.Fprintf(w, "%s %s\n", e.Message.Time.Local().Format(time.TimeOnly), command.OneLine(e.Message.Text))
}
