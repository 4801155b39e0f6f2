package dataflow_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/runners/beam/dataflow"
	"sentweave/runners/beam/dataflow/dataflowtest"
	"sentweave/schemas/storage"
)

func TestSubmit(t *testing.T) {
	c := newCloud(t)
	job := c.submitted(t)
	if job.State != "pending" || job.Pipeline != "pauses" || job.Created.IsZero() ||
		job.URL != "https://console.cloud.google.com/dataflow/jobs/us-central1/"+job.ID+"?project=sentences-test" {
		t.Errorf("got %+v", job)
	}
	if sent := c.Job(job.ID); sent.ClientRequestId == "" || sent.ClientRequestId != sent.Labels["sentweave-submission"] {
		t.Errorf("the request id is %q, the label %q", sent.ClientRequestId, sent.Labels["sentweave-submission"])
	}
}

// Of a submission whose answer is lost there is one job, whatever the service does
// about the second try.
func TestALostAnswerStartsNoSecondJob(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		for _, ended := range []bool{false, true} {
			c := newCloud(t)
			c.RefuseNames = refuse
			var lost atomic.Bool
			c.Lose(t, func(r *http.Request) bool { return r.Method == http.MethodPost && !lost.Swap(true) })
			if ended { // before the second try
				c.Answer(t, func(_ http.ResponseWriter, r *http.Request) bool {
					if r.Method == http.MethodPost && lost.Load() && c.Jobs() == 1 {
						_ = c.Advance("2026-01-02_03_04_05-1000", "RUNNING")
						_ = c.Advance("2026-01-02_03_04_05-1000", "DONE")
					}
					return false
				})
			}
			// The token is asked for by POST, too.
			if job, err := c.submit(t); err != nil || c.Jobs() != 1 || !lost.Load() {
				t.Errorf("refuse %t, ended %t: %+v, %v, %d jobs", refuse, ended, job, err, c.Jobs())
			}
		}
	}
}

func TestTwoSubmissionsOfOneJob(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		c := newCloud(t)
		c.RefuseNames = refuse
		r := c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
		first, err := c.client(t).Submit(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.client(t).Submit(t.Context(), r)
		if !errors.Is(err, dataflow.ErrActive) || !strings.Contains(err.Error(), first.ID) || strings.Contains(err.Error(), "\n") {
			t.Errorf("refuse %t: %v", refuse, err)
		}
		c.advance(t, first.ID, "RUNNING")
		c.advance(t, first.ID, "FAILED")
		if again, err := c.client(t).Submit(t.Context(), r); err != nil || again.ID == first.ID {
			t.Errorf("after the end of the first: %+v, %v", again, err)
		}
	}
}

// Each error of the service is one line with the way out.
func TestFaults(t *testing.T) {
	for _, f := range []struct {
		code                  int
		status, message, want string
		tries                 bool
	}{
		{401, "UNAUTHENTICATED", "Request had invalid authentication credentials.",
			"`gcloud auth application-default login` makes new ones", false},
		{403, "PERMISSION_DENIED", "Permission 'dataflow.jobs.create' denied on project",
			"needs roles/dataflow.developer on project sentences-test", false},
		{403, "PERMISSION_DENIED", "Dataflow API has not been used in project 1 before or it is disabled.\nEnable it",
			"`gcloud services enable dataflow.googleapis.com --project=sentences-test`", false},
		{404, "NOT_FOUND", "Not found", "check --project sentences-test and --region us-central1", false},
		{400, "INVALID_ARGUMENT", "Dataflow doesn't recognize the region us-central1.", "check --region us-central1", false},
		{400, "INVALID_ARGUMENT", "Something else.", "Something else.", false},
		{409, "ALREADY_EXISTS", "It exists.", "give another --job-name", false},
		{429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests'", "a quota is used up", true},
		{500, "INTERNAL", "Internal error encountered.", "see status.cloud.google.com", true},
		{503, "UNAVAILABLE", "The service is currently unavailable.", "see status.cloud.google.com", true},
	} {
		c := newCloud(t)
		var tries atomic.Int64
		c.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/jobs") || r.Method != http.MethodPost {
				return false
			}
			tries.Add(1)
			dataflowtest.Refuse(w, f.code, f.status, f.message)
			return true
		})
		client, r := c.client(t), c.prepare(t, pauses(t, c.storage.Folder(), 1, &pausingTask{Fail: -1}))
		if _, err := dataflow.Stage(t.Context(), r); err != nil { // so that the time is for the tries
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := client.Submit(ctx, r)
		cancel()
		var fault *dataflow.Fault
		if !errors.As(err, &fault) || fault.Code != f.code || !strings.Contains(err.Error(), f.want) ||
			strings.Contains(err.Error(), "\n") ||
			!strings.HasPrefix(err.Error(), "submit job "+r.Job.Name+": ") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%d %s: got %v, want %q", f.code, f.message, err, f.want)
		}
		if many := tries.Load() > 2; many != f.tries {
			t.Errorf("%d %s: %d tries", f.code, f.message, tries.Load())
		}
	}
}

func TestFaultsOfOptionsThatTheServiceKnows(t *testing.T) {
	c := newCloud(t)
	c.options.Region = "us-nowhere1"
	if _, err := c.submit(t); err == nil || !strings.Contains(err.Error(), "recognize the region us-nowhere1") ||
		!strings.Contains(err.Error(), "check --region us-nowhere1") {
		t.Errorf("a region that there is not: %v", err)
	}
	c.options.Region, c.options.Project = "us-central1", "another-project"
	if _, err := c.submit(t); err == nil || !strings.Contains(err.Error(), "on project another-project") {
		t.Errorf("a project of others: %v", err)
	}
	c.options.Project = dataflowtest.Project
	if _, err := c.client(t).Get(t.Context(), "2020-01-01_00_00_00-1"); err == nil ||
		!strings.Contains(err.Error(), "here sentences-test and us-central1") {
		t.Errorf("a job that there is not: %v", err)
	}
}

func TestNoCredentials(t *testing.T) {
	c := newCloud(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "absent.json"))
	_, err := dataflow.NewClient(t.Context(), c.options)
	if err == nil || !strings.Contains(err.Error(), "there are no credentials; `gcloud auth application-default login` makes some") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestRefusedCredentials(t *testing.T) {
	c := newCloud(t)
	c.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`)
		return true
	})
	_, err := c.submit(t)
	if err == nil || !strings.Contains(
		err.Error(), "the credentials were refused (invalid_grant); `gcloud auth application-default login` makes new ones") {
		t.Errorf("got %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	c := newCloud(t)
	c.options.Endpoint = "http://127.0.0.1:1"
	if _, err := c.submit(t); err == nil || !strings.Contains(err.Error(), "there is no connection to the service") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnluckyService(t *testing.T) {
	c := newCloud(t)
	random := rand.New(rand.NewPCG(3, 4))
	var mutex sync.Mutex
	unlucky := func(*http.Request) bool {
		mutex.Lock()
		defer mutex.Unlock()
		return random.IntN(3) == 0
	}
	c.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !unlucky(r) {
			return false
		}
		code := []int{429, 500, 502, 503}[random.IntN(4)]
		dataflowtest.Refuse(w, code, "UNAVAILABLE", "Try again.")
		return true
	})
	c.Lose(t, unlucky)
	client := c.client(t)
	for i := range 5 {
		job := c.submitted(t)
		c.advance(t, job.ID, "RUNNING", "BASIC Started.")
		c.advance(t, job.ID, "DONE")
		if done, err := client.Wait(t.Context(), job.ID, nil); err != nil || done.State != dataflow.Done {
			t.Fatal(done, err)
		}
		if c.Jobs() != i+1 {
			t.Fatalf("%d submissions gave %d jobs", i+1, c.Jobs())
		}
	}
}

func TestWaitTellsWhatHappens(t *testing.T) {
	c := newCloud(t)
	job := c.submitted(t)
	steps := []struct{ to, message string }{
		{"RUNNING", "BASIC Workers have started."}, {"RUNNING", "DETAILED Not of interest."}, {"RUNNING", "WARNING One is slow."},
		{"RUNNING", "BASIC Nearly there."}, {"DONE", "BASIC Stopped."},
	}
	var told []string
	done, err := c.client(t).Wait(t.Context(), job.ID, func(e dataflow.Event) {
		if e.Message != nil {
			told = append(told, strings.TrimPrefix(string(e.Message.Importance), "JOB_MESSAGE_")+" "+e.Message.Text)
		} else {
			told = append(told, "is "+string(e.Job.State))
		}
		if len(steps) > 0 && e.Message == nil || e.Message != nil && strings.Contains(e.Message.Text, "slow") {
			for range min(3, len(steps)) {
				c.advance(t, job.ID, steps[0].to, steps[0].message)
				steps = steps[1:]
			}
		}
	})
	want := []string{
		"BASIC Worker configuration: e2-standard-4 in us-central1.", "is pending", "BASIC Workers have started.", "WARNING One is slow.",
		"is running", "BASIC Nearly there.", "BASIC Stopped.", "is done",
	}
	if err != nil || done.State != dataflow.Done {
		t.Fatal(done, err)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

func TestWaitSaysWhyAJobFailed(t *testing.T) {
	for _, f := range []struct {
		messages []string
		want     string
	}{
		{nil, "the service does not say why"},
		{[]string{"ERROR Startup of the worker pool in us-central1 failed. Causes:\nquota 'CPUS' exceeded", "BASIC Stopped."},
			"failed: Startup of the worker pool in us-central1 failed. Causes:; its log"},
		{[]string{"ERROR Work item failed.\n\tcaused by:\n⟦sentweave: unit 7: read x: no such file⟧\nstack", "ERROR Workflow failed."},
			"failed: unit 7: read x: no such file; its log"},
	} {
		c := newCloud(t)
		job := c.submitted(t)
		c.advance(t, job.ID, "RUNNING")
		c.advance(t, job.ID, "FAILED", f.messages...)
		_, err := c.client(t).Wait(t.Context(), job.ID, nil)
		if err == nil || !strings.Contains(err.Error(), f.want) || !strings.Contains(err.Error(), job.URL) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, f.want)
		}
	}
}

// Whoever waits may leave; the job goes on, and somebody else follows it.
func TestDetachAndFollow(t *testing.T) {
	c := newCloud(t)
	job := c.submitted(t)
	left := errors.New("the terminal was closed")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := c.client(t).Wait(ctx, job.ID, func(dataflow.Event) { cancel(left) })
	if !errors.Is(err, left) || c.Job(job.ID).CurrentState != "JOB_STATE_PENDING" {
		t.Fatalf("%v, the job is %s", err, c.Job(job.ID).CurrentState)
	}
	c.advance(t, job.ID, "RUNNING")
	go func() {
		time.Sleep(20 * time.Millisecond)
		_ = c.Advance(job.ID, "DONE")
	}()
	if done, err := c.client(t).Wait(t.Context(), job.ID, nil); err != nil || done.State != dataflow.Done {
		t.Fatal(done, err)
	}
}

func TestSlowServiceIsLeftWhenTheContextEnds(t *testing.T) {
	c := newCloud(t)
	job := c.submitted(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	c.Answer(t, func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.client(t).Wait(ctx, job.ID, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	c := newCloud(t)
	client := c.client(t)
	running := c.submitted(t)
	c.advance(t, running.ID, "RUNNING")
	go func() {
		for c.Job(running.ID).CurrentState != "JOB_STATE_CANCELLING" {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		_ = c.Advance(running.ID, "CANCELLED")
	}()
	if job, err := client.Cancel(t.Context(), running.ID); err != nil || job.State != dataflow.Cancelled {
		t.Errorf("a running job: %+v, %v", job, err)
	}
	if _, err := client.Wait(t.Context(), running.ID, nil); !errors.Is(err, dataflow.ErrCancelled) {
		t.Errorf("waiting for it: %v", err)
	}
	c.options.FlexRS = true
	queued := c.submitted(t)
	if queued.State != "queued" {
		t.Errorf("%+v", queued)
	}
	if job, err := client.Cancel(t.Context(), queued.ID); err != nil || job.State != dataflow.Cancelled {
		t.Errorf("a queued job: %+v, %v", job, err)
	}
	before := len(c.Requests())
	if job, err := client.Cancel(t.Context(), queued.ID); err != nil || job.State != dataflow.Cancelled || len(c.Requests()) != before+1 {
		t.Errorf("a job that has ended: %+v, %v", job, err)
	}
	c.options.FlexRS = false
	faster := c.submitted(t)
	c.advance(t, faster.ID, "RUNNING")
	c.Answer(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			_ = c.Advance(faster.ID, "DONE")
		}
		return false
	})
	if job, err := client.Cancel(t.Context(), faster.ID); err != nil || job.State != dataflow.Done {
		t.Errorf("a job that was faster: %+v, %v", job, err)
	}
}

func TestCancelOfAJobThatDoesNotStop(t *testing.T) {
	c := newCloud(t)
	stuck := c.submitted(t)
	c.advance(t, stuck.ID, "RUNNING")
	client := c.client(t).Impatient(500 * time.Millisecond)
	if _, err := client.Cancel(t.Context(), stuck.ID); err == nil ||
		!strings.Contains(err.Error(), "it is still cancelling after 500ms; see https://") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.client(t).Cancel(ctx, stuck.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestListFindsOurs(t *testing.T) {
	c := newCloud(t)
	var ids []string
	for i := range 5 {
		if i == 3 {
			c.options.JobName = "of-another-name"
		}
		ids = append(ids, c.submitted(t).ID)
		c.options.JobName = ""
	}
	c.advance(t, ids[0], "RUNNING")
	c.advance(t, ids[0], "DONE")
	list := func(active bool) (got []string) {
		t.Helper()
		if err := c.client(t).List(t.Context(), active, func(j dataflow.Job) bool {
			if j.Pipeline != "pauses" {
				t.Errorf("%+v", j)
			}
			got = append(got, j.ID)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff([]string{ids[4], ids[3], ids[2], ids[1], ids[0]}, list(false)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{ids[4], ids[3], ids[2], ids[1]}, list(true)); diff != "" {
		t.Error(diff)
	}
	n := 0
	if err := c.client(t).List(t.Context(), false, func(dataflow.Job) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("%d jobs, %v", n, err)
	}
}

// What the launcher's environment and credentials hold reaches nobody.
func TestSecretsStayHere(t *testing.T) {
	c := newCloud(t)
	t.Setenv("SENTWEAVE_CANARY", canary)
	job := c.submitted(t)
	c.advance(t, job.ID, "RUNNING")
	c.advance(t, job.ID, "FAILED", "ERROR no")
	_, failure := c.client(t).Wait(t.Context(), job.ID, nil)
	c.Answer(t, func(w http.ResponseWriter, r *http.Request) bool {
		dataflowtest.Refuse(w, http.StatusUnauthorized, "UNAUTHENTICATED", "no")
		return true
	})
	_, refusal := c.submit(t)
	c.secretsStayHere(t, c.options.Staging, fmt.Sprintln(failure, refusal, job))
}

const canary = "c4n4ry-in-the-environment"

// secretsStayHere looks for secrets in what was sent, in a folder, and in texts.
func (c *cloud) secretsStayHere(t *testing.T, location string, texts ...string) {
	t.Helper()
	credentials, err := os.ReadFile(os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := append(c.Tokens(), canary, string(credentials[200:260]))
	for _, r := range c.Requests() {
		delete(r.Header, "Authorization")
		texts = append(texts, string(r.Body), fmt.Sprint(r.Path, r.Header))
	}
	folder, err := storage.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for info, err := range folder.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		objects++
		texts = append(texts, info.Name, stagedFile(t, storage.Join(location, info.Name)))
	}
	if objects == 0 || len(c.Tokens()) == 0 || len(c.Requests()) == 0 {
		t.Errorf("%d objects, %d tokens, %d requests", objects, len(c.Tokens()), len(c.Requests()))
	}
	for _, text := range texts {
		for i, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("secret %d is in %.200q", i, text)
			}
		}
	}
}
