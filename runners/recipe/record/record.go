// Package record is the file in the folder of a recipe that says what its steps took, and how far the latest run is.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"sentweave/runners/command"
	"sentweave/runners/recipe"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
)

// Record is what the steps of a recipe took, and how far it is, as it is in
// recipe.RunName.
type Record struct {
	Recipe string `json:"recipe"`
	// PeakRSSBytes is the greatest resident memory of this process and those that it
	// started, together; 0 where the system does not tell.
	PeakRSSBytes int64  `json:"peak_rss_bytes"`
	Steps        []Step `json:"steps"`
	// Run is the latest run; nil in records of earlier versions.
	Run *Run `json:"run,omitempty"`

	mutex sync.Mutex
}

type Step struct {
	Step string `json:"step"`
	// Seconds is the time of the step, with that of runs that were interrupted in it. Whole says that it came to
	// its end: then its output is there, and what it takes to find that counts for nothing.
	Seconds float64 `json:"seconds"`
	Whole   bool    `json:"whole,omitempty"`
	// Settings are the arguments with which it was whole last; nil in records of earlier versions.
	Settings []string `json:"settings,omitempty"`
}

// Run is a run, for whoever asks how far it is, on whatever machine.
type Run struct {
	// Command is the command line, as a shell reads it.
	Command string    `json:"command"`
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Started time.Time `json:"started"`
	// Seen is the last sign of life, every beat.
	Seen time.Time `json:"seen"`
	// Ended is zero while it runs. Fault is why it ended before its last step.
	Ended time.Time   `json:"ended,omitzero"`
	Fault string      `json:"fault,omitempty"`
	Steps []StepState `json:"steps"`
	// Part says that these are not all steps of the recipe.
	Part bool `json:"part,omitempty"`
	// Estimate says that the last of the steps was only to tell what it would cost.
	Estimate bool `json:"estimate,omitempty"`
}

type StepState struct {
	Step  string   `json:"step"`
	Verb  string   `json:"verb"`
	Needs []string `json:"needs,omitempty"`
	// Began and Ended are zero before.
	Began  time.Time `json:"began,omitzero"`
	Ended  time.Time `json:"ended,omitzero"`
	Failed bool      `json:"failed,omitempty"`
}

// maxBytes is what is read of a record.
const maxBytes = 256 << 20

// Read returns the record of a folder, an empty one if there is none.
func Read(ctx context.Context, location string) (*Record, error) {
	data, err := storage.ReadLocation(ctx, storage.Join(location, recipe.RunName), maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &Record{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Record{}
	damaged := jsonfile.Unmarshal(data, r) != nil || r.PeakRSSBytes < 0 ||
		slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Seconds < 0 })
	if damaged {
		return &Record{}, nil // figures for information: they are taken anew
	}
	return r, nil
}

func (r *Record) Write(ctx context.Context, location string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	folder, err := storage.Locate(location)
	if err == nil {
		err = storage.WriteFile(ctx, folder, recipe.RunName, append(data, '\n'), storage.Replace)
	}
	if err != nil {
		return fmt.Errorf("write what the recipe took: %w", err)
	}
	return nil
}

// Begin notes a run of these commands in the folder at location, and gives signs of its life until end is called with its
// error. Begin adds to the run who runs it, when, and its steps.
func (r *Record) Begin(ctx context.Context, location string, run Run, commands []recipe.Command) (end func(error) error, err error) {
	run.Host, _ = os.Hostname() // for information
	run.Process, run.Started = os.Getpid(), time.Now().UTC()
	run.Seen = run.Started
	r.Run = &run
	for _, c := range commands {
		needs := slices.Compact(slices.Sorted(slices.Values(c.Needs)))
		r.Run.Steps = append(r.Run.Steps, StepState{Step: c.Step, Verb: c.Verb(), Needs: needs})
	}
	if err := r.Write(ctx, location); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(Beat(location)):
				r.Note(func(s *Run) { s.Seen = time.Now().UTC() })
				_ = r.Write(ctx, location) // the work itself tells what is wrong with the disk
			}
		}
	}()
	return func(err error) error {
		close(done)
		<-ended
		r.Note(func(s *Run) {
			s.Seen = time.Now().UTC()
			if s.Ended = s.Seen; err != nil {
				s.Fault = err.Error()
			}
		})
		return r.Write(ctx, location)
	}, nil
}

// Busy returns an error if another process is at work, as the record says.
func (r *Record) Busy(location string, now time.Time) error {
	s := r.Run
	if s == nil || s.State(now, Beat(location)) != Running {
		return nil
	}
	if host, err := os.Hostname(); err == nil && host == s.Host && s.Process == os.Getpid() {
		return nil // a container that was started again counts its processes from 1
	}
	return fmt.Errorf("--out: a recipe is running in %s: process %d on %s, since %s; wait for it (`sentweave status --follow %s`), or choose another folder; one that was killed elsewhere counts as stopped after %s",
		location, s.Process, s.Host, command.Stamp(s.Started), location, 3*Beat(location))
}

// Beat is the time between two signs of life: in a bucket each is a request.
func Beat(location string) time.Duration {
	if storage.IsRemote(location) {
		return time.Minute
	}
	return 10 * time.Second
}

// Note changes what is told of the run.
func (r *Record) Note(change func(*Run)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	change(r.Run)
}

// BeginStep notes that a step begins; ended is called when it ends. One that is interrupted has
// not ended: it goes on in another run.
func (r *Record) BeginStep(ctx context.Context, name string, settings []string) (ended func(error)) {
	began := time.Now()
	update := func(change func(*StepState)) {
		r.Note(func(s *Run) {
			if i := slices.IndexFunc(s.Steps, func(s StepState) bool { return s.Step == name }); i >= 0 {
				change(&s.Steps[i])
			}
			s.Seen = time.Now().UTC()
		})
	}
	update(func(s *StepState) { s.Began = began.UTC() })
	return func(err error) {
		if err == nil || ctx.Err() == nil {
			update(func(s *StepState) { s.Ended, s.Failed = time.Now().UTC(), err != nil })
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		s := r.took(name, time.Since(began), err == nil)
		if err == nil {
			s.Settings = settings
		}
	}
}

// Forget drops the times of steps, and with the last of them the memory.
func (r *Record) Forget(which func(step string) bool) {
	r.Steps = slices.DeleteFunc(r.Steps, func(s Step) bool { return which(s.Step) })
	if len(r.Steps) == 0 {
		r.PeakRSSBytes = 0
	}
}

// took notes the time of a step, and whether it came to its end.
func (r *Record) took(step string, d time.Duration, complete bool) *Step {
	i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Step == step })
	if i < 0 {
		i, r.Steps = len(r.Steps), append(r.Steps, Step{Step: step})
	}
	s := &r.Steps[i]
	if !s.Whole {
		s.Seconds, s.Whole = s.Seconds+d.Seconds(), complete
	}
	return s
}

// Settings are those of the steps of a recipe that were whole, as far as they are known.
func (r *Record) Settings(name string) map[string][]string {
	arguments := map[string][]string{}
	for _, s := range r.Steps {
		if s.Settings != nil && r.Recipe == name {
			arguments[s.Step] = s.Settings
		}
	}
	return arguments
}

// secondsOf is the time of a step, 0 if it is not known.
func (r *Record) secondsOf(step string) float64 {
	for _, s := range r.Steps {
		if s.Step == step {
			return s.Seconds
		}
	}
	return 0
}

// Seconds is the time of all steps.
func (r *Record) Seconds() (sum float64) {
	for _, s := range r.Steps {
		sum += s.Seconds
	}
	return sum
}

// WatchMemory calls report with the resident memory of this process and its
// descendants several times a second until stop is called.
func WatchMemory(report func(bytes int64)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			report(treeMemory())
			select {
			case <-done:
				return
			case <-time.After(memoryPause):
			}
		}
	}()
	return func() { close(done); <-ended }
}

const memoryPause = 250 * time.Millisecond
