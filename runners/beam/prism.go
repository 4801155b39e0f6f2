package beam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"sentweave/pipelines/units"
)

// cancelWait is how long a cancelled job may take to end.
const cancelWait = 30 * time.Second

var (
	prismOnce   sync.Once
	prismClient jobpb.JobServiceClient
	prismErr    error
	prismMutex  sync.Mutex // the SDK's options are flags of the process: one job at a time
	prismJobs   int
)

// startPrism starts the embedded job server once in a process. Having its own
// client, unlike prism.Execute, is what makes cancelling possible.
func startPrism() (jobpb.JobServiceClient, error) {
	prismOnce.Do(func() {
		// What fails comes back as the job's error; a cancelled bundle is no news.
		log.SetupLogging("error", "text")
		slog.SetDefault(slog.New(slog.DiscardHandler))
		listener, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			prismErr = fmt.Errorf("start the embedded runner: %w", err)
			return
		}
		port := listener.Addr().(*net.TCPAddr).Port
		listener.Close()
		prismClient, prismErr = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
		*jobopts.Endpoint = fmt.Sprintf("localhost:%d", port)
		*jobopts.EnvironmentType = "LOOPBACK"
	})
	return prismClient, prismErr
}

func prismRun(ctx context.Context, pipeline *sdk.Pipeline) error {
	prismMutex.Lock()
	defer prismMutex.Unlock()
	client, err := startPrism()
	if err != nil {
		return err
	}
	prismJobs++
	name := fmt.Sprintf("sentweave-%d-%d", os.Getpid(), prismJobs)
	*jobopts.JobName = name
	finished := make(chan error, 1)
	// Not the caller's context: that would drop the connection and leave the job running.
	go func() {
		_, err := universal.Execute(context.WithoutCancel(ctx), pipeline)
		finished <- err
	}()
	select {
	case err := <-finished:
		return units.Unmark(err)
	case <-ctx.Done():
	}
	if err := cancel(client, name); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	select {
	case <-finished:
	case <-time.After(cancelWait):
	}
	return context.Cause(ctx)
}

// cancel ends the job of that name, waiting for it to appear.
func cancel(client jobpb.JobServiceClient, name string) error {
	ctx, stop := context.WithTimeout(context.Background(), cancelWait)
	defer stop()
	for {
		jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
		if err != nil {
			return fmt.Errorf("cancel the job: %w", err)
		}
		for _, j := range jobs.GetJobInfo() {
			if j.GetJobName() == name {
				_, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.GetJobId()})
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cancel the job: it never started: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
