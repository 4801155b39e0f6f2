package beam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"

	"sentweave/pipelines/units"
)

// cancelWait is how long a cancelled job may take to end.
const cancelWait = 30 * time.Second

// startPrism starts the embedded job server once in a process.
var startPrism = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	// What fails comes back as the job's error; a cancelled bundle is no news.
	log.SetupLogging("error", "text")
	slog.SetDefault(slog.New(slog.DiscardHandler))
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, fmt.Errorf("start the embedded runner: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	return prism.CreateJobServer(context.Background(), prism.Options{Port: port})
})

// prismRun runs the pipeline in this process. It submits by itself: the SDK's
// own call does not tell the job's id, without which no job can be cancelled,
// takes its options from flags of the process, and leaves a file a job behind.
func prismRun(ctx context.Context, pipeline *sdk.Pipeline) error {
	client, err := startPrism()
	if err != nil {
		return err
	}
	// Not the caller's context: that would drop the connection and leave the job running.
	background := context.WithoutCancel(ctx)
	worker, err := extworker.StartLoopback(background, 0)
	if err != nil {
		return fmt.Errorf("start the embedded runner's worker: %w", err)
	}
	defer worker.Stop(background)
	job, err := submit(background, client, pipeline, worker)
	if err != nil {
		return err
	}
	finished := make(chan error, 1)
	go func() { finished <- runnerlib.WaitForCompletion(background, client, job) }()
	select {
	case err := <-finished:
		return units.Unmark(err)
	case <-ctx.Done():
	}
	limited, stop := context.WithTimeout(background, cancelWait)
	defer stop()
	if _, err := client.Cancel(limited, &jobpb.CancelJobRequest{JobId: job}); err != nil {
		return errors.Join(context.Cause(ctx), fmt.Errorf("cancel the job: %w", err))
	}
	select {
	case <-finished:
	case <-limited.Done():
	}
	return context.Cause(ctx)
}

var (
	submitMutex sync.Mutex // the SDK reads its options into a map of the process
	submitted   atomic.Int64
)

// submit starts the pipeline with a worker in this process, to which nothing
// has to be staged, and returns the job's id.
func submit(ctx context.Context, client jobpb.JobServiceClient, pipeline *sdk.Pipeline, worker *extworker.Loopback) (string, error) {
	edges, _, err := pipeline.Build()
	if err != nil {
		return "", err
	}
	environment, err := graphx.CreateEnvironment(ctx, "beam:env:external:v1", worker.EnvironmentConfig)
	if err != nil {
		return "", err
	}
	graph, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return "", err
	}
	submitMutex.Lock()
	defer submitMutex.Unlock()
	id, _, _, err := runnerlib.Prepare(ctx, client, graph, &runnerlib.JobOptions{
		Name:     fmt.Sprintf("sentweave-%d-%d", os.Getpid(), submitted.Add(1)),
		Loopback: true,
	})
	if err != nil {
		return "", err
	}
	return runnerlib.Submit(ctx, client, id, "")
}
