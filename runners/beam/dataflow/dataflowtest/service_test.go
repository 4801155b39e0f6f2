package dataflowtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/dataflow/dataflowtest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
)

// emptyTask does nothing: its jobs are never run.
type emptyTask struct{}

func (*emptyTask) Setup(context.Context) error                                    { return nil }
func (*emptyTask) Do(context.Context, units.Env, dataset.Unit, []units.Ref) error { return nil }

func init() { units.Register[*emptyTask]() }

// request is a good one, with what it names staged.
func request(t *testing.T, staging string) *dataflow.Request {
	t.Helper()
	list := []dataset.Unit{{}}
	plan, err := dataset.Draft{Pipeline: "empty", PipelineVersion: 1, Schema: schemas.WordCount{}.Schema(), Config: struct{}{},
		ShardBytes: 1, Units: list}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	head := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\x3e\x00\x01\x00\x00\x00" + strings.Repeat("\x00", 28) +
		"\x40\x00" + strings.Repeat("\x00", 10)
	if err := os.WriteFile(program, []byte(head), 0o700); err != nil {
		t.Fatal(err)
	}
	job := &units.Job{Output: "gs://sentences/out", Plan: plan, Units: list,
		Phases: []units.Phase{units.NewPhase("empty", units.Range{First: 0, Count: 1}, &emptyTask{})}}
	r, err := dataflow.Prepare(t.Context(), job, dataflow.Options{Project: dataflowtest.Project, Region: "us-central1", Staging: staging,
		WorkerBinary: program})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dataflow.Stage(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, location, content string) {
	t.Helper()
	in, name, err := storage.Split(location)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := storage.Locate(in)
	if err == nil && content != "" {
		err = storage.WriteFile(t.Context(), folder, name, []byte(content), storage.Replace)
	} else if err == nil {
		err = folder.Remove(t.Context(), name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The service refuses what the real one would: it is of use only by that.
func TestServiceRefuses(t *testing.T) {
	bucket, service := gcstest.Start(t), dataflowtest.Start(t)
	client, err := df.NewService(t.Context(), option.WithEndpoint(service.Endpoint()+"/"))
	if err != nil {
		t.Fatal(err)
	}
	create := func(project, region string, job *df.Job) error {
		_, err := client.Projects.Locations.Jobs.Create(project, region, job).Context(t.Context()).Do()
		return err
	}
	pool := func(j *df.Job) *df.WorkerPool { return j.Environment.WorkerPools[0] }
	for _, c := range []struct {
		why    string
		damage func(r *dataflow.Request)
	}{
		{"", func(*dataflow.Request) {}},
		{"does not match the expected pattern", func(r *dataflow.Request) { r.Job.Name = "Upper" }},
		{"does not meet the restrictions", func(r *dataflow.Request) { r.Job.Labels["Team"] = "x" }},
		{"Unknown job type", func(r *dataflow.Request) { r.Job.Type = "JOB_TYPE_NONE" }},
		{"not that of the address", func(r *dataflow.Request) { r.Job.ProjectId = "another" }},
		{"cannot exceed maxNumWorkers", func(r *dataflow.Request) {
			pool(r.Job).NumWorkers, pool(r.Job).AutoscalingSettings.MaxNumWorkers = 9, 8
		}},
		{"needs the experiment use_runner_v2", func(r *dataflow.Request) { r.Job.Environment.Experiments = nil }},
		{"Unknown FlexRS goal", func(r *dataflow.Request) { r.Job.Environment.FlexResourceSchedulingGoal = "CHEAP" }},
		{"The version of the job is missing", func(r *dataflow.Request) { r.Job.Environment.Version = nil }},
		{"not in the region", func(r *dataflow.Request) { pool(r.Job).Subnetwork = "regions/europe-west1/subnetworks/a" }},
		{"Unable to open the pipeline file", func(r *dataflow.Request) { put(t, r.ModelURL, "") }},
		{"The pipeline file is not the one", func(r *dataflow.Request) { put(t, r.ModelURL, "half") }},
		{"Unable to open the worker", func(r *dataflow.Request) { put(t, r.WorkerURL, "") }},
		{"The worker is not the one", func(r *dataflow.Request) { put(t, r.WorkerURL, "half") }},
		{"needs one package", func(r *dataflow.Request) { pool(r.Job).Packages = nil }},
		{"not the container", func(r *dataflow.Request) { pool(r.Job).SdkHarnessContainerImages[0].ContainerImage = "another" }},
	} {
		r := request(t, bucket.Folder())
		c.damage(r)
		err := create(dataflowtest.Project, "us-central1", r.Job)
		var answer *googleapi.Error
		if c.why == "" {
			if err != nil {
				t.Error(err)
			}
		} else if !errors.As(err, &answer) || answer.Code != http.StatusBadRequest || !strings.Contains(answer.Message, c.why) {
			t.Errorf("got %v, want %q", err, c.why)
		}
	}
	if service.Jobs() != 1 {
		t.Errorf("%d jobs", service.Jobs())
	}
}

func TestServiceWantsATokenAndKnownFields(t *testing.T) {
	gcstest.Start(t)
	service := dataflowtest.Start(t)
	post := func(token, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, service.Endpoint()+"/v1b3/projects/"+dataflowtest.Project+
			"/locations/us-central1/jobs", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	if code := post("ya29.forged", "{}"); code != http.StatusUnauthorized {
		t.Errorf("a forged token: %d", code)
	}
	client, err := df.NewService(t.Context(), option.WithEndpoint(service.Endpoint()+"/"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Projects.Locations.Jobs.List(dataflowtest.Project, "us-central1").Do(); err != nil {
		t.Fatal(err)
	}
	if code := post(service.Tokens()[0], `{"nonsense": 1}`); code != http.StatusBadRequest {
		t.Errorf("an unknown field: %d", code)
	}
	if data, err := json.Marshal(service.Requests()); err != nil || !strings.Contains(string(data), "/locations/us-central1/jobs") {
		t.Errorf("the requests are not kept: %v", err)
	}
}

func TestStatesFollowEachOther(t *testing.T) {
	bucket, service := gcstest.Start(t), dataflowtest.Start(t)
	client, err := df.NewService(t.Context(), option.WithEndpoint(service.Endpoint()+"/"))
	if err != nil {
		t.Fatal(err)
	}
	job, err := client.Projects.Locations.Jobs.Create(dataflowtest.Project, "us-central1", request(t, bucket.Folder()).Job).Do()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Advance(job.Id, "DONE"); err == nil {
		t.Error("a pending job is done")
	}
	for _, to := range []string{"RUNNING", "CANCELLING", "CANCELLED"} {
		if err := service.Advance(job.Id, to); err != nil {
			t.Error(err)
		}
	}
	if err := service.Advance(job.Id, "RUNNING"); err == nil {
		t.Error("a cancelled job runs")
	}
	_, err = client.Projects.Locations.Jobs.Update(dataflowtest.Project, "us-central1", job.Id,
		&df.Job{RequestedState: "JOB_STATE_CANCELLED"}).Do()
	var answer *googleapi.Error
	if !errors.As(err, &answer) || answer.Code != http.StatusBadRequest {
		t.Errorf("cancelling twice: %v", err)
	}
}
