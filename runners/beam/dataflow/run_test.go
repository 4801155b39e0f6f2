package dataflow_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/wordcounts"
	"sentweave/runners/beam/dataflow"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// runs says that jobs run in worker processes of their own, whose program is this
// test's.
func (c *cloud) runs(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: workers in processes of their own take seconds")
	}
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("skipped: workers run on Linux")
	}
	c.Run(t)
	sharedStaging.Do(func() { sharedStaging.folder = c.storage.Folder() })
	c.options.Staging, c.options.WorkerBinary = sharedStaging.folder, ""
}

// sharedStaging is one staging folder for all tests: the program is large.
var sharedStaging struct {
	sync.Once
	folder string
}

// upload copies a local folder to a location.
func upload(t *testing.T, from, to string) {
	t.Helper()
	remote, err := storage.Locate(to)
	if err != nil {
		t.Fatal(err)
	}
	for info, err := range storage.NewLocal(from).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(info.Name)))
		if err == nil {
			err = storage.WriteFile(t.Context(), remote, info.Name, data, storage.IfAbsent)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// digests returns the hash of every file of a dataset in a bucket, but for the record
// of the run.
func digests(t *testing.T, location string) map[string]string {
	t.Helper()
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := storage.ReadFile(t.Context(), folder, info.Name, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		if info.Name != "_run/run.json" {
			all[info.Name] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	return all
}

// A pipeline that exchanges records gives, from workers that have nothing but what was
// staged, the bytes that it gives in this process.
func TestSameBytesAsLocal(t *testing.T) {
	c := newCloud(t)
	c.runs(t)
	local, _ := pipelinetest.Documents{Shards: 3, PerShard: 40, Sentences: 5, Repeated: 1}.Write(t)
	settings := pipelinetest.Settings(4 << 10)
	here, _ := pipelinetest.Run(t, wordcounts.Config{Documents: local}, settings, pipelinetest.Local(2))
	documents, output := c.storage.Folder(), c.storage.Folder()
	upload(t, local, documents)
	job, err := wordcounts.Config{Documents: documents}.Plan(t.Context(), output, settings)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, job)
	t.Setenv("SENTWEAVE_CANARY", canary)
	client := c.client(t).Patient()
	submitted, err := client.Submit(t.Context(), c.prepare(t, job))
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	done, err := client.Wait(t.Context(), submitted.ID, func(e dataflow.Event) {
		if e.Message == nil {
			states = append(states, string(e.Job.State))
		}
	})
	if err != nil || done.State != dataflow.Done || states[len(states)-1] != "done" {
		t.Fatal(done, states, err)
	}
	c.secretsStayHere(t, output)
	want, got := pipelinetest.Digests(t, here), digests(t, output)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Dataflow's bytes are others than those made here:\n%s", diff)
	}
	if len(want) < 4 {
		t.Errorf("only %d files", len(want))
	}
}

func TestFailureOfAWorkerIsExplainedAndResumed(t *testing.T) {
	c := newCloud(t)
	c.runs(t)
	output := c.storage.Folder()
	broken := pauses(t, output, 8, &pausingTask{Fail: 5})
	begin(t, broken)
	client := c.client(t).Patient()
	first, err := client.Submit(t.Context(), c.prepare(t, broken))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Wait(t.Context(), first.ID, nil)
	if err == nil || !strings.Contains(
		err.Error(), "failed: unit 5: the disk of the moon is full; its log: https://console.cloud.google.com/dataflow/jobs/us-central1/"+
			first.ID) {
		t.Fatalf("got the error %v", err)
	}
	second, err := client.Submit(t.Context(), c.prepare(t, pauses(t, output, 8, &pausingTask{Fail: -1})))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Wait(t.Context(), second.ID, nil); err != nil {
		t.Fatal(err)
	}
	folder, err := broken.Folder()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := dataset.Verify(t.Context(), folder); err != nil || m.Rows != 8 {
		t.Fatal(m, err)
	}
}

func TestCancelEndsWorkersAndLeavesWhatIsCommitted(t *testing.T) {
	c := newCloud(t)
	c.runs(t)
	job := pauses(t, c.storage.Folder(), 400, &pausingTask{Fail: -1, Pause: 200 * time.Millisecond})
	folder := begin(t, job)
	client := c.client(t).Patient()
	submitted, err := client.Submit(t.Context(), c.prepare(t, job))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if n, err := job.Plan.CountReceipts(t.Context(), folder); err == nil && n > 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no unit was committed")
		}
	}
	// Another client, as from another machine.
	cancelled, err := c.client(t).Patient().Cancel(t.Context(), submitted.ID)
	if err != nil || cancelled.State != dataflow.Cancelled {
		t.Fatal(cancelled, err)
	}
	if _, err := client.Wait(t.Context(), submitted.ID, nil); !errors.Is(err, dataflow.ErrCancelled) {
		t.Errorf("waiting for a cancelled job: %v", err)
	}
	n, err := job.Plan.CountReceipts(t.Context(), folder)
	if err != nil || n < 4 || n >= 400 {
		t.Errorf("%d receipts, %v", n, err)
	}
	if _, err := dataset.Load(t.Context(), folder); !errors.Is(err, dataset.ErrIncomplete) {
		t.Errorf("after a cancel: %v", err)
	}
}
