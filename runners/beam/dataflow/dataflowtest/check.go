package dataflowtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/proto"

	"sentweave/schemas/storage"
)

// decode reads a job. The service refuses fields that it does not know.
func decode(r *http.Request) (*df.Job, string) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err.Error()
	}
	if len(data) > 20<<20 {
		return nil, "The size of the serialized JSON representation of the pipeline exceeds the allowable limit."
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	j := &df.Job{}
	if err := decoder.Decode(j); err != nil {
		return nil, "Invalid JSON payload received: " + err.Error()
	}
	return j, ""
}

var (
	nameRule  = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	keyRule   = regexp.MustCompile(`^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$`)
	valueRule = regexp.MustCompile(`^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$`)
)

// check returns what the service would refuse a job for: its form, and that what it
// names is staged and whole.
func check(ctx context.Context, j *df.Job, project, region string) string {
	switch {
	case !nameRule.MatchString(j.Name) || len(j.Name) > 1024:
		return fmt.Sprintf("Name %q does not match the expected pattern.", j.Name)
	case j.ProjectId != project:
		return "The project of the job is not that of the address."
	case j.Type != "JOB_TYPE_BATCH":
		return "Unknown job type " + j.Type
	case len(j.Labels) > 64:
		return "A job has at most 64 labels."
	case j.Environment == nil || len(j.Environment.WorkerPools) != 1:
		return "There must be one worker pool."
	}
	for key, value := range j.Labels {
		if !keyRule.MatchString(key) || !valueRule.MatchString(value) || len(key) > 128 || len(value) > 128 {
			return fmt.Sprintf("Label %q=%q does not meet the restrictions.", key, value)
		}
	}
	if goal := j.Environment.FlexResourceSchedulingGoal; goal != "" && goal != "FLEXRS_COST_OPTIMIZED" && goal != "FLEXRS_SPEED_OPTIMIZED" {
		return "Unknown FlexRS goal " + goal
	}
	pool := j.Environment.WorkerPools[0]
	scaling := pool.AutoscalingSettings
	switch {
	case pool.Kind != "harness":
		return "Unknown kind of worker pool " + pool.Kind
	case scaling != nil && scaling.MaxNumWorkers > 0 && pool.NumWorkers > scaling.MaxNumWorkers:
		return "numWorkers cannot exceed maxNumWorkers."
	case scaling != nil && scaling.Algorithm == "AUTOSCALING_ALGORITHM_NONE" && j.Environment.FlexResourceSchedulingGoal != "":
		return "FlexRS requires autoscaling."
	case pool.Subnetwork != "" && !strings.Contains(pool.Subnetwork, "regions/"+region+"/"):
		return "The subnetwork is not in the region of the job."
	}
	for _, experiment := range []string{"use_runner_v2", "use_portable_job_submission"} {
		if !slices.Contains(j.Environment.Experiments, experiment) {
			return "The Go SDK needs the experiment " + experiment
		}
	}
	if failure := checkVersion(j.Environment); failure != "" {
		return failure
	}
	return checkStaged(ctx, j, pool)
}

// checkVersion looks at what tells the service which protocol the workers speak.
func checkVersion(e *df.Environment) string {
	var version struct {
		JobType string `json:"job_type"`
		Major   string `json:"major"`
	}
	if err := json.Unmarshal(e.Version, &version); err != nil || version.JobType != "FNAPI_BATCH" || version.Major == "" {
		return "The version of the job is missing."
	}
	var agent struct{ Name, Version string }
	if err := json.Unmarshal(e.UserAgent, &agent); err != nil || agent.Name == "" || agent.Version == "" {
		return "The user agent of the job is missing."
	}
	return ""
}

// options are what a job tells in its pipeline options about where things are.
type options struct {
	PipelineURL       string `json:"pipelineUrl"`
	PipelineProtoHash string `json:"pipelineProtoHash"`
	Region            string `json:"region"`
	TempLocation      string `json:"tempLocation"`
}

func optionsOf(j *df.Job) (options, error) {
	var parsed struct{ Options options }
	err := json.Unmarshal(j.Environment.SdkPipelineOptions, &parsed)
	return parsed.Options, err
}

// checkStaged looks into the bucket for graph and worker.
func checkStaged(ctx context.Context, j *df.Job, pool *df.WorkerPool) string {
	o, err := optionsOf(j)
	if err != nil {
		return "The pipeline options cannot be read."
	}
	if o.TempLocation == "" || j.Environment.TempStoragePrefix != o.TempLocation {
		return "The temp location is missing."
	}
	model, sum, err := read(ctx, o.PipelineURL)
	if err != nil {
		return "Unable to open the pipeline file: " + err.Error()
	}
	if sum != o.PipelineProtoHash {
		return "The pipeline file is not the one that was sent."
	}
	var pipeline pipepb.Pipeline
	if err := proto.Unmarshal(model, &pipeline); err != nil {
		return "Unable to parse the pipeline file: " + err.Error()
	}
	if len(pool.Packages) != 1 || pool.Packages[0].Name != "worker" {
		return "The Go SDK needs one package, the worker."
	}
	_, sum, err = read(ctx, pool.Packages[0].Location)
	if err != nil {
		return "Unable to open the worker: " + err.Error()
	}
	if sum != pool.Packages[0].Sha256 {
		return "The worker is not the one that was sent."
	}
	return checkEnvironment(&pipeline, pool)
}

// checkEnvironment looks at the container of the workers in the graph.
func checkEnvironment(pipeline *pipepb.Pipeline, pool *df.WorkerPool) string {
	environments := pipeline.GetComponents().GetEnvironments()
	if len(environments) != 1 || len(pool.SdkHarnessContainerImages) != 1 {
		return "There must be one environment."
	}
	image := pool.SdkHarnessContainerImages[0]
	environment := environments[image.EnvironmentId]
	var container pipepb.DockerPayload
	if environment.GetUrn() != graphx.URNEnvDocker || proto.Unmarshal(environment.GetPayload(), &container) != nil ||
		container.GetContainerImage() == "" || container.GetContainerImage() != image.ContainerImage {
		return "The environment is not the container of the worker pool."
	}
	for _, dependency := range environment.GetDependencies() {
		var artifact pipepb.ArtifactUrlPayload
		if dependency.GetRoleUrn() == graphx.URNArtifactGoWorkerRole && dependency.GetTypeUrn() == graphx.URNArtifactURLType &&
			proto.Unmarshal(dependency.GetTypePayload(), &artifact) == nil &&
			artifact.GetUrl() == pool.Packages[0].Location && artifact.GetSha256() == pool.Packages[0].Sha256 {
			return ""
		}
	}
	return "The worker is not among the dependencies of the environment."
}

// read returns an object and its SHA-256.
func read(ctx context.Context, location string) ([]byte, string, error) {
	data, err := storage.ReadLocation(ctx, location, 1<<30)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(data)
	return data, hex.EncodeToString(sum[:]), nil
}
