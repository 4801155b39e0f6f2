package models

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/train"
)

// recorded is what the record of a training holds of its model.
type recorded struct {
	Model     model.Config     `json:"model"`
	Pooling   model.Pooling    `json:"pooling"`
	MaxTokens int              `json:"max_tokens"`
	CMLM      objective.CMLM   `json:"cmlm"`
	Bitext    objective.Bitext `json:"bitext"`
	// From is the weights' file of the encoder to begin with.
	From      string `json:"from,omitempty"`
	Device    string `json:"device"`
	Precision string `json:"precision"`
	Threads   int    `json:"threads"`
}

// record is what is read of the record of a training.
type record struct {
	Stage  string `json:"stage"`
	Config struct {
		Model  recorded      `json:"model"`
		Stages []train.Stage `json:"stages"`
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
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, train.RecordName), err)
	}
	return &r, nil
}

// trainedBy says whether the last stage had the objective: only its heads are kept.
func (r *record) trainedBy(name string) bool {
	for _, s := range r.Config.Stages {
		if s.Name == r.Stage {
			return slices.ContainsFunc(s.Mixture, func(m train.Source) bool { return m.Objective == name })
		}
	}
	return false
}
