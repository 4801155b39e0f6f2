package beam

import (
	"context"
	"errors"
	"fmt"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/dataflow"
)

// DataflowOptions are those of the service, and what becomes of a job there when
// its launcher does not wait for it.
type DataflowOptions struct {
	dataflow.Options
	// Detach returns when the job is submitted, with a Detached error.
	Detach bool `help:"Return when the job is submitted: it goes on by itself." group:"Dataflow"`
	// Interrupted is asked when the launcher is interrupted whether the job goes on;
	// nil means that it does not.
	Interrupted func(dataflow.Job) (goesOn bool) `kong:"-" json:"-"`
}

// Detached is the error of a run whose job goes on at the service.
type Detached struct{ Job dataflow.Job }

// Error names the job.
func (d *Detached) Error() string {
	return fmt.Sprintf("job %s goes on without this command; see %s", d.Job.ID, d.Job.URL)
}

// prepareDataflow builds the request, which checks all that can be checked here.
func prepareDataflow(ctx context.Context, job *units.Job, options DataflowOptions, tell func(string)) (func(context.Context) error, error) {
	request, err := dataflow.Prepare(ctx, job, options.Options)
	if err != nil {
		return nil, err
	}
	if location := options.TemplateLocation; location != "" {
		return func(ctx context.Context) error {
			if err := dataflow.WriteTemplate(ctx, request, location); err != nil {
				return err
			}
			return ErrTemplate
		}, nil
	}
	client, err := dataflow.NewClient(ctx, options.Options)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return runDataflow(ctx, client, request, options, tell) }, nil
}

// ErrTemplate is the end of a run that wrote its request for the launcher of a
// template, which submits it.
var ErrTemplate = errors.New("the request was written for the launcher of the template")

func runDataflow(ctx context.Context, client *dataflow.Client, request *dataflow.Request, options DataflowOptions,
	tell func(string)) error {
	tell("staging and submitting")
	submitted, err := client.Submit(ctx, request)
	if err != nil {
		return err
	}
	if options.Detach {
		return &Detached{submitted}
	}
	job, err := client.Wait(ctx, submitted.ID, func(e dataflow.Event) {
		if e.Message == nil {
			tell(fmt.Sprintf("job %s on Dataflow is %s", e.Job.ID, e.Job.State))
		}
	})
	cause := context.Cause(ctx)
	if cause == nil || job.State.Finished() {
		return err
	}
	job.ID, job.URL = submitted.ID, submitted.URL // it may not have been looked at yet
	if options.Interrupted != nil && options.Interrupted(job) {
		return errors.Join(cause, &Detached{job})
	}
	_, err = client.Cancel(context.WithoutCancel(ctx), job.ID)
	return errors.Join(cause, err)
}
