package dataflow_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	df "google.golang.org/api/dataflow/v1b3"

	"sentweave/runners/beam/dataflow"
	"sentweave/schemas/storage"
)

type parameter struct {
	Name, Label, HelpText string
	IsOptional            bool
	Regexes               []string
}

func parameters(t testing.TB) map[string]parameter {
	t.Helper()
	var metadata struct {
		Name, Description string
		Parameters        []parameter
	}
	if err := json.Unmarshal(dataflow.TemplateMetadata, &metadata); err != nil {
		t.Fatal(err)
	}
	all := map[string]parameter{}
	for _, p := range metadata.Parameters {
		if p.Label == "" || p.HelpText == "" || len(p.Regexes) == 0 || all[p.Name].Name != "" {
			t.Errorf("parameter %q has no label, help or expression, or is there twice", p.Name)
		}
		all[p.Name] = p
	}
	return all
}

// accepts says whether all expressions of a parameter match, as the service does: as
// POSIX expressions.
func accepts(t *testing.T, p parameter, value string) bool {
	t.Helper()
	for _, e := range p.Regexes {
		r, err := regexp.CompilePOSIX(e)
		if err != nil {
			t.Fatalf("parameter %s: %v", p.Name, err)
		}
		if !r.MatchString(value) {
			return false
		}
	}
	return true
}

// flags are the names of the options' flags.
func flags(t *testing.T) []string {
	t.Helper()
	var options dataflow.Options
	parser, err := kong.New(&options)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range parser.Model.Flags {
		names = append(names, f.Name)
	}
	return names
}

// Parameters and options are the same, but for what only one of them can have.
func TestParametersAreOptions(t *testing.T) {
	all, names := parameters(t), flags(t)
	own := []string{"pipeline", "out", "arguments"}
	byLaunch := []string{"help", "project", "region", "job-name", "labels", "template-location", "worker-binary"}
	for name, p := range all {
		flag := strings.ReplaceAll(name, "_", "-")
		if !slices.Contains(names, flag) && !slices.Contains(own, name) {
			t.Errorf("parameter %s is not an option", name)
		}
		if p.IsOptional == (name == "pipeline" || name == "out") {
			t.Errorf("parameter %s is optional: %t", name, p.IsOptional)
		}
	}
	for _, name := range names {
		if _, ok := all[strings.ReplaceAll(name, "-", "_")]; !ok && !slices.Contains(byLaunch, name) {
			t.Errorf("option %s is not a parameter", name)
		}
	}
	if n := reflect.TypeFor[dataflow.Options]().NumField() - 1; n != len(names)-1 { // Endpoint is not a flag, help no field
		t.Errorf("%d options, %d flags", n, len(names)-1)
	}
}

// beyond are faults that no expression of one parameter can find.
var beyond = []string{"multiple of 256 MB", "units in flight", "the job's region"}

// An expression accepts what Validate accepts, and refuses what it refuses.
func TestExpressionsOfParameters(t *testing.T) {
	all, tested := parameters(t), map[string]bool{}
	for _, c := range cases {
		name := strings.ReplaceAll(c.flag, "-", "_")
		p, ok := all[name]
		if !ok || slices.ContainsFunc(beyond, func(fault string) bool { return fault != "" && strings.Contains(c.fault, fault) }) {
			continue
		}
		tested[name] = true
		if got := accepts(t, p, c.value); got != (c.fault == "") {
			t.Errorf("%s=%q: accepted %t, Validate says %q", name, c.value, got, c.fault)
		}
		if out := all["out"]; name == "staging" && accepts(t, out, c.value) != (c.fault == "") {
			t.Errorf("out=%q: the expression is not that of staging", c.value)
		}
	}
	for name, values := range map[string]map[string]bool{
		"pipeline":    {"corpus": true, "wordcounts": true, "train": false, "": false, "corpus dedup": false},
		"flexrs":      {"true": true, "false": true, "yes": false},
		"private_ips": {"true": true, "1": false},
		"arguments":   {"--input=gs://b/p": true, "--cased  --shard-bytes=64MiB": true, "corpus --out=x": false, "-x": false, "": false},
		"autoscaling": {"NONE": true, "none": false},
	} {
		tested[name] = true
		for value, want := range values {
			if accepts(t, all[name], value) != want {
				t.Errorf("%s=%q: want %t", name, value, want)
			}
		}
	}
	for name := range all {
		if !tested[name] && name != "out" {
			t.Errorf("parameter %s is not tested", name)
		}
	}
}

func TestLaunchArguments(t *testing.T) {
	args := []string{
		"--arguments=--documents=gs://sentences/documents  --cased", "--experiments=use_runner_v2", "--flexrs_goal=FLEXRS_COST_OPTIMIZED",
		`--labels={"team":"nlp","purpose":"test"}`, "--job_name=counts", "--max_num_workers=9", "--max_workers=4", "--no_use_public_ips",
		"--out=gs://sentences/counts", "--pipeline=wordcounts", "--project=sentences-test", "--region=us-central1",
		"--runner=DataflowRunner",
		"--staging_location=gs://dataflow-staging-us-central1-1/staging", "--temp_location=gs://dataflow-staging-us-central1-1/tmp",
		"--template_location=gs://dataflow-staging-us-central1-1/launch/job_object",
		"--worker_machine_type=e2-standard-2",
	}
	if !dataflow.IsLaunch(args) || dataflow.IsLaunch([]string{"wordcounts", "--out=x"}) || dataflow.IsLaunch(nil) ||
		dataflow.IsLaunch([]string{"--help"}) {
		t.Error("a launch is not told from a command")
	}
	got, ignored, err := dataflow.LaunchArguments(args)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"wordcounts", "--flexrs=true", "--job-name=counts", "--labels=purpose=test;team=nlp", "--machine-type=e2-standard-2",
		"--max-workers=4",
		"--out=gs://sentences/counts", "--private-ips=true", "--project=sentences-test", "--region=us-central1", "--runner=dataflow",
		"--staging=gs://dataflow-staging-us-central1-1/staging",
		"--template-location=gs://dataflow-staging-us-central1-1/launch/job_object", "--documents=gs://sentences/documents", "--cased",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"experiments", "temp_location"}, ignored); diff != "" {
		t.Error(diff)
	}
	var line struct {
		Wordcounts struct {
			Out, Runner, Documents string
			Cased                  bool
			Dataflow               dataflow.Options `embed:""`
		} `cmd:""`
	}
	parser, err := kong.New(&line)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(got); err != nil {
		t.Fatal(err)
	}
	if o := line.Wordcounts.Dataflow; o.Validate() != nil || o.MaxWorkers != 4 || o.Labels["team"] != "nlp" || !line.Wordcounts.Cased {
		t.Errorf("%+v: %v", line, o.Validate())
	}
	for _, bad := range [][]string{{"--out=x"}, {"--pipeline=corpus", "stray"}, {"--pipeline=corpus", "--labels=no"}} {
		if _, _, err := dataflow.LaunchArguments(bad); err == nil {
			t.Errorf("%q gives no error", bad)
		}
	}
}

func FuzzLaunchArguments(f *testing.F) {
	f.Add("--pipeline=corpus\n--out=gs://b/o\n--workers=3\n--num_workers=4")
	f.Add("--pipeline=x\n--labels={}\n--arguments=--a --b=c")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, "\n")
		arguments, ignored, err := dataflow.LaunchArguments(args)
		if err != nil {
			return
		}
		if len(arguments) < 2 || !slices.Contains(arguments, "--runner=dataflow") || slices.Contains(ignored, "pipeline") {
			t.Errorf("%q gives %q, %q", args, arguments, ignored)
		}
		again, _, err := dataflow.LaunchArguments(args)
		if err != nil || !slices.Equal(arguments, again) {
			t.Errorf("%q gives %q, then %q, %v", args, arguments, again, err)
		}
	})
}

// The launcher finds the request where it looks for it, and what it names is staged.
func TestWriteTemplate(t *testing.T) {
	c := newCloud(t)
	r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
	location := storage.Join(c.storage.Folder(), "launch", "job_object")
	if err := dataflow.WriteTemplate(t.Context(), r, location); err != nil {
		t.Fatal(err)
	}
	var written df.Job
	if err := json.Unmarshal([]byte(stagedFile(t, location)), &written); err != nil || written.Name != r.Job.Name {
		t.Fatal(written.Name, err)
	}
	options := string(written.Environment.SdkPipelineOptions)
	if !strings.Contains(options, r.ModelURL) || stagedFile(t, r.ModelURL) == "" || stagedFile(t, r.WorkerURL) == "" {
		t.Error("graph or worker is not staged")
	}
	if err := dataflow.WriteTemplate(t.Context(), r, "gs://nowhere"); err == nil || !strings.HasPrefix(err.Error(), "write the request: ") {
		t.Errorf("no file's location: %v", err)
	}
}
