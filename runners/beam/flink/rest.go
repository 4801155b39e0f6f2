package flink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/grpc/backoff"

	"sentweave/schemas/jsonfile"
)

// pollBackoff is for a server of this machine that is about to listen.
var pollBackoff = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.2, Jitter: .1, MaxDelay: time.Second}

// rest is a cluster's REST interface.
type rest struct {
	master string
	http   *http.Client
}

func newREST(master string) *rest {
	return &rest{master: master, http: &http.Client{Timeout: 20 * time.Second}}
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// call sends a request and decodes the answer into result, unless that is nil.
func (r *rest) call(ctx context.Context, method, path string, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+r.master+path, nil)
	if err != nil {
		return err
	}
	response, err := r.http.Do(request)
	if err != nil {
		return fmt.Errorf("reach Flink at %s: %w; is the cluster running, and is this its REST address (rest.port, 8081 if not set)?",
			r.master, errors.Unwrap(err))
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, maxAnswer)
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(body, 300))
		return fmt.Errorf("flink at %s answers %s %s with %s: %s", r.master, method, path, response.Status, text)
	}
	if result == nil {
		return nil
	}
	text, err := io.ReadAll(body)
	if err == nil {
		err = jsonfile.Unmarshal(text, result)
	}
	if err != nil {
		return fmt.Errorf("what answers at %s is not Flink: %s: %w", r.master, path, err)
	}
	return nil
}

// version returns the cluster's version, as in 1.19.0.
func (r *rest) version(ctx context.Context) (string, error) {
	var config struct {
		Version string `json:"flink-version"`
	}
	if err := r.call(ctx, http.MethodGet, "/config", &config); err != nil {
		return "", err
	}
	if config.Version == "" {
		return "", fmt.Errorf("what answers at %s is not Flink: it names no version", r.master)
	}
	return config.Version, nil
}

// slots returns the task slots of the cluster, and those of its largest TaskManager.
func (r *rest) slots(ctx context.Context) (total, largest int, err error) {
	var answer struct {
		TaskManagers []struct {
			Slots int `json:"slotsNumber"`
		} `json:"taskmanagers"`
	}
	if err := r.call(ctx, http.MethodGet, "/taskmanagers", &answer); err != nil {
		return 0, 0, err
	}
	for _, t := range answer.TaskManagers {
		total += t.Slots
		largest = max(largest, t.Slots)
	}
	return total, largest, nil
}

// clusterJob is a job as the cluster lists it.
type clusterJob struct {
	ID    string `json:"jid"`
	Name  string `json:"name"`
	State string `json:"state"`
}

// ended tells whether a job cannot run any more.
func (j clusterJob) ended() bool {
	switch j.State {
	case "FINISHED", "CANCELED", "FAILED", "SUSPENDED":
		return true
	}
	return false
}

// jobs lists the cluster's jobs.
func (r *rest) jobs(ctx context.Context) ([]clusterJob, error) {
	var answer struct {
		Jobs []clusterJob `json:"jobs"`
	}
	return answer.Jobs, r.call(ctx, http.MethodGet, "/jobs/overview", &answer)
}

// cancel cancels all jobs of the name that have not ended, and returns when the
// cluster says that they have. The job server's own call does not stop them.
func (r *rest) cancel(ctx context.Context, name string) error {
	requested := map[string]bool{}
	quiet := 0
	for {
		jobs, err := r.jobs(ctx)
		if err != nil {
			return err
		}
		running := false
		for _, j := range jobs {
			if j.Name != name || j.ended() {
				continue
			}
			running = true
			if !requested[j.ID] {
				if err := r.call(ctx, http.MethodPatch, "/jobs/"+j.ID+"?mode=cancel", nil); err != nil {
					return err
				}
				requested[j.ID] = true
			}
		}
		// A job that has just been submitted may not be in the list yet.
		if quiet++; running {
			quiet = 0
		}
		if quiet > 0 && len(requested) > 0 || quiet > unlistedPolls {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the job %s did not stop: %w; look at http://%s", name, ctx.Err(), r.master)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// unlistedPolls is how often a job that has not been seen is looked for, twice a second.
const unlistedPolls = 20
