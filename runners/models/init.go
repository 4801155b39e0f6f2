package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sentweave/runners/command"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
)

// Init is the verb that makes an encoder with random weights.
type Init struct {
	Out  string `help:"Folder of the encoder to make." required:"" placeholder:"DIR" group:"Output"`
	Seed uint64 `help:"Seed of the weights." default:"0" group:"Output"`
	architecture
}

// Validate returns all faults at once.
func (i *Init) Validate() error {
	errs := []error{i.architecture.validate()}
	if i.Out == "" {
		errs = append(errs, errors.New("out is empty: give the folder of the encoder to make"))
	}
	if i.From != "" {
		errs = append(errs, errors.New("from: that encoder is there already"))
	}
	return errors.Join(errs...)
}

// Run implements the verb. What stands in the folder is never replaced.
func (i *Init) Run(_ context.Context, p *command.Program) error {
	e, err := i.open()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(i.Out, model.WeightsName)); err == nil {
		there, err := model.Open(i.Out)
		if err != nil {
			return err
		}
		if there.Config.VocabularySize != e.folder.Config.VocabularySize || there.Config.HiddenSize != e.folder.Config.HiddenSize || there.Config.Layers != e.folder.Config.Layers {
			return fmt.Errorf("another encoder stands in %s; choose another --out", i.Out)
		}
		fmt.Fprintf(p.Stderr, "init: %s is complete, nothing to do\n", i.Out)
		return nil
	}
	if entries, err := os.ReadDir(i.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s holds %q, but no encoder: %w; choose an empty folder", i.Out, entries[0].Name(), fs.ErrExist)
	}
	t, err := torch.NewTrainer(torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Bitext: &objective.Bitext{Margin: .3, Scale: 20, Pooling: i.Pooling}, Optimizer: objective.DefaultOptimizer(), Seed: i.Seed})
	if err != nil {
		return err
	}
	defer t.Close()
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(i.Out)), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(filepath.Clean(i.Out)), ".init-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := errors.Join(t.Save(work), os.Chmod(work, 0o755)); err != nil {
		return err
	}
	for _, name := range []string{"heads.safetensors", "optimizer.safetensors"} { // those of no training
		if err := os.Remove(filepath.Join(work, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Remove(i.Out); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder
		return err
	}
	if err := os.Rename(work, i.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: an encoder of %d layers × %d with random weights\n", i.Out, e.folder.Config.Layers, e.folder.Config.HiddenSize)
	return err
}
