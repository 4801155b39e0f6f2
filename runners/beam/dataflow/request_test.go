package dataflow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"sentweave/pipelines/units"
	"sentweave/runners/beam/dataflow"
)

// plain are options that need no service.
func plain(t testing.TB) dataflow.Options {
	t.Helper()
	o, err := parse(t, append(required, "--worker-binary="+smallProgram(t))...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func prepare(t testing.TB, o dataflow.Options) *dataflow.Request {
	t.Helper()
	r, err := dataflow.Prepare(t.Context(), pauses(t, "gs://sentences/out", 3, &pausingTask{Fail: -1}), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequestSaysWhatTheOptionsSay(t *testing.T) {
	o := plain(t)
	o.Labels = map[string]string{"team": "nlp"}
	o.ServiceAccount, o.Network, o.Subnetwork = "workers@sentences-test.iam.gserviceaccount.com", "inner",
		"regions/us-central1/subnetworks/inner"
	o.MachineType, o.Workers, o.MaxWorkers, o.DiskGB, o.FlexRS, o.PrivateIPs = "n2-custom-6-8192", 2, 5, 50, true, true
	o.WorkerImage = "us-docker.pkg.dev/sentences-test/images/worker:1.0"
	r := prepare(t, o)
	body, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	// Read as the service does, not by our types.
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	at := func(path string) any {
		var v any = sent
		for part := range strings.SplitSeq(path, ".") {
			switch value := v.(type) {
			case map[string]any:
				v = value[part]
			case []any:
				v = value[0]
			}
		}
		return v
	}
	worker := "gs://sentences/staging/" + r.Binary.SHA256 + "/worker"
	for path, want := range map[string]any{
		"projectId": "sentences-test", "type": "JOB_TYPE_BATCH",
		"labels.team": "nlp", "labels.sentweave": "pauses",
		"environment.serviceAccountEmail":                                                 o.ServiceAccount,
		"environment.flexResourceSchedulingGoal":                                          "FLEXRS_COST_OPTIMIZED",
		"environment.tempStoragePrefix":                                                   "gs://sentences/staging/tmp",
		"environment.version.job_type":                                                    "FNAPI_BATCH",
		"environment.userAgent.version":                                                   core.SdkVersion,
		"environment.sdkPipelineOptions.options.pipelineUrl":                              r.ModelURL,
		"environment.sdkPipelineOptions.options.region":                                   "us-central1",
		"environment.workerPools.0.machineType":                                           "n2-custom-6-8192",
		"environment.workerPools.0.numWorkers":                                            2.,
		"environment.workerPools.0.numThreadsPerWorker":                                   6.,
		"environment.workerPools.0.autoscalingSettings.maxNumWorkers":                     5.,
		"environment.workerPools.0.autoscalingSettings.algorithm":                         "AUTOSCALING_ALGORITHM_BASIC",
		"environment.workerPools.0.diskSizeGb":                                            50.,
		"environment.workerPools.0.ipConfiguration":                                       "WORKER_IP_PRIVATE",
		"environment.workerPools.0.network":                                               "inner",
		"environment.workerPools.0.subnetwork":                                            o.Subnetwork,
		"environment.workerPools.0.workerHarnessContainerImage":                           o.WorkerImage,
		"environment.workerPools.0.sdkHarnessContainerImages.0.containerImage":            o.WorkerImage,
		"environment.workerPools.0.packages.0.location":                                   worker,
		"environment.workerPools.0.packages.0.sha256":                                     r.Binary.SHA256,
		"environment.workerPools.0.sdkHarnessContainerImages.0.environmentId":             "go",
		"environment.sdkPipelineOptions.beam:option:go_options:v1.options.api_key":        nil,
		"environment.workerPools.0.sdkHarnessContainerImages.0.useSingleCorePerContainer": nil,
	} {
		if got := at(path); !cmp.Equal(got, want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if !strings.HasPrefix(r.Job.Name, "sentweave-pauses-") {
		t.Errorf("the name is %s", r.Job.Name)
	}
}

func TestRequestOfAFixedNumberOfWorkers(t *testing.T) {
	o := plain(t)
	o.Autoscaling, o.Workers = "NONE", 40
	pool := prepare(t, o).Job.Environment.WorkerPools[0]
	if pool.NumWorkers != 40 || pool.AutoscalingSettings.Algorithm != "AUTOSCALING_ALGORITHM_NONE" ||
		pool.AutoscalingSettings.MaxNumWorkers != 0 {
		t.Errorf("%+v, %+v", pool, pool.AutoscalingSettings)
	}
	if image := pool.WorkerHarnessContainerImage; image != dataflow.DefaultWorkerImage || !strings.HasSuffix(image, ":"+core.SdkVersion) {
		t.Errorf("the image is %s", image)
	}
}

func TestGraphOfTheRequest(t *testing.T) {
	r := prepare(t, plain(t))
	var got []string
	for _, transform := range r.Transforms() {
		got = append(got, transform.Kind+" "+transform.Name)
	}
	if want := []string{"pauses", "pause"}; len(got) < 8 || !strings.Contains(strings.Join(got, "\n"), want[0]+"/"+want[1]) {
		t.Errorf("the graph is %q", got)
	}
	environment := r.Pipeline.GetComponents().GetEnvironments()["go"]
	var image pipepb.DockerPayload
	if err := proto.Unmarshal(environment.GetPayload(), &image); err != nil || environment.GetUrn() != "beam:env:docker:v1" ||
		image.GetContainerImage() != dataflow.DefaultWorkerImage {
		t.Errorf("the environment is %v, %v", environment, err)
	}
	var artifact pipepb.ArtifactUrlPayload
	dependency := environment.GetDependencies()[0]
	if err := proto.Unmarshal(dependency.GetTypePayload(), &artifact); err != nil || artifact.GetUrl() != r.WorkerURL ||
		artifact.GetSha256() != r.Binary.SHA256 || dependency.GetTypeUrn() != "beam:artifact:type:url:v1" {
		t.Errorf("the artifact is %v, %v", dependency, err)
	}
	summary := r.Summary()
	for _, want := range []string{r.Job.Name, "e2-standard-4 (4 vCPUs), from 1 to 16", "sentweave=pauses", r.WorkerURL, r.ModelURL,
		"(group_by_key)", "static"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary has no %q:\n%s", want, summary)
		}
	}
}

func TestEqualRequests(t *testing.T) {
	o := plain(t)
	o.Labels = map[string]string{"a": "1", "b": "2", "c": "3"}
	first, err := prepare(t, o).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := prepare(t, o).JSON()
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("%v, %s", err, cmp.Diff(string(first), string(again)))
		}
	}
	other := pauses(t, "gs://sentences/another", 3, &pausingTask{Fail: -1})
	r, err := dataflow.Prepare(t.Context(), other, o)
	if err != nil || strings.Contains(string(first), r.Job.Name) {
		t.Errorf("another output has the same name, %v", err)
	}
}

func TestWhatWorkersCannotReachIsRefused(t *testing.T) {
	o := plain(t)
	local := pauses(t, t.TempDir(), 1, &pausingTask{Fail: -1})
	if _, err := dataflow.Prepare(t.Context(), local, o); err == nil ||
		!strings.Contains(err.Error(), "is on this machine, where workers cannot write") {
		t.Errorf("a local output: %v", err)
	}
	o.Project = ""
	if _, err := dataflow.Prepare(t.Context(), local, o); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("both faults: %v", err)
	}
	input := pauses(t, "gs://sentences/out", 1, &pausingTask{Fail: -1, Input: units.File{Location: "/data/vocab.txt"}})
	if _, err := dataflow.Prepare(t.Context(), input, plain(t)); err == nil ||
		!strings.Contains(err.Error(), "/data/vocab.txt on this machine") {
		t.Errorf("a local input: %v", err)
	}
}

// Nothing of the environment, flags or credentials is in what is sent.
func TestNoSecretsInTheRequest(t *testing.T) {
	t.Setenv("SENTWEAVE_CANARY", "c4n4ry-in-the-environment")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/c4n4ry-in-a-path.json")
	r := prepare(t, plain(t))
	body, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	model, err := proto.Marshal(r.Pipeline)
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{"request": body, "graph": model, "summary": []byte(r.Summary()), "all": fmt.Append(nil, r)} {
		data = bytes.ReplaceAll(data, []byte(os.TempDir()), nil) // whose name is random, and may have that of a machine
		for _, secret := range []string{"c4n4ry", "test.timeout", host} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%q is in the %s", secret, what)
			}
		}
	}
}
