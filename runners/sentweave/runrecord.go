package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"sentweave/runners/recipe"
	"sentweave/schemas/storage"
)

// runRecord is what the steps of a recipe took, as it stands in recipe.RunName.
type runRecord struct {
	Recipe string `json:"recipe"`
	// PeakRSSBytes is the greatest resident memory of this process and those that it
	// started, together; 0 where the system does not tell.
	PeakRSSBytes int64        `json:"peak_rss_bytes"`
	Steps        []stepRecord `json:"steps"`
}

type stepRecord struct {
	Step string `json:"step"`
	// Seconds is the longest time that the step took: where its output is there
	// already, it takes none.
	Seconds float64 `json:"seconds"`
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
	var r runRecord
	damaged := json.Unmarshal(data, &r) != nil || r.PeakRSSBytes < 0 || slices.ContainsFunc(r.Steps, func(s stepRecord) bool { return s.Seconds < 0 })
	if damaged {
		return &runRecord{}, nil // figures for information: they are taken anew
	}
	return &r, nil
}

func (r *runRecord) write(ctx context.Context, location string) error {
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

// forget drops the times of steps, and with the last of them the memory.
func (r *runRecord) forget(which func(step string) bool) {
	r.Steps = slices.DeleteFunc(r.Steps, func(s stepRecord) bool { return which(s.Step) })
	if len(r.Steps) == 0 {
		r.PeakRSSBytes = 0
	}
}

// took notes the time of a step.
func (r *runRecord) took(step string, d time.Duration) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Step == step {
			s.Seconds = max(s.Seconds, d.Seconds())
			return
		}
	}
	r.Steps = append(r.Steps, stepRecord{step, d.Seconds()})
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
