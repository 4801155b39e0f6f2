package dataflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/googleapis/gax-go/v2"

	"sentweave/pipelines/units"
)

// ErrCancelled is the error of waiting for a job that was cancelled.
var ErrCancelled = errors.New("the job was cancelled")

// Event is a change of a job that is waited for: a new state, or a message.
type Event struct {
	Job Job
	// Message is nil if the state changed.
	Message *Message
}

// Wait follows a job until it has ended and returns it. Observe, if not nil, is called
// for each new state and each message from Basic on, in order, by this goroutine. The
// error of a job that failed is what a worker of ours said, or else the service; a
// cancelled job is ErrCancelled. When ctx ends Wait does, with its cause, and the job
// goes on.
//
// The job is looked at at once, and then after pauses that grow to 15 seconds while
// nothing happens.
func (c *Client) Wait(ctx context.Context, id string, observe func(Event)) (Job, error) {
	if observe == nil {
		observe = func(Event) {}
	}
	f := &follower{client: c, id: id, observe: observe, seen: map[string]bool{}}
	last := false
	for pause := c.pace.pollFirst; ; {
		changed, err := f.look(ctx)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%w; the job goes on, follow it by its id %s", err, id)
			}
			return f.job, err
		}
		if f.job.State == Failed && len(f.errors) == 0 && !last {
			last = true // messages may come after the state: look once more
		} else if f.job.State.Finished() {
			return f.job, f.outcome()
		}
		if changed {
			pause = c.pace.pollFirst
		}
		if gax.Sleep(ctx, pause) != nil {
			return f.job, context.Cause(ctx)
		}
		pause = min(pause+pause/2, c.pace.pollLongest)
	}
}

// follower is what is known of a job so far.
type follower struct {
	client  *Client
	id      string
	observe func(Event)
	job     Job
	// seen are the messages at the time of the latest: a listing begins with that.
	seen   map[string]bool
	latest time.Time
	errors []string
}

// look asks for state and messages once. Messages are asked for after the state, so
// that those of a job that has ended are all there.
func (f *follower) look(ctx context.Context) (changed bool, err error) {
	job, err := f.client.Get(ctx, f.id)
	if err != nil {
		return false, err
	}
	previous := f.job.State
	f.job = job
	messages, err := f.client.messages(ctx, f.id, f.latest, Basic)
	if err != nil {
		return false, err
	}
	for _, m := range messages {
		if f.seen[m.ID] {
			continue
		}
		if m.Time.After(f.latest) {
			f.latest, f.seen = m.Time, map[string]bool{}
		}
		f.seen[m.ID] = true
		if m.Importance == Error {
			f.errors = append(f.errors, m.Text)
		}
		changed = true
		f.observe(Event{Job: job, Message: &m})
	}
	if job.State != previous {
		changed = true
		f.observe(Event{Job: job})
	}
	return changed, nil
}

// outcome is the error of a job that has ended.
func (f *follower) outcome() error {
	switch f.job.State {
	case Done:
		return nil
	case Cancelled:
		return fmt.Errorf("job %s: %w", f.id, ErrCancelled)
	case Failed:
		return fmt.Errorf("job %s failed: %w; its log: %s", f.id, cause(f.errors), f.job.URL)
	}
	return fmt.Errorf("job %s ended as %s, without output", f.id, f.job.State)
}

// cause finds in the messages of a failed job what a worker of ours said, or returns
// the last of the service.
func cause(messages []string) error {
	if len(messages) == 0 {
		return errors.New("the service does not say why")
	}
	for _, text := range messages {
		marked := errors.New(text)
		if ours := units.Unmark(marked); ours != marked { //nolint:errorlint // the same value, if there is no mark
			return ours
		}
	}
	return errors.New(firstLine(strings.TrimSpace(messages[len(messages)-1])))
}
