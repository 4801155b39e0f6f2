package encoders

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/schemas/jsonfile"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/stages/model"
	"sentweave/stages/torch"
)

// Settings of a figure that say how the vectors of tokens became those of texts, and what was done to these.
const (
	settingPooling = "pooling"
	settingLayer   = "layer" // its number, or lastLayer
	settingVectors = "vectors"
	// settingPrecision is that of int8 alone: bfloat16 has none in results of before.
	settingPrecision = "precision"
	// settingEndpoint is the address of a service with the model there, settingDimensions the size that it was asked for.
	settingEndpoint   = "endpoint"
	settingDimensions = "dimensions"
	lastLayer         = "last"
)

// pooling says how the vectors of a model come from those of its tokens: by the folder of an
// encoder, with what the flags say, or by the record of a dataset that embed made. It is empty
// for what does not tell: baselines, programs, and vectors and encoders of other programs.
func (m Models) pooling(ctx context.Context, s Spec) (map[string]string, error) {
	if encoder.IsEndpoint(s.Location) {
		settings := map[string]string{settingEndpoint: s.Location}
		if n := m.Dimensions[s.Name]; n > 0 {
			settings[settingDimensions] = fmt.Sprint(n)
		}
		return settings, nil
	}
	if !encoder.IsLocation(s.Location) {
		return map[string]string{}, nil
	}
	folder, err := storage.Locate(s.Location)
	if err != nil {
		return nil, err
	}
	switch d, err := dataset.Load(ctx, folder); {
	case err == nil:
		return poolingOfEmbeddings(d), nil
	case !errors.Is(err, dataset.ErrNoDataset):
		return nil, err
	}
	f, err := openFolder(ctx, s.Location)
	if err != nil || f == nil {
		return map[string]string{}, err
	}
	return m.poolingOfFolder(f), nil
}

// poolingOfFolder is what the folder says, or the flags in its place.
func (m Models) poolingOfFolder(f *model.Folder) map[string]string {
	pooling := cmp.Or(m.Pooling, string(f.Pooling))
	settings := poolingSettings(pooling, m.Layer, f.Config.Layers)
	if m.Precision == torch.Int8 {
		settings[settingPrecision] = m.Precision
	}
	return settings
}

// openFolder reads the settings of the folder of an encoder; nil for those of other programs, of which the program
// that encodes by them knows more, or says what is wrong.
func openFolder(ctx context.Context, location string) (*model.Folder, error) {
	fetched, err := model.Fetch(ctx, location)
	if err != nil {
		return nil, err
	}
	defer fetched.Close()
	f, err := model.Open(fetched.Path)
	if err != nil {
		return nil, nil
	}
	return f, nil
}

// poolingOfEmbeddings reads what embed records.
func poolingOfEmbeddings(d *dataset.Manifest) map[string]string {
	if d.Plan.Pipeline != "embed" {
		return map[string]string{}
	}
	return poolingOfConfig(d.Plan.Config, -1)
}

// poolingOfConfig reads the configuration of embeddings of an encoder of so many layers, -1 where they are not known.
func poolingOfConfig(data json.RawMessage, layers int) map[string]string {
	var config struct {
		Model struct {
			Pooling string `json:"pooling"`
			Layer   *int   `json:"layer"`
		} `json:"model"`
		Vectors string `json:"vectors"`
	}
	if jsonfile.Unmarshal(data, &config) != nil || config.Model.Layer == nil {
		return map[string]string{}
	}
	settings := poolingSettings(config.Model.Pooling, *config.Model.Layer, layers)
	if config.Vectors != "" {
		settings[settingVectors] = config.Vectors
	}
	return settings
}

// poolingSettings has the number of a layer unless it is the last of so many; it is empty where
// the pooling is not known.
func poolingSettings(pooling string, layer, layers int) map[string]string {
	if pooling == "" {
		return map[string]string{}
	}
	name := lastLayer
	if layer >= 0 && layer != layers {
		name = fmt.Sprint(layer)
	}
	return map[string]string{settingPooling: pooling, settingLayer: name}
}
