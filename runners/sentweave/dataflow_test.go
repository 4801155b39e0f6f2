package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/dataflow/dataflowtest"
	"sentweave/runners/command"
	"sentweave/schemas/storage/gcs/gcstest"
)

// cloud is a service of Dataflow and one of storage; on are the flags that name them.
type cloud struct {
	*dataflowtest.Service
	storage *gcstest.Service
	on      []string
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{storage: gcstest.Start(t), Service: dataflowtest.Start(t)}
	t.Setenv(dataflow.EndpointVariable, c.Endpoint())
	c.on = []string{"--project", dataflowtest.Project, "--region", "us-central1"}
	return c
}

// args are those of a pipeline on the service.
func (c *cloud) args(args ...string) []string {
	return append(append(args, "--runner", "dataflow", "--staging", c.storage.Folder()), c.on...)
}

// A pipeline on Dataflow gives the bytes that it gives here; the job is found, and
// its dataset is looked at, from anywhere.
func TestDataflow(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: workers are processes")
	}
	input := articles(t, 20, nothing)
	local := filepath.Join(t.TempDir(), "documents")
	flags := []string{"--layout", "{language}/{page}.html", "--shard-bytes", "16KiB"}
	sentweave(t, append([]string{"corpus", "--input", input, "--out", local}, flags...)...).expect(
		t, command.ExitDone, []string{"documents in"}, []string{"units"})
	c := newCloud(t)
	c.Run(t)
	pages, out := c.storage.Folder(), c.storage.Folder()
	upload(t, input, pages)
	run := c.args(append([]string{"corpus", "--input", pages, "--out", out}, flags...)...)

	dry := sentweave(t, append(run, "--dry-run")...)
	dry.expect(t, command.ExitDone,
		[]string{"units", "job         sentweave-corpus-", "labels      sentweave=corpus", "machines    e2-standard-4", "corpus/documents"},
		nil)
	if c.Jobs() != 0 {
		t.Error("a dry run submits a job")
	}
	o := sentweave(t, run...)
	o.expect(t, command.ExitDone, []string{"documents in"}, []string{"units"})
	if diff := cmp.Diff(digests(t, local), digests(t, out)); diff != "" {
		t.Errorf("Dataflow gives other bytes:\n%s", diff)
	}
	if again := sentweave(t, run...); again.code != 0 || c.Jobs() != 1 {
		t.Errorf("a second run: exit code %d, %d jobs: %s", again.code, c.Jobs(), again.stderr)
	}
	sentweave(t, append([]string{"jobs", "list", "--all"}, c.on...)...).expect(
		t, command.ExitDone, []string{"corpus", "done", "sentweave-corpus-"}, nil)
	sentweave(t, append([]string{"jobs", "list"}, c.on...)...).expect(t, command.ExitDone, nil, []string{"no jobs of sentweave"})
	sentweave(t, "status", out).expect(t, command.ExitDone, []string{"is complete"}, nil)
}

// A launcher that does not wait leaves the job to others.
func TestDataflowDetached(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it uploads the program")
	}
	c := newCloud(t)
	c.Obey()
	pages, out := c.storage.Folder(), c.storage.Folder()
	upload(t, articles(t, 2, nothing), pages)
	run := c.args("corpus", "--input", pages, "--out", out)
	o := sentweave(t, append(run, "--detach")...)
	o.expect(t, command.ExitDone, nil, []string{"goes on without this command", "sentweave jobs follow ", "sentweave status " + out})
	_, id, _ := strings.Cut(o.stderr, "jobs follow ")
	id, _, _ = strings.Cut(id, " ")
	sentweave(t, "status", out).expect(t, command.ExitDone, []string{"none of 1 unit done"}, nil)
	sentweave(t, run...).expect(t, command.ExitFailed, nil, []string{"a job of this name is active, " + id})
	if err := c.Advance(id, "RUNNING"); err != nil {
		t.Fatal(err)
	}
	sentweave(t, append([]string{"jobs", "list"}, c.on...)...).expect(t, command.ExitDone, []string{id, "running"}, nil)
	sentweave(t, append([]string{"jobs", "cancel", id}, c.on...)...).expect(t, command.ExitDone, []string{"job " + id + ": cancelled"}, nil)
	sentweave(t, append([]string{"jobs", "follow", id}, c.on...)...).expect(t, command.ExitFailed, []string{"cancelled"},
		[]string{"what is committed stays"})
}

// A launcher that is interrupted where nobody can be asked cancels its job.
func TestDataflowInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it uploads the program")
	}
	c := newCloud(t)
	c.Obey()
	pages, out := c.storage.Folder(), c.storage.Folder()
	upload(t, articles(t, 2, nothing), pages)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for c.Jobs() == 0 && t.Context().Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
	}()
	o := sentweaveIn(ctx, c.args("corpus", "--input", pages, "--out", out)...)
	if o.code != command.ExitInterrupted || !strings.Contains(o.stderr, "run the same command again") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	sentweave(t, append([]string{"jobs", "list", "--all"}, c.on...)...).expect(t, command.ExitDone, []string{"cancelled"}, nil)
}

// What keeps a job from Dataflow is said in a line, before anything is written.
func TestDataflowMisuse(t *testing.T) {
	c := newCloud(t)
	pages, out := c.storage.Folder(), c.storage.Folder()
	input := articles(t, 2, nothing)
	upload(t, input, pages)
	for name, test := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"nothing but the runner": {[]string{"corpus", "--input", pages, "--out", out, "--runner", "dataflow"}, command.ExitUsage,
			[]string{"project", "region", "staging"}},
		"input on this machine": {c.args("corpus", "--input", input, "--out", out), command.ExitFailed,
			[]string{"where workers cannot: copy it to a bucket"}},
		"output on this machine": {c.args("corpus", "--input", pages, "--out", filepath.Join(t.TempDir(), "x")), command.ExitFailed,
			[]string{"is on this machine, where workers cannot write"}},
		"a small machine": {append(c.args("corpus", "--input", pages, "--out", out), "--machine-type", "f1-micro"),
			command.ExitUsage, []string{"f1-micro"}},
	} {
		o := sentweave(t, test.args...)
		if o.code != test.code {
			t.Errorf("%s: exit code %d: %s", name, o.code, o.stderr)
		}
		for _, want := range test.want {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("%s: %q lacks %q", name, o.stderr, want)
			}
		}
	}
	if c.Jobs() != 0 || len(digests(t, out)) != 0 {
		t.Error("something was submitted or written")
	}
}

// The arguments of the launcher of a template are a command line.
func TestLaunched(t *testing.T) {
	args, err := launched([]string{"--template_location=gs://bucket/job", "--project=my-project", "--region=us-central1",
		"--staging_location=gs://bucket/staging", "--pipeline=corpus", "--out=gs://bucket/out", "--arguments=--input=gs://bucket/in"})
	if err != nil || args[0] != "corpus" {
		t.Fatal(args, err)
	}
	if err := newProgram(nil, nil).Check(args); err != nil {
		t.Errorf("%v: %v", args, err)
	}
	if same, err := launched([]string{"corpus", "--out", "x"}); err != nil || len(same) != 3 {
		t.Error(same, err)
	}
}
