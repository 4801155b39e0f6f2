package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sentweave/pipelines/verb"
	"sentweave/runners/command"
	"sentweave/stages/model"
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

// CheckEncoder returns an error unless a folder on this machine holds an encoder that can be
// opened, by its settings, its vocabulary and the name of its weights.
func CheckEncoder(path string) error {
	if _, err := os.Stat(filepath.Join(path, model.WeightsName)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no encoder: there is no %s", path, model.WeightsName)
	}
	return (&settings{}).openFolder(path, path, architecture{})
}
