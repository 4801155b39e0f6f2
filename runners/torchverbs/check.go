package torchverbs

import (
	"context"
	"fmt"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/torch"
)

// DeviceVerb is what sentweave-torch knows of the verb device.
var DeviceVerb = verb.Verb{Name: "device", Help: "Say whether libtorch computes on a device.", New: func() any { return new(Device) }}

// Device is the verb that says whether libtorch computes on a device, and on how many threads: a recipe
// asks before its first step.
type Device struct{ torch.Compute }

// Run implements the verb: it prints the number of threads.
func (d *Device) Run(p *command.Program) error {
	if err := torch.Use(d.Compute); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.Stdout, torch.Threads())
	return err
}

// configName is the file with the settings of an encoder.
const configName = "config.json"

// countEncoder says how large an encoder is. The error tells why its folder cannot be used, as far as its settings and the
// header of its weights tell.
func countEncoder(ctx context.Context, folder storage.Folder) (string, error) {
	data, err := storage.ReadFile(ctx, folder, configName, maxInit)
	var c model.Config
	if err == nil {
		c, err = model.ParseConfig(data)
	}
	if err != nil {
		return "", fmt.Errorf("read %s in %s: %w", configName, folder, err)
	}
	weights, err := folder.Open(ctx, model.WeightsName)
	if err != nil {
		return "", err
	}
	defer weights.Close()
	if err := safetensors.Check(weights, weights.Size()); err != nil {
		return "", fmt.Errorf("%s in %s: %w", model.WeightsName, folder, err)
	}
	return fmt.Sprintf("%s × %d", command.Counted(int64(c.Layers), "layer"), c.HiddenSize), nil
}

// CheckEncoder returns an error unless a folder on this machine holds an encoder that can be
// opened, by its settings, its vocabulary and the header of its weights.
func CheckEncoder(path string) error {
	e := &settings{}
	if err := e.openFolder(path, path, architecture{}); err != nil {
		return err
	}
	weights, err := model.OpenWeights(e.folder.WeightsPath())
	if err != nil {
		return model.NoEncoder(path, err)
	}
	weights.Close()
	return nil
}

// Verbs are those that compute on libtorch, in the order of help. Both programs have them.
var Verbs = []verb.Verb{InitVerb, TrainVerb, StatesVerb, ReplaceVerb, PrefixVerb, EmbedVerb, ServeVerb}
