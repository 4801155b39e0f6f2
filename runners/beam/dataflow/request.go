package dataflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/proto"

	"sentweave/pipelines/units"
	"sentweave/schemas/storage"
)

// The labels of our jobs, by which they are found again.
const (
	pipelineLabel   = "sentweave"
	planLabel       = "sentweave-plan"
	submissionLabel = "sentweave-submission" // set by Submit
)

// experiments are those without which the service does not run a portable pipeline.
var experiments = []string{"beam_fn_api", "use_runner_v2", "use_unified_worker", "use_portable_job_submission"}

// maxRequest is the size of a request that the service takes
// (cloud.google.com/dataflow/docs/request-quotas).
const maxRequest = 20 << 20

// Request is a job as it would be submitted.
type Request struct {
	// Job is what is sent, but for the id of the submission: a field and a label.
	Job *df.Job
	// Pipeline is the graph, staged at ModelURL.
	Pipeline *pipepb.Pipeline
	ModelURL string
	// Binary is the worker, staged at WorkerURL.
	Binary    Binary
	WorkerURL string
	Machine   Machine
	// Notes say what a user should know of it.
	Notes []string

	model []byte
}

// Prepare checks options and job, and builds the request. It reads the worker binary
// and touches no network; equal arguments give equal requests. All faults of the
// options are reported at once.
func Prepare(ctx context.Context, job *units.Job, options Options) (*Request, error) {
	if err := errors.Join(options.Validate(), checkOutput(job)); err != nil {
		return nil, err
	}
	machine, err := ParseMachine(options.machineType())
	if err != nil {
		return nil, err
	}
	binary, err := InspectBinary(ctx, options.WorkerBinary, machine.architecture(), options.WorkerImage != "")
	if err != nil {
		return nil, err
	}
	r := &Request{Binary: binary, Machine: machine, WorkerURL: options.staged(binary.SHA256, workerName)}
	if r.Pipeline, err = r.marshalGraph(ctx, job, options.workerImage()); err != nil {
		return nil, err
	}
	if r.model, err = (proto.MarshalOptions{Deterministic: true}).Marshal(r.Pipeline); err != nil {
		return nil, fmt.Errorf("encode the graph: %w", err)
	}
	sum := sha256.Sum256(r.model)
	hash := hex.EncodeToString(sum[:])
	r.ModelURL = options.staged(binary.SHA256, modelPrefix+hash)
	if r.Job, err = dataflowlib.Translate(ctx, r.Pipeline, options.jobOptions(job, machine, binary), r.WorkerURL, r.ModelURL,
		hash); err != nil {
		return nil, fmt.Errorf("translate the graph into a job: %w", err)
	}
	body, err := r.JSON()
	if err != nil {
		return nil, err
	}
	if len(body) > maxRequest {
		return nil, fmt.Errorf("the job's request has %d bytes, the service takes %d", len(body), maxRequest)
	}
	r.note(options)
	return r, nil
}

// The last part of the worker's name must be this: the service names the file by it.
const workerName = "worker"

const modelPrefix = "model-"

// marshalGraph encodes the job's graph for the machine and the binary of the request, with
// workers in containers of the image.
func (r *Request) marshalGraph(ctx context.Context, job *units.Job, image string) (*pipepb.Pipeline, error) {
	pipeline := sdk.NewPipeline()
	job.Graph(pipeline.Root(), r.Machine.Window())
	edges, _, err := pipeline.Build()
	if err != nil {
		return nil, fmt.Errorf("build the graph: %w", err)
	}
	if err := checkLocations(edges); err != nil {
		return nil, err
	}
	environment, err := graphx.CreateEnvironment(ctx, graphx.URNEnvDocker, func(context.Context) string { return image })
	if err != nil {
		return nil, fmt.Errorf("describe the workers: %w", err)
	}
	model, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return nil, fmt.Errorf("encode the graph: %w", err)
	}
	payload, err := proto.Marshal(&pipepb.ArtifactUrlPayload{Url: r.WorkerURL, Sha256: r.Binary.SHA256})
	if err != nil {
		return nil, err
	}
	return model, graphx.UpdateDefaultEnvWorkerType(graphx.URNArtifactURLType, payload, model)
}

// jobOptions are what the SDK translates into a request.
func (o Options) jobOptions(job *units.Job, machine Machine, binary Binary) *dataflowlib.JobOptions {
	labels := maps.Clone(o.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[pipelineLabel], labels[planLabel] = job.Plan.Pipeline, shortHash(job.Plan.Hash)
	flexRS := ""
	if o.FlexRS {
		flexRS = "FLEXRS_COST_OPTIMIZED"
	}
	maximum := int64(o.MaxWorkers)
	if o.autoscaling() == autoscalingOff {
		maximum = 0
	}
	return &dataflowlib.JobOptions{
		Name: o.jobName(job), Experiments: slices.Clone(experiments), Project: o.Project, Region: o.Region,
		Network: o.Network, Subnetwork: o.Subnetwork, NoUsePublicIPs: o.PrivateIPs,
		NumWorkers: int64(o.Workers), MaxNumWorkers: maximum, Algorithm: o.autoscaling(), MachineType: machine.Type,
		// As many bundles at once as units: more would wait for the units of others.
		WorkerHarnessThreads: int64(machine.Window()), DiskSizeGb: int64(o.DiskGB), FlexRSGoal: flexRS,
		Labels: labels, ServiceAccountEmail: o.ServiceAccount, ContainerImage: o.workerImage(),
		TempLocation: o.staged("tmp"), Worker: binary.Path, WorkerHash: binary.SHA256,
	}
}

// jobName is the same for the same plan and output, so that no two jobs make one
// dataset at once: of two active jobs with one name, the service refuses the second.
func (o Options) jobName(job *units.Job) string {
	if o.JobName != "" {
		return o.JobName
	}
	sum := sha256.Sum256([]byte(job.Plan.Hash + "\x00" + job.Output))
	return namePrefix + job.Plan.Pipeline + "-" + hex.EncodeToString(sum[:6])
}

const namePrefix = "sentweave-"

func shortHash(hash string) string { return hash[:min(len(hash), 16)] }

// checkOutput returns an error unless workers can reach the output folder.
func checkOutput(job *units.Job) error {
	if !storage.IsRemote(job.Output) {
		return fmt.Errorf("the output %s is on this machine, where workers cannot write: give a folder gs://BUCKET/FOLDER", job.Output)
	}
	return nil
}

// JSON is the request's body, indented.
func (r *Request) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r.Job, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return append(data, '\n'), nil
}

func (r *Request) note(options Options) {
	if !r.Binary.Static() {
		r.Notes = append(r.Notes, fmt.Sprintf(
			"the worker binary is dynamic: the image must have its libraries, with a C library no older than this machine's; `%s` builds a static one",
			buildCommand(r.Machine.architecture())))
	}
	if options.PrivateIPs && options.Subnetwork == "" && options.Network == "" {
		r.Notes = append(r.Notes,
			"workers without public addresses reach Google only through a subnetwork with Private Google Access; if the default one has it not, give --subnetwork")
	}
	if r.Machine.Memory == 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the memory of %s is not known here: it should have %d MiB or more", r.Machine.Type,
			units.MemoryBudget(r.Machine.Window())>>20))
	}
	if options.FlexRS {
		r.Notes = append(r.Notes, "with flexrs the job waits in a queue, up to six hours")
	}
}
