package main

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

// runRecord is what the steps of a recipe took, and how far it is, as it stands in
// recipe.RunName.
type runRecord struct {
	Recipe string `json:"recipe"`
	// PeakRSSBytes is the greatest resident memory of this process and those that it
	// started, together; 0 where the system does not tell.
	PeakRSSBytes int64        `json:"peak_rss_bytes"`
	Steps        []stepRecord `json:"steps"`
	// Run is the latest run; nil in records of earlier versions.
	Run *runState `json:"run,omitempty"`

	mutex sync.Mutex
}

type stepRecord struct {
	Step string `json:"step"`
	// Seconds is the time of the step, with that of runs that were interrupted in it. Whole says that it came to
	// its end: then its output is there, and what it takes to find that counts for nothing.
	Seconds float64 `json:"seconds"`
	Whole   bool    `json:"whole,omitempty"`
	// Settings are the arguments with which it was whole last; nil in records of earlier versions.
	Settings []string `json:"settings,omitempty"`
}

// runState is a run, for whoever asks how far it is, on whatever machine.
type runState struct {
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
	Steps []stepState `json:"steps"`
	// Part says that these are not all steps of the recipe.
	Part bool `json:"part,omitempty"`
	// Estimate says that the last of the steps was only to tell what it would cost.
	Estimate bool `json:"estimate,omitempty"`
}

type stepState struct {
	Step  string   `json:"step"`
	Verb  string   `json:"verb"`
	Needs []string `json:"needs,omitempty"`
	// Began and Ended are zero before.
	Began  time.Time `json:"began,omitzero"`
	Ended  time.Time `json:"ended,omitzero"`
	Failed bool      `json:"failed,omitempty"`
}

// readRunRecord returns the record of a folder, an empty one if there is none.
func readRunRecord(ctx context.Context, location string) (*runRecord, error) {
	data, err := storage.ReadLocation(ctx, storage.Join(location, recipe.RunName), maxPublished)
	if errors.Is(err, fs.ErrNotExist) {
		return &runRecord{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &runRecord{}
	damaged := jsonfile.Unmarshal(data, r) != nil || r.PeakRSSBytes < 0 || slices.ContainsFunc(r.Steps, func(s stepRecord) bool { return s.Seconds < 0 })
	if damaged {
		return &runRecord{}, nil // figures for information: they are taken anew
	}
	return r, nil
}

func (r *runRecord) write(ctx context.Context, location string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	folder, err := storage.At(location)
	if err == nil {
		err = storage.WriteFile(ctx, folder, recipe.RunName, append(data, '\n'), storage.Replace)
	}
	if err != nil {
		return fmt.Errorf("write what the recipe took: %w", err)
	}
	return nil
}

// begin notes a run, and gives signs of its life until end is called with its error.
func (r *runRecord) begin(ctx context.Context, location, commandLine string, commands []recipe.Command, part, estimate bool) (end func(error) error, err error) {
	host, _ := os.Hostname() // for information
	now := time.Now().UTC()
	r.Run = &runState{Command: commandLine, Host: host, Process: os.Getpid(), Started: now, Seen: now, Part: part, Estimate: estimate}
	for _, c := range commands {
		needs := slices.Compact(slices.Sorted(slices.Values(c.Needs)))
		r.Run.Steps = append(r.Run.Steps, stepState{Step: c.Step, Verb: c.Verb(), Needs: needs})
	}
	if err := r.write(ctx, location); err != nil {
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
			case <-time.After(beat(location)):
				r.note(func(s *runState) { s.Seen = time.Now().UTC() })
				_ = r.write(ctx, location) // the work itself tells what is wrong with the disk
			}
		}
	}()
	return func(err error) error {
		close(done)
		<-ended
		r.note(func(s *runState) {
			s.Seen = time.Now().UTC()
			if s.Ended = s.Seen; err != nil {
				s.Fault = err.Error()
			}
		})
		return r.write(ctx, location)
	}, nil
}

// busy returns an error if another process is at work, as the record says.
func (r *runRecord) busy(location string, now time.Time) error {
	s := r.Run
	if s == nil || s.state(now, beat(location)) != running {
		return nil
	}
	if host, err := os.Hostname(); err == nil && host == s.Host && s.Process == os.Getpid() {
		return nil // a container that was started again counts its processes from 1
	}
	return fmt.Errorf("--out: a recipe is running in %s: process %d on %s, since %s; wait for it (`sentweave status --follow %s`), or choose another folder; one that was killed elsewhere counts as stopped after %s",
		location, s.Process, s.Host, stamp(s.Started), location, 3*beat(location))
}

// beat is the time between two signs of life: in a bucket each is a request.
func beat(location string) time.Duration {
	if storage.IsRemote(location) {
		return time.Minute
	}
	return 10 * time.Second
}

// note changes what is told of the run.
func (r *runRecord) note(change func(*runState)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	change(r.Run)
}

// step notes that a step begins; ended is called when it ends. One that is interrupted has
// not ended: it goes on in another run.
func (r *runRecord) step(ctx context.Context, name string, settings []string) (ended func(error)) {
	began := time.Now()
	update := func(change func(*stepState)) {
		r.note(func(s *runState) {
			if i := slices.IndexFunc(s.Steps, func(s stepState) bool { return s.Step == name }); i >= 0 {
				change(&s.Steps[i])
			}
			s.Seen = time.Now().UTC()
		})
	}
	update(func(s *stepState) { s.Began = began.UTC() })
	return func(err error) {
		if err == nil || ctx.Err() == nil {
			update(func(s *stepState) { s.Ended, s.Failed = time.Now().UTC(), err != nil })
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.took(name, time.Since(began), err == nil)
		if i := slices.IndexFunc(r.Steps, func(s stepRecord) bool { return s.Step == name }); err == nil && i >= 0 {
			r.Steps[i].Settings = settings
		}
	}
}

// forget drops the times of steps, and with the last of them the memory.
func (r *runRecord) forget(which func(step string) bool) {
	r.Steps = slices.DeleteFunc(r.Steps, func(s stepRecord) bool { return which(s.Step) })
	if len(r.Steps) == 0 {
		r.PeakRSSBytes = 0
	}
}

// took notes the time of a step, and whether it came to its end.
func (r *runRecord) took(step string, d time.Duration, complete bool) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Step == step {
			if !s.Whole {
				s.Seconds, s.Whole = s.Seconds+d.Seconds(), complete
			}
			return
		}
	}
	r.Steps = append(r.Steps, stepRecord{Step: step, Seconds: d.Seconds(), Whole: complete})
}

// settings are those of the steps of a recipe that were whole, as far as they are known.
func (r *runRecord) settings(name string) map[string][]string {
	arguments := map[string][]string{}
	for _, s := range r.Steps {
		if s.Settings != nil && r.Recipe == name {
			arguments[s.Step] = s.Settings
		}
	}
	return arguments
}

// secondsOf is the time of a step, 0 if it is not known.
func (r *runRecord) secondsOf(step string) float64 {
	for _, s := range r.Steps {
		if s.Step == step {
			return s.Seconds
		}
	}
	return 0
}

// seconds is the time of all steps.
func (r *runRecord) seconds() (sum float64) {
	for _, s := range r.Steps {
		sum += s.Seconds
	}
	return sum
}

// watchMemory calls report with the resident memory of this process and its
// descendants several times a second until stop is called.
func watchMemory(report func(bytes int64)) (stop func()) {
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

// faultText is an error for the record: an interrupt has no other words, and a step that
// printed why it failed has its name.
func faultText(ctx context.Context, err error, results []recipe.Result, way string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case command.WasSaid(err) && len(results) > 0:
		return fmt.Errorf("step %s failed, as it said on its standard error%s", results[len(results)-1].Step, way)
	}
	return err
}
