package dataflow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/googleapi"
)

// ErrActive is the error of a submission while a job of the same name is active.
var ErrActive = errors.New("a job of this name is active")

// Submit stages what the request names and creates the job. The plan must be in the
// output folder already. A submission that is repeated after a lost answer finds its
// own job again; one while another job of the name is active is an error that
// matches ErrActive and names that job.
func (c *Client) Submit(ctx context.Context, r *Request) (Job, error) {
	if r.Job.ProjectId != c.project {
		return Job{}, fmt.Errorf("submit job %s: it was prepared for project %s, the client is for %s", r.Job.Name, r.Job.ProjectId,
			c.project)
	}
	if _, err := Stage(ctx, r); err != nil {
		return Job{}, err
	}
	s := submission{client: c, id: strings.ToLower(rand.Text()), job: *r.Job}
	s.job.ClientRequestId = s.id
	s.job.Labels = maps.Clone(r.Job.Labels)
	s.job.Labels[submissionLabel] = s.id
	action := "submit job " + s.job.Name
	var job *df.Job
	ours := false
	if err := ctx.Err(); err != nil {
		return Job{}, err
	}
	// An interrupt does not cut this off: a job whose id nobody is told runs on.
	settled, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitWait)
	defer cancel()
	err := c.retry(settled, action, func(ctx context.Context) (err error) {
		job, ours, err = s.create(ctx)
		return err
	})
	if err != nil {
		return Job{}, err
	}
	if !ours {
		return Job{}, fmt.Errorf("%s: %w, %s; follow it by this id, cancel it, or give this one another --job-name and output", action,
			ErrActive, job.Id)
	}
	return c.job(job), nil
}

// submitWait bounds how long a submission is tried.
const submitWait = 2 * time.Minute

// submission is one call of Submit. The service keeps its id in two places: in the
// field that is made for it, of which it is not documented who may read it, and in a
// label, which everybody reads.
type submission struct {
	client *Client
	id     string
	job    df.Job
}

// create creates the job, or returns the one that keeps it from being created: with an
// active job of the name the service returns that one, or answers that there is one.
func (s *submission) create(ctx context.Context) (job *df.Job, ours bool, err error) {
	c := s.client
	job, err = c.jobs().Create(c.project, c.region, &s.job).Context(ctx).Do()
	if conflict(err) {
		job, err = s.find(ctx, err)
	}
	if err != nil || s.made(job) {
		return job, err == nil, err
	}
	job, err = c.jobs().Get(c.project, c.region, job.Id).View("JOB_VIEW_ALL").Context(ctx).Do()
	return job, err == nil && s.made(job), err
}

func (s *submission) made(job *df.Job) bool {
	return job.ClientRequestId == s.id || job.Labels[submissionLabel] == s.id
}

// find returns the latest job of the name after the service refused to create one, or
// the refusal if there is none.
func (s *submission) find(ctx context.Context, refusal error) (*df.Job, error) {
	c := s.client
	var latest *df.Job
	err := c.jobs().List(c.project, c.region).Filter("ALL").Name(s.job.Name).Pages(ctx, func(page *df.ListJobsResponse) error {
		for _, j := range page.Jobs {
			if j.Name == s.job.Name && latest == nil {
				latest = j
			}
		}
		return nil
	})
	if err == nil && latest == nil {
		err = refusal
	}
	return latest, err
}

func conflict(err error) bool {
	var answer *googleapi.Error
	return errors.As(err, &answer) && answer.Code == http.StatusConflict
}
