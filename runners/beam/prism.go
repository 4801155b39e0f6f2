package beam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/portable"
)

// cancelWait is how long a cancelled job may take to end.
const cancelWait = 30 * time.Second

// startPrism starts the embedded job server once in a process.
var startPrism = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	// What fails comes back as the job's error; a cancelled bundle is no news.
	log.SetupLogging("error", "text")
	slog.SetDefault(slog.New(slog.DiscardHandler))
	return prism.CreateJobServer(context.Background(), prism.Options{}) // at a free port
})

// prismRun runs the job in this process, so many units at once.
func prismRun(ctx context.Context, job *units.Job, name string, parallelism int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer units.LimitMemory(parallelism)()
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
	graph, err := portable.Graph(background, job, parallelism, portable.External(worker.EnvironmentConfig(background)))
	if err != nil {
		return err
	}
	id, err := portable.Submit(background, client, name, graph, nil)
	if err != nil {
		return err
	}
	finished := make(chan error, 1)
	go func() { finished <- portable.Wait(background, client, id) }()
	select {
	case err := <-finished:
		return err
	case <-ctx.Done():
	}
	limited, stop := context.WithTimeout(background, cancelWait)
	defer stop()
	if err := portable.Cancel(limited, client, id); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	select {
	case <-finished:
	case <-limited.Done():
	}
	return context.Cause(ctx)
}
