// Package portable submits jobs to a Beam job service, such as Flink's job server, and
// follows them.
package portable

import (
	"context"
	"errors"
	"fmt"
	"io"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"sentweave/pipelines/units"
)

// Environment says how a runner starts its workers. The program is its own
// worker, so that nothing has to be staged.
type Environment struct {
	urn     string
	payload proto.Message
}

// External is the environment of a worker pool that listens at an address; a
// runner asks it to start workers, and hands on the parameters.
func External(address string, parameters map[string]string) Environment {
	return Environment{graphx.URNEnvExternal,
		&pipepb.ExternalPayload{Endpoint: &pipepb.ApiServiceDescriptor{Url: address}, Params: parameters}}
}

// Process is the environment of a program on the worker's machine that the runner
// starts, with variables added to its own environment.
func Process(program string, variables map[string]string) Environment {
	return Environment{graphx.URNEnvProcess, &pipepb.ProcessPayload{Command: program, Env: variables}}
}

// Graph returns the job as a runner is given it. Window is that of units.Job.Graph.
func Graph(ctx context.Context, job *units.Job, window int, environment Environment) (*pipepb.Pipeline, error) {
	pipeline := sdk.NewPipeline()
	job.Graph(pipeline.Root(), window)
	edges, _, err := pipeline.Build()
	if err != nil {
		return nil, fmt.Errorf("build the graph of %s: %w", job.Plan.Pipeline, err)
	}
	// The SDK's own function knows what a worker can do, and no parameters.
	e, err := graphx.CreateEnvironment(ctx, graphx.URNEnvExternal, func(context.Context) string { return "" })
	if err != nil {
		return nil, err
	}
	e.Urn, e.Dependencies = environment.urn, nil
	if e.Payload, err = proto.Marshal(environment.payload); err != nil {
		return nil, err
	}
	return graphx.Marshal(edges, &graphx.Options{Environment: e})
}

// Submit gives the graph to the job service and starts it. The options are those
// of the runner, by their short names. It returns the service's id of the job.
func Submit(ctx context.Context, client jobpb.JobServiceClient, name string, graph *pipepb.Pipeline, options map[string]any) (
	string, error) {
	settings := map[string]any{"beam:option:app_name:v1": name, "beam:option:job_name:v1": name,
		"beam:option:experiments:v1": []any{"beam_fn_api"}}
	for option, value := range options {
		settings["beam:option:"+option+":v1"] = value
	}
	encoded, err := structpb.NewStruct(settings)
	if err != nil {
		return "", fmt.Errorf("options of the runner: %w", err)
	}
	prepared, err := client.Prepare(ctx, &jobpb.PrepareJobRequest{Pipeline: graph, PipelineOptions: encoded, JobName: name})
	if err != nil {
		return "", fmt.Errorf("prepare the job: %w", err)
	}
	token := ""
	if endpoint := prepared.GetArtifactStagingEndpoint().GetUrl(); endpoint != "" {
		// There is nothing to stage, but a Java service wants to be told so.
		if token, err = runnerlib.Stage(ctx, prepared.GetPreparationId(), endpoint, "", prepared.GetStagingSessionToken()); err != nil {
			return "", fmt.Errorf("stage the job: %w", err)
		}
	}
	started, err := client.Run(ctx, &jobpb.RunJobRequest{PreparationId: prepared.GetPreparationId(), RetrievalToken: token})
	if err != nil {
		return "", fmt.Errorf("submit the job: %w", err)
	}
	return started.GetJobId(), nil
}

// ErrCancelled is the end of a job that was cancelled.
var ErrCancelled = errors.New("the job was cancelled")

// Wait waits until the job has ended. A job that failed gives an error with what
// the runner said of it, a cancelled one ErrCancelled.
func Wait(ctx context.Context, client jobpb.JobServiceClient, id string) error {
	stream, err := client.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: id})
	if err != nil {
		return fmt.Errorf("follow job %s: %w", id, err)
	}
	failed, said := false, ""
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("follow job %s: %w", id, err)
		}
		switch state := message.GetStateResponse().GetState(); state {
		case jobpb.JobState_DONE:
			return nil
		case jobpb.JobState_CANCELLED:
			return ErrCancelled
		case jobpb.JobState_FAILED:
			failed = true
		}
		if m := message.GetMessageResponse(); m.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR {
			said = m.GetMessageText()
		}
		if failed && said != "" {
			return &Failure{Job: id, Said: said}
		}
	}
	if failed {
		return &Failure{Job: id}
	}
	state, err := client.GetState(ctx, &jobpb.GetJobStateRequest{JobId: id})
	switch {
	case err != nil:
		return fmt.Errorf("ask for the state of job %s: %w", id, err)
	case state.GetState() == jobpb.JobState_DONE:
		return nil
	case state.GetState() == jobpb.JobState_CANCELLED:
		return ErrCancelled
	}
	return &Failure{Job: id, Said: "the runner ended in the midst of it, state " + state.GetState().String()}
}

// Failure is the end of a job that a runner gave up.
type Failure struct {
	Job string
	// Said is the runner's last word: many lines, or none.
	Said string
}

// OfWorker tells whether it was a worker that failed, by an error of its own.
func (f *Failure) OfWorker() bool { return f.worker() != "" }

// worker returns the message of the worker that failed, if it is in there.
func (f *Failure) worker() string {
	said := errors.New(f.Said)
	if message := units.Unmark(said).Error(); message != f.Said {
		return message
	}
	return ""
}

// Error returns the message of the worker that failed, else what is known.
func (f *Failure) Error() string {
	if f.Said == "" {
		return fmt.Sprintf("job %s failed, and the runner does not say why", f.Job)
	}
	if message := f.worker(); message != "" {
		return message
	}
	return fmt.Sprintf("job %s failed: %s", f.Job, reason(f.Said))
}

// Cancel asks the service to cancel the job.
func Cancel(ctx context.Context, client jobpb.JobServiceClient, id string) error {
	if _, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: id}); err != nil {
		return fmt.Errorf("cancel job %s: %w", id, err)
	}
	return nil
}
