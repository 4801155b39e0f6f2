package dataflow_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"sentweave/runners/beam/dataflow"
)

// parse returns options as the command line makes them.
func parse(t testing.TB, args ...string) (dataflow.Options, error) {
	t.Helper()
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	var line struct {
		Dataflow dataflow.Options `embed:""`
	}
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return line.Dataflow, err
}

var required = []string{"--project=sentences-test", "--region=us-central1", "--staging=gs://sentences/staging"}

func TestOptionsOfTheCommandLine(t *testing.T) {
	o, err := parse(t, append(required, "--labels=team=nlp;purpose=test", "--flexrs", "--private-ips", "--disk-gb=50",
		"--worker-binary=x")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	if o.MachineType != dataflow.DefaultMachineType || o.MaxWorkers != 16 || o.Labels["team"] != "nlp" || o.Labels["purpose"] != "test" ||
		!o.FlexRS || !o.PrivateIPs || o.DiskGB != 50 {
		t.Errorf("got %+v", o)
	}
	if _, err := parse(t, "--endpoint=http://localhost"); err == nil {
		t.Error("the endpoint of tests is a flag")
	}
}

// cases are values of single options, with a part of the error that each gives; none
// for those that are good. The template's regular expressions are tested by them, too.
var cases = []struct{ flag, value, fault string }{
	{"project", "sentences-test", ""},
	{"project", "example.com:sentences", ""},
	{"project", "", "project is empty"},
	{"project", "123456789012", "is a project's number"},
	{"project", "Sentences", "is not a project id"},
	{"project", "short", "is not a project id"},
	{"project", "ends-with-", "is not a project id"},
	{"project", "a" + strings.Repeat("b", 30), "is not a project id"},

	{"region", "us-central1", ""},
	{"region", "northamerica-northeast2", ""},
	{"region", "me-west1", ""},
	{"region", "", "region is empty"},
	{"region", "us-central1-a", "is a zone: give its region, us-central1"},
	{"region", "US", "is not the name of a region"},

	{"staging", "gs://sentences/staging", ""},
	{"staging", "gs://sentences/a/b/", ""},
	{"staging", "gs://data.example.com/a", ""},
	{"staging", "gs://123abc/..a/.b", ""},
	{"staging", "", "staging is empty"},
	{"staging", "/tmp/staging", "is not in Cloud Storage"},
	{"staging", "s3://sentences/staging", "is not in Cloud Storage"},
	{"staging", "gs:/sentences/staging", "is not in Cloud Storage"},
	{"staging", "gs://sentences", "names no folder"},
	{"staging", "gs://sentences/", "names no folder"},
	{"staging", "gs:///staging", "is not the name of a bucket"},
	{"staging", "gs://ab/staging", "is not the name of a bucket"},
	{"staging", "gs://Sentences/staging", "is not the name of a bucket"},
	{"staging", "gs://sentences-/staging", "is not the name of a bucket"},
	{"staging", "gs://" + strings.Repeat("a", 64) + "/staging", "is not the name of a bucket"},
	{"staging", "gs://goog-sentences/staging", "is not the name of a bucket"},
	{"staging", "gs://192.168.5.4/staging", "is not the name of a bucket"},
	{"staging", "gs://sentences/a//b", "clean path"},
	{"staging", "gs://sentences/a/../b", "clean path"},
	{"staging", "gs://sentences/./b", "clean path"},

	{"job-name", "", ""},
	{"job-name", "wordcounts-2", ""},
	{"job-name", "2-wordcounts", "a letter first"},
	{"job-name", "word_counts", "a letter first"},
	{"job-name", "wordcounts-", "no hyphen last"},
	{"job-name", strings.Repeat("a", 1025), "at most 1024"},

	{"labels", "team=nlp", ""},
	{"labels", "équipe=données", ""},
	{"labels", "team=", ""},
	{"labels", "Team=nlp", "a key has"},
	{"labels", "1team=nlp", "a key has"},
	{"labels", strings.Repeat("k", 64) + "=v", "a key has"},
	{"labels", "team=N L P", "the value"},
	{"labels", "team=" + strings.Repeat("v", 64), "the value"},
	{"labels", "team=" + strings.Repeat("語", 43), "the value"},
	{"labels", "sentweave=mine", "is our own"},

	{"service-account", "workers@sentences-test.iam.gserviceaccount.com", ""},
	{"service-account", "123456-compute@developer.gserviceaccount.com", ""},
	{"service-account", "somebody@example.com", "is not the address of an account"},

	{"machine-type", "e2-standard-4", ""},
	{"machine-type", "n1-highmem-8", ""},
	{"machine-type", "n2d-highcpu-2", ""},
	{"machine-type", "t2a-standard-1", ""},
	{"machine-type", "n2-custom-4-8192", ""},
	{"machine-type", "custom-6-16384-ext", ""},
	{"machine-type", "c3-standard-4-lssd", ""},
	{"machine-type", "e2-medium", "shares its core"},
	{"machine-type", "f1-micro", "shares its core"},
	{"machine-type", "large", "tells no number of vCPUs"},
	{"machine-type", "n2-standard-0", "tells no number of vCPUs"},
	{"machine-type", "n2-custom-3-8192", "1 or an even number"},
	{"machine-type", "n2-custom-4-8000", "multiple of 256 MB"},
	{"machine-type", "custom-8-1024", "1GiB of memory, 8 units in flight may need 1536MiB"},

	{"workers", "3", ""},
	{"workers", "-1", "at most 4000"},
	{"max-workers", "4000", ""},
	{"max-workers", "4001", "at most 4000"},
	{"autoscaling", "THROUGHPUT_BASED", ""},
	{"autoscaling", "SOMETIMES", "is not one of"},

	{"worker-image", "us-docker.pkg.dev/sentences-test/images/worker:1.0", ""},
	{"worker-image", "apache/beam_go_sdk:2.77.0", ""},
	{"worker-image", "localhost:5000/worker@sha256:" + strings.Repeat("0f", 32), ""},
	{"worker-image", "https://example.com/worker", "is not a container image"},
	{"worker-image", "Worker", "is not a container image"},

	{"network", "default", ""},
	{"network", "projects/host/global/networks/shared", ""},
	{"network", "Default", "is not the name of a network"},
	{"subnetwork", "regions/us-central1/subnetworks/inner", ""},
	{"subnetwork", "https://www.googleapis.com/compute/v1/projects/host/regions/us-central1/subnetworks/inner", ""},
	{"subnetwork", "inner", "give regions/REGION/subnetworks/NAME"},
	{"subnetwork", "regions/europe-west1/subnetworks/inner", "choose one of the job's region"},

	{"disk-gb", "0", ""},
	{"disk-gb", "30", ""},
	{"disk-gb", "65536", ""},
	{"disk-gb", "29", "from 30"},
	{"disk-gb", "65537", "from 30"},
}

func TestOptionValues(t *testing.T) {
	for _, c := range cases {
		o, err := parse(t, append(required, "--"+c.flag+"="+c.value)...)
		if err == nil {
			err = o.Validate()
		} else if c.flag == "autoscaling" {
			continue // the command line knows its values
		}
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("--%s=%s: %v", c.flag, c.value, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("--%s=%s: got %v, want %q", c.flag, c.value, err, c.fault)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("--%s=%s gives more than one fault: %v", c.flag, c.value, err)
		}
	}
}

func TestOptionsThatExcludeEachOther(t *testing.T) {
	for _, c := range []struct{ args, fault string }{
		{"--autoscaling=NONE --workers=20", ""},
		{"--autoscaling=NONE", "give --workers"},
		{"--autoscaling=NONE --workers=2 --flexrs", "flexrs needs autoscaling"},
		{"--workers=20", "more than max-workers 16"},
		{"--workers=20 --max-workers=0", ""},
		{"--flexrs --workers=3", ""},
	} {
		o, err := parse(t, append(required, strings.Fields(c.args)...)...)
		if err == nil {
			err = o.Validate()
		}
		if (err == nil) != (c.fault == "") || (err != nil && !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.fault)
		}
	}
}

func TestAllFaultsComeTogether(t *testing.T) {
	err := dataflow.Options{
		JobName: "A", Labels: map[string]string{"A": "b", "b": "C"}, ServiceAccount: "me", MachineType: "big", Workers: -1, MaxWorkers: -2,
		Autoscaling: "no", WorkerImage: "?", Network: "N", Subnetwork: "S", DiskGB: 1,
	}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, about := range []string{"project", "region", "staging", "job-name", `label "A"`, `label "b"`, "machine-type", "max-workers",
		"workers", "autoscaling", "disk-gb", "service-account", "worker-image", "network", "subnetwork"} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], about) {
			t.Fatalf("fault %d is not about %s:\n%v", i, about, err)
		}
	}
}
