// Package dataflow runs a job on Google Cloud Dataflow. It checks the options, builds
// the request, stages this program as the worker, submits the job, and follows, lists
// and cancels jobs.
//
// # From job to rows
//
// Prepare builds the complete request and touches no network. Client.Submit stages the
// files of the request and creates the job, which then no longer needs this machine.
// Client.Wait follows a job by its id, from any machine. Units commit by receipts in
// the output folder, so a job that failed or was cancelled resumes when it is
// submitted again.
//
// # What Google receives
//
// Google receives the program, the graph with the configuration of its tasks, and the
// options. It does not receive the environment of the launcher. Credentials are the
// machine's own ("application default") and are sent to the token service alone.
package dataflow

import (
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"

	"sentweave/schemas/storage"
)

// Options say where and on what a job runs. None of them changes its output. The
// tags are read by the command line.
type Options struct {
	Project        string            `help:"Google Cloud project that the job runs in." placeholder:"ID" env:"GOOGLE_CLOUD_PROJECT" group:"Dataflow"`
	Region         string            `help:"Region that the job runs in, such as us-central1: best that of the buckets." placeholder:"REGION" group:"Dataflow"`
	Staging        string            `help:"Folder gs://BUCKET/FOLDER for the program and the graph of the job, and for what the service keeps while it runs." placeholder:"GS" group:"Dataflow"`
	JobName        string            `help:"Name of the job; of two active ones with one name the second is refused. By default a name that follows from plan and output." placeholder:"NAME" group:"Dataflow"`
	Labels         map[string]string `help:"Labels of the job, for the bill: team=nlp;purpose=test." placeholder:"KEY=VALUE" group:"Dataflow"`
	ServiceAccount string            `help:"Account that the workers run as, instead of Compute Engine's default." placeholder:"EMAIL" group:"Dataflow"`
	MachineType    string            `help:"Compute Engine machine type of the workers (${default})." default:"e2-standard-4" placeholder:"TYPE" group:"Dataflow"`
	Workers        int               `help:"Workers at the start; with --autoscaling=NONE, all. 0: the service chooses." default:"0" placeholder:"N" group:"Dataflow"`
	MaxWorkers     int               `help:"Bound of the workers, and so of the cost of an hour (${default})." default:"16" placeholder:"N" group:"Dataflow"`
	Autoscaling    string            `help:"THROUGHPUT_BASED, the default, or NONE, a fixed number." default:"THROUGHPUT_BASED" enum:"THROUGHPUT_BASED,NONE" placeholder:"HOW" group:"Dataflow"`
	WorkerImage    string            `help:"Container image of the workers, instead of the Beam SDK's own." placeholder:"IMAGE" group:"Dataflow"`
	FlexRS         bool              `name:"flexrs" help:"Run later, within six hours, and cheaper, on machines that may be taken away." group:"Dataflow"`
	PrivateIPs     bool              `name:"private-ips" help:"Give workers no public address; the subnetwork needs Private Google Access." group:"Dataflow"`
	Network        string            `help:"Network of the workers." placeholder:"NAME" group:"Dataflow"`
	Subnetwork     string            `help:"Subnetwork of the workers, as regions/REGION/subnetworks/NAME." placeholder:"NAME" group:"Dataflow"`
	DiskGB         int               `name:"disk-gb" help:"Disk of each worker in GB, at least 30. 0: the service chooses." default:"0" placeholder:"GB" group:"Dataflow"`
	WorkerBinary   string            `help:"Program that the workers run: a build of this one for Linux. By default this very file." placeholder:"FILE" group:"Dataflow"`

	// TemplateLocation is where the request is written instead of being submitted, for
	// the launcher of a template: see LaunchArguments.
	TemplateLocation string `hidden:"" help:"Write the request there and do not submit it." placeholder:"GS" group:"Dataflow"`

	// Endpoint replaces the address of the service; empty for Google's, or for that
	// in $SENTWEAVE_DATAFLOW_ENDPOINT. It is for tests, and so no flag.
	Endpoint string `kong:"-" json:"-"`
}

// EndpointVariable names the environment variable that replaces the address of the
// service.
const EndpointVariable = "SENTWEAVE_DATAFLOW_ENDPOINT"

// DefaultMachineType is the machine type where the options have none. The service
// would choose one, too, but then nobody knew how many units may be in flight.
const DefaultMachineType = "e2-standard-4"

// DefaultWorkerImage is the image where the options have none: the Go SDK's own in
// Google's registry, which workers without public addresses reach, too. The SDK's
// Dataflow runner takes it in the place of core.DefaultDockerImage.
const DefaultWorkerImage = "gcr.io/cloud-dataflow/v1beta3/beam_go_sdk:" + core.SdkVersion

const (
	autoscalingOn  = "THROUGHPUT_BASED"
	autoscalingOff = "NONE"
)

func (o Options) endpoint() string {
	endpoint := o.Endpoint
	if endpoint == "" {
		endpoint = os.Getenv(EndpointVariable)
	}
	if endpoint == "" {
		return ""
	}
	return strings.TrimSuffix(endpoint, "/") + "/"
}

func (o Options) machineType() string {
	if o.MachineType == "" {
		return DefaultMachineType
	}
	return o.MachineType
}

func (o Options) workerImage() string {
	if o.WorkerImage == "" {
		return DefaultWorkerImage
	}
	return o.WorkerImage
}

func (o Options) autoscaling() string {
	if o.Autoscaling == "" {
		return autoscalingOn
	}
	return o.Autoscaling
}

// staged returns the location of something in the staging folder.
func (o Options) staged(names ...string) string {
	return storage.Join(strings.TrimRight(o.Staging, "/"), names...)
}
