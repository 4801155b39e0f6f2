package dedup

import (
	"encoding/json"

	"sentweave/schemas/dataset"
)

// planConfig is Config with what later pipelines want to know of the documents:
// which pages translate each other stays known.
type planConfig struct {
	Config
	Layout string `json:"layout,omitempty"`
}

func (c Config) withLayout(documents *dataset.Manifest) planConfig {
	var made struct {
		Layout string `json:"layout"`
	}
	_ = json.Unmarshal(documents.Plan.Config, &made) // documents of another making have no layout
	return planConfig{c, made.Layout}
}
