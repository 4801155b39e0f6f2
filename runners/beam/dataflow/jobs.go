package dataflow

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/googleapis/gax-go/v2"
	df "google.golang.org/api/dataflow/v1b3"
)

// Get returns a job, of whomever.
func (c *Client) Get(ctx context.Context, id string) (Job, error) {
	var got *df.Job
	err := c.retry(ctx, "get job "+id, func(ctx context.Context) (err error) {
		got, err = c.jobs().Get(c.project, c.region, id).View("JOB_VIEW_DESCRIPTION").Context(ctx).Do()
		return err
	})
	if err != nil {
		return Job{}, err
	}
	return c.job(got), nil
}

// List calls use for each of our jobs, the latest first as the service has them, until
// it returns false. With active, only those that have not ended.
//
// The service lists summaries, which have no labels. A job is taken as ours by its
// name, or, if that was given by --job-name, by its labels, which cost a request for
// each Go job of another name.
func (c *Client) List(ctx context.Context, active bool, use func(Job) bool) error {
	filter := "ALL"
	if active {
		filter = "ACTIVE"
	}
	for token := ""; ; {
		var page *df.ListJobsResponse
		err := c.retry(ctx, "list jobs", func(ctx context.Context) (err error) {
			page, err = c.jobs().List(c.project, c.region).Filter(filter).PageToken(token).Context(ctx).Do()
			return err
		})
		if err != nil {
			return err
		}
		for _, j := range page.Jobs {
			ours, err := c.ours(ctx, j)
			if err != nil {
				return err
			}
			if ours != nil && !use(*ours) {
				return nil
			}
		}
		if token = page.NextPageToken; token == "" {
			return nil
		}
	}
}

// ours returns a listed job if it is one of ours.
func (c *Client) ours(ctx context.Context, j *df.Job) (*Job, error) {
	job := c.job(j)
	if job.Pipeline == "" && strings.HasPrefix(job.Name, namePrefix) {
		job.Pipeline, _, _ = strings.Cut(strings.TrimPrefix(job.Name, namePrefix), "-")
	}
	if job.Pipeline != "" {
		return &job, nil
	}
	if len(job.Labels) > 0 || !madeByGo(j) {
		return nil, nil
	}
	job, err := c.Get(ctx, j.Id)
	if err != nil || job.Pipeline == "" {
		return nil, err
	}
	return &job, nil
}

// madeByGo is false only if the service tells that the job is not one of the Go SDK's.
func madeByGo(j *df.Job) bool {
	if j.JobMetadata == nil || j.JobMetadata.SdkVersion == nil {
		return true
	}
	name := j.JobMetadata.SdkVersion.VersionDisplayName
	return name == "" || strings.Contains(name, "Go")
}

// messages returns what the service told of a job since a time, itself included, from
// an importance on, in the order of time. The zero time is the beginning.
func (c *Client) messages(ctx context.Context, id string, start time.Time, minimum Importance) ([]Message, error) {
	var messages []Message
	for token := ""; ; {
		var page *df.ListJobMessagesResponse
		err := c.retry(ctx, "list the messages of job "+id, func(ctx context.Context) (err error) {
			call := c.jobs().Messages.List(c.project, c.region, id).MinimumImportance(string(minimum)).PageToken(token)
			if !start.IsZero() {
				call.StartTime(start.UTC().Format(time.RFC3339Nano))
			}
			page, err = call.Context(ctx).Do()
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, m := range page.JobMessages {
			messages = append(messages, message(m))
		}
		if token = page.NextPageToken; token == "" {
			return messages, nil
		}
	}
}

// Cancel asks the service to end a job and waits until it has. A job that has ended
// already is left as it is. It returns the job as it ended, which may be done, if it
// was faster. Units that were committed stay.
func (c *Client) Cancel(ctx context.Context, id string) (Job, error) {
	job, err := c.Get(ctx, id)
	if err != nil || job.State.Finished() {
		return job, err
	}
	err = c.retry(ctx, "cancel job "+id, func(ctx context.Context) error {
		_, err := c.jobs().Update(c.project, c.region, id, &df.Job{RequestedState: statePrefix + "CANCELLED"}).Context(ctx).Do()
		return err
	})
	if err != nil {
		// It may have ended meanwhile.
		if latest, getErr := c.Get(ctx, id); getErr == nil && latest.State.Finished() {
			return latest, nil
		}
		return job, err
	}
	limited, stop := context.WithTimeout(ctx, c.pace.cancelFor)
	defer stop()
	for pause := c.pace.pollFirst; ; pause = min(pause+pause/2, c.pace.pollLongest) {
		latest, err := c.Get(limited, id)
		if err == nil {
			job = latest
			if job.State.Finished() {
				return job, nil
			}
			err = gax.Sleep(limited, pause)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return job, context.Cause(ctx)
		case limited.Err() != nil:
			return job, fmt.Errorf("cancel job %s: it is still %s after %s; see %s", id, job.State, c.pace.cancelFor, job.URL)
		default:
			return job, err
		}
	}
}
