package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sentweave/runners/command"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/objective"
	"sentweave/stages/torch"
)

// Init is the verb that makes an encoder with random weights.
type Init struct {
	Out       string `help:"Folder of the encoder to make." required:"" placeholder:"DIR" group:"Output"`
	Overwrite bool   `help:"Delete another encoder that init made in --out." group:"Output"`
	Seed      uint64 `help:"Seed of the weights." default:"0" group:"Output"`
	architecture
}

// Validate returns all faults at once.
func (i *Init) Validate() error {
	errs := []error{i.architecture.validate()}
	if i.Vocabulary == "" {
		errs = append(errs, errors.New("vocabulary is empty: give a WordPiece vocabulary file; `sentweave vocab` learns one"))
	}
	if i.Out == "" {
		errs = append(errs, errors.New("out is empty: give the folder of the encoder to make"))
	}
	errs = append(errs, localOut(i.Out))
	return errors.Join(errs...)
}

// initName is the file that says what was asked for, initVersion is raised when
// the same gives other weights.
const (
	initName    = "init.json"
	initVersion = 1
)

// initRecord is what initName holds.
type initRecord struct {
	Version    int           `json:"version"`
	Seed       uint64        `json:"seed"`
	Vocabulary string        `json:"vocabulary"`
	Model      model.Config  `json:"model"`
	Pooling    model.Pooling `json:"pooling"`
	MaxTokens  int           `json:"max_tokens"`
	Cased      bool          `json:"cased"`
}

// Run implements the verb.
func (i *Init) Run(_ context.Context, p *command.Program) error {
	e, err := i.open("")
	if err != nil {
		return err
	}
	asked, err := json.MarshalIndent(initRecord{initVersion, i.Seed, e.fingerprint, e.folder.Config, e.folder.Pooling, e.folder.MaxTokens, i.Cased}, "", " ")
	if err != nil {
		return err
	}
	asked = append(asked, '\n')
	done, err := i.there(asked)
	if err != nil {
		return err
	}
	if done {
		fmt.Fprintf(p.Stderr, "init: %s is complete, nothing to do\n", i.Out)
	} else if err := i.make(e, asked); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s: an encoder of %d layers × %d with random weights\n", i.Out, e.folder.Config.Layers, e.folder.Config.HiddenSize)
	return err
}

// there says whether the encoder that is asked for stands in the folder; another
// one, or anything else, is an error unless it may be overwritten.
func (i *Init) there(asked []byte) (done bool, err error) {
	entries, err := os.ReadDir(i.Out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	record, err := os.ReadFile(filepath.Join(i.Out, initName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%s holds %q, but no encoder that init made: %w; choose an empty folder", i.Out, entries[0].Name(), fs.ErrExist)
	}
	if err != nil || bytes.Equal(record, asked) {
		return err == nil, err
	}
	if !i.Overwrite {
		return false, fmt.Errorf("%w: the encoder in %s was made with other settings, seed or vocabulary, as its %s says; choose another --out, or give --overwrite to delete it", dataset.ErrOtherPlan, i.Out, initName)
	}
	return false, nil
}

// make makes the encoder beside its folder, then puts it there in one go.
func (i *Init) make(e *settings, asked []byte) (err error) {
	t, err := torch.NewTrainer(torch.TrainerConfig{Folder: e.folder, Vocabulary: e.vocabulary, Bitext: &objective.Bitext{Margin: .3, Scale: 20, Pooling: i.Pooling}, Optimizer: objective.DefaultOptimizer(), Seed: i.Seed})
	if err != nil {
		return err
	}
	defer t.Close()
	out := filepath.Clean(i.Out)
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(out), ".init-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return err
	}
	if err := t.Save(made); err != nil {
		return err
	}
	for _, name := range []string{"heads.safetensors", "optimizer.safetensors"} { // those of no training
		if err := os.Remove(filepath.Join(made, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(made, initName), asked, 0o666); err != nil {
		return err
	}
	if err := onlyOurs(out, made); err != nil {
		return err
	}
	if err := os.Rename(out, filepath.Join(work, "before")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, out)
}

// onlyOurs says what stands in a folder that is not in the new one: it is not ours
// to delete.
func onlyOurs(folder, made string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if _, err := os.Lstat(filepath.Join(made, entry.Name())); err != nil {
			return fmt.Errorf("%s holds %q, which init has not made; nothing was deleted: move it away, or choose another --out", folder, entry.Name())
		}
	}
	return nil
}

// localOut refuses a remote location for an encoder.
func localOut(out string) error {
	if storage.IsRemote(out) {
		return fmt.Errorf("out is %s: an encoder and its checkpoints are written on a local disk; give a path, and copy the encoder when it is done", out)
	}
	return nil
}
