package torchverbs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/doctor"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
	"sentweave/stages/train"
	"sentweave/stages/train/batches"
)

// recorded is what the record of a training holds of its model: the fields of both
// parts, and between them the objectives by their names.
type recorded struct {
	recordedEncoder
	Objectives objective.Settings `json:"-"`
	recordedRun
}

type recordedEncoder struct {
	Model     model.Config  `json:"model"`
	Pooling   model.Pooling `json:"pooling"`
	MaxTokens int           `json:"max_tokens"`
}

type recordedRun struct {
	// From is the hash of the encoder that the training begins with.
	From      string `json:"from,omitempty"`
	Device    string `json:"device"`
	Precision string `json:"precision"`
	Threads   int    `json:"threads"`
}

// MarshalJSON implements json.Marshaler.
func (r recorded) MarshalJSON() ([]byte, error) {
	parts := []any{r.recordedEncoder}
	for _, name := range objective.Names() {
		if c, ok := r.Objectives[name]; ok {
			parts = append(parts, map[string]any{name: c})
		}
	}
	var fields [][]byte
	for _, part := range append(parts, r.recordedRun) {
		object, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		fields = append(fields, object[1:len(object)-1])
	}
	return slices.Concat([]byte("{"), bytes.Join(fields, []byte(",")), []byte("}")), nil
}

// UnmarshalJSON reads what MarshalJSON wrote, or an earlier version.
func (r *recorded) UnmarshalJSON(text []byte) error {
	type plain recorded
	var fields map[string]json.RawMessage
	if err := errors.Join(jsonfile.Unmarshal(text, (*plain)(r)), jsonfile.Unmarshal(text, &fields)); err != nil {
		return err
	}
	r.Objectives = objective.Settings{}
	for _, o := range objective.List() {
		if section, ok := fields[o.Name]; ok {
			c := o.Config()
			if err := jsonfile.Unmarshal(section, c); err != nil {
				return err
			}
			r.Objectives[o.Name] = c
		}
	}
	return nil
}

// machineOf is where a training computes, as `sentweave doctor` knows it.
func machineOf(h torch.Hardware) train.Machine {
	m := train.Machine{Processor: doctor.Processor(), Card: h.Card, Libtorch: h.Libtorch, Kernels: h.Kernels}
	if h.Unnamed != nil {
		m.Card = "not known: " + h.Unnamed.Error()
	}
	if m.Card != "" {
		m.Driver = doctor.Driver()
	}
	return m
}

// record is what is read of the record of a training.
type record struct {
	Period    string           `json:"period"`
	Step      int64            `json:"step"`
	Validated *train.Validated `json:"validated"`
	Config    struct {
		Model   recorded       `json:"model"`
		Periods []train.Period `json:"periods"`
	} `json:"config"`
}

// readRecord reads the record of a folder that a training made. The error matches
// fs.ErrNotExist where there is none.
func readRecord(folder string) (*record, error) {
	data, err := storage.ReadFile(context.Background(), storage.NewLocal(folder), train.RecordName, 16<<20)
	if err != nil {
		return nil, err
	}
	var r record
	if err := jsonfile.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, train.RecordName), err)
	}
	return &r, nil
}

// trainedBy says whether the last period had the objective: only its heads are kept.
func (r *record) trainedBy(name string) bool {
	for _, s := range r.Config.Periods {
		if s.Name == r.Period {
			return slices.ContainsFunc(s.Mixture, func(m batches.Source) bool { return m.Objective == name })
		}
	}
	return false
}
