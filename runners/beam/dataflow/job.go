package dataflow

import (
	"strings"
	"time"

	df "google.golang.org/api/dataflow/v1b3"
)

// State is the state of a job, as the API calls it but for JOB_STATE_ and in
// lowercase: queued, pending, running, cancelling, done, failed, cancelled, drained, updated.
type State string

// The states that are the end of a batch job, and those that this package asks for.
const (
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

const statePrefix = "JOB_STATE_"

func stateOf(name string) State {
	return State(strings.ToLower(strings.TrimPrefix(name, statePrefix)))
}

// Finished says whether the state is a last one.
func (s State) Finished() bool {
	switch s {
	case Done, Failed, Cancelled, "drained", "updated":
		return true
	}
	return false
}

// Job is a job of the service.
type Job struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   State     `json:"state"`
	Created time.Time `json:"created"`
	// Pipeline is that of a job of ours; empty for those of others, and where the
	// service told no labels.
	Pipeline string            `json:"pipeline"`
	Labels   map[string]string `json:"labels,omitempty"`
	// URL is its page in Google's console.
	URL string `json:"url"`
}

func (c *Client) job(j *df.Job) Job {
	created, _ := time.Parse(time.RFC3339Nano, j.CreateTime) // an unreadable time is none
	return Job{
		ID: j.Id, Name: j.Name, State: stateOf(j.CurrentState), Created: created,
		Pipeline: j.Labels[pipelineLabel], Labels: j.Labels, URL: c.JobURL(j.Id),
	}
}

// Importance orders messages.
type Importance string

// The importances that a user may want to see, as the API calls them.
const (
	Detailed Importance = "JOB_MESSAGE_DETAILED"
	Basic    Importance = "JOB_MESSAGE_BASIC"
	Warning  Importance = "JOB_MESSAGE_WARNING"
	Error    Importance = "JOB_MESSAGE_ERROR"
)

// Message is what the service tells of a job.
type Message struct {
	ID         string
	Time       time.Time
	Importance Importance
	Text       string
}

func message(m *df.JobMessage) Message {
	timestamp, _ := time.Parse(time.RFC3339Nano, m.Time)
	return Message{ID: m.Id, Time: timestamp, Importance: Importance(m.MessageImportance), Text: m.MessageText}
}
