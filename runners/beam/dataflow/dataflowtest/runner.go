package dataflowtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// prismServer is the job server on which jobs run, one for the process.
var prismServer = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	log.SetupLogging("error", "text")
	slog.SetDefault(slog.New(slog.DiscardHandler))
	return prism.CreateJobServer(context.Background(), prism.Options{}) // at a free port
})

// runner runs the jobs of a service.
type runner struct {
	folder string
	server jobpb.JobServiceClient
	jobs   sync.WaitGroup
}

// Run has the service run the jobs that are created from now on: it takes graph and
// worker out of the bucket, and starts the worker as the SDK's container does, in a
// process that has nothing of this one: no environment but where the bucket is, no
// flags, another working folder. When the test ends, the processes do.
func (s *Service) Run(t testing.TB) {
	t.Helper()
	server, err := prismServer()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{folder: t.TempDir(), server: server}
	s.runner = r
	t.Cleanup(func() {
		s.mutex.Lock()
		for _, j := range s.jobs {
			if j.cancel != nil {
				j.cancel()
			}
		}
		s.mutex.Unlock()
		r.jobs.Wait()
	})
}

// start runs a job in the background. The mutex is held.
func (r *runner) start(s *Service, j *job) {
	ctx, cancel := context.WithCancel(context.Background())
	j.cancel = cancel
	copied := clone(&j.Job)
	r.jobs.Go(func() {
		defer cancel()
		err := r.run(ctx, s, copied)
		switch {
		case ctx.Err() != nil:
			_ = s.Advance(copied.Id, "CANCELLING")
			_ = s.Advance(copied.Id, "CANCELLED")
		case err != nil:
			_ = s.Advance(copied.Id, "FAILED", "ERROR "+err.Error(), "BASIC Worker pool stopped.")
		default:
			_ = s.Advance(copied.Id, "DONE", "BASIC Worker pool stopped.")
		}
	})
}

// run runs a job to its end.
func (r *runner) run(ctx context.Context, s *Service, j *df.Job) error {
	o, err := optionsOf(j)
	if err != nil {
		return err
	}
	model, _, err := read(ctx, o.PipelineURL)
	if err != nil {
		return err
	}
	var pipeline pipepb.Pipeline
	if err := proto.Unmarshal(model, &pipeline); err != nil {
		return err
	}
	folder := filepath.Join(r.folder, j.Id)
	if err := prepare(ctx, folder, j); err != nil {
		return err
	}
	defer killWorkers(folder)
	if err := useProcess(&pipeline, filepath.Join(folder, "container")); err != nil {
		return err
	}
	if err := s.Advance(j.Id, "RUNNING", "BASIC Workers have started successfully."); err != nil {
		return err
	}
	options, err := goOptions(j)
	if err != nil {
		return err
	}
	// Not the job's context: that would drop the connection and leave the job running.
	background := context.WithoutCancel(ctx)
	prepared, err := r.server.Prepare(background, &jobpb.PrepareJobRequest{Pipeline: &pipeline, PipelineOptions: options, JobName: j.Id})
	if err != nil {
		return err
	}
	id, err := runnerlib.Submit(background, r.server, prepared.GetPreparationId(), prepared.GetStagingSessionToken())
	if err != nil {
		return err
	}
	finished := make(chan error, 1)
	go func() { finished <- runnerlib.WaitForCompletion(background, r.server, id) }()
	select {
	case err := <-finished:
		return err
	case <-ctx.Done():
		_, err := r.server.Cancel(background, &jobpb.CancelJobRequest{JobId: id})
		if err == nil {
			<-finished
		}
		return errors.Join(ctx.Err(), err)
	}
}

// goOptions are the job's pipeline options as a worker gets them.
func goOptions(j *df.Job) (*structpb.Struct, error) {
	var options map[string]any
	if err := json.Unmarshal(j.Environment.SdkPipelineOptions, &options); err != nil {
		return nil, err
	}
	const key = "beam:option:go_options:v1"
	return structpb.NewStruct(map[string]any{key: options[key]})
}

// container does what the entry point of the SDK's container does: it starts the
// worker with the endpoints of the runner and a file of options. Prism puts the id of
// the worker into quotes, and all of its services are at one endpoint.
const container = `#!/bin/sh
for argument in "$@"; do
  case $argument in
    --id=*) id=$(printf %%s "${argument#--id=}" | tr -d "'") ;;
    --provision_endpoint=*) endpoint=${argument#--provision_endpoint=} ;;
  esac
done
cd %[1]q/work && echo $$ > "../pids/$$" || exit 1
exec env -i PIPELINE_OPTIONS_FILE=%[1]q/options.json STORAGE_EMULATOR_HOST=%[2]q %[1]q/worker \
  --worker=true "--id=$id" "--logging_endpoint=$endpoint" "--control_endpoint=$endpoint" --semi_persist_dir=%[1]q/work \
  >> %[1]q/log 2>&1
`

// prepare writes worker and container of a job into a folder.
func prepare(ctx context.Context, folder string, j *df.Job) error {
	worker, _, err := read(ctx, j.Environment.WorkerPools[0].Packages[0].Location)
	if err != nil {
		return err
	}
	script := fmt.Sprintf(container, folder, os.Getenv("STORAGE_EMULATOR_HOST"))
	return errors.Join(
		os.MkdirAll(filepath.Join(folder, "work"), 0o700), os.MkdirAll(filepath.Join(folder, "pids"), 0o700),
		os.WriteFile(filepath.Join(folder, "options.json"), j.Environment.SdkPipelineOptions, 0o600),
		os.WriteFile(filepath.Join(folder, "worker"), worker, 0o700),
		os.WriteFile(filepath.Join(folder, "container"), []byte(script), 0o700),
	)
}

// useProcess has a graph's workers be started by a command.
func useProcess(pipeline *pipepb.Pipeline, command string) error {
	payload, err := proto.Marshal(&pipepb.ProcessPayload{Command: command})
	if err != nil {
		return err
	}
	for _, environment := range pipeline.GetComponents().GetEnvironments() {
		environment.Urn, environment.Payload = graphx.URNEnvProcess, payload
	}
	return nil
}

// killWorkers ends the workers of a folder. Prism leaves some; a number of a process
// may be another's by now, so that its program is looked at first.
func killWorkers(folder string) {
	list, _ := os.ReadDir(filepath.Join(folder, "pids"))
	for _, entry := range list {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		for range 100 {
			program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
			if err != nil || !strings.HasPrefix(program, folder) {
				break
			}
			if process, err := os.FindProcess(pid); err == nil {
				_ = process.Kill()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
