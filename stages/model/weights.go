package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"sentweave/stages/model/safetensors"
	"sentweave/stages/model/torchfile"
)

// Weights are the tensors of one file of safetensors or of torch.save, or of the files in which large models are cut. They must be
// closed.
type Weights struct {
	Tensors []safetensors.Tensor
	files   []holder
	holders map[string]holder
}

// holder is an open file of weights.
type holder interface {
	Read(dst []byte, t safetensors.Tensor) ([]byte, error)
	Close() error
}

// TorchWeightsName is the name of the weights of folders in which there are none of WeightsName.
const TorchWeightsName = "pytorch_model.bin"

// indexSuffix ends the name of the file that says in which files the tensors of another one are.
const indexSuffix = ".index.json"

// Names of the parts of weights, as transformers has them, and of all files of torch.save.
var (
	shard      = regexp.MustCompile(`^(model-[0-9]+-of-[0-9]+\.safetensors|pytorch_model-[0-9]+-of-[0-9]+\.bin)$`)
	torchSaved = regexp.MustCompile(`^pytorch_model(-[0-9]+-of-[0-9]+)?\.bin(\.index\.json)?$`)
)

// OpenWeights opens a file of weights, or the parts that the index in its place names; in the place of a WeightsName that is not there
// a TorchWeightsName. A part that is missing, lies elsewhere or lacks a tensor of the index is an error, before any weight is read.
func OpenWeights(path string) (*Weights, error) {
	w := &Weights{holders: map[string]holder{}}
	err := w.open(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == WeightsName {
		if other := w.open(filepath.Join(filepath.Dir(path), TorchWeightsName)); !errors.Is(other, fs.ErrNotExist) {
			err = other
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// open adds a file, or the parts of the index in its place.
func (w *Weights) open(path string) error {
	err := w.add(path)
	if errors.Is(err, fs.ErrNotExist) {
		if other := w.addParts(path); !errors.Is(other, fs.ErrNotExist) {
			return other
		}
	}
	return err
}

func (w *Weights) add(path string) error {
	var f holder
	var tensors []safetensors.Tensor
	if torchSaved.MatchString(filepath.Base(path)) {
		file, err := torchfile.Open(path)
		if err != nil {
			return err
		}
		f, tensors = file, file.Tensors
	} else {
		file, err := safetensors.Open(path)
		if err != nil {
			return err
		}
		f, tensors = file, file.Tensors
	}
	w.files = append(w.files, f)
	for _, t := range tensors {
		if w.holders[t.Name] != nil {
			return fmt.Errorf("%s: %s is in another part of the weights, too", path, t.Name)
		}
		w.holders[t.Name] = f
	}
	w.Tensors = append(w.Tensors, tensors...)
	return nil
}

// addParts adds those of an index. Only an index that is not there is fs.ErrNotExist.
func (w *Weights) addParts(path string) error {
	var index struct {
		Parts map[string]string `json:"weight_map"`
	}
	folder := &Folder{Path: filepath.Dir(path)}
	name := filepath.Base(path) + indexSuffix
	if err := folder.read(name, &index); err != nil {
		return err
	}
	name = filepath.Join(folder.Path, name)
	parts := map[string]bool{}
	for _, part := range index.Parts {
		if !shard.MatchString(part) {
			return fmt.Errorf("%s names the file %q: parts of weights are beside it, and called model-00001-of-00002.safetensors or pytorch_model-00001-of-00002.bin",
				name, part)
		}
		parts[part] = true
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		if err := w.add(filepath.Join(folder.Path, part)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s names %s, which is not there: fetch the folder again", name, part)
		} else if err != nil {
			return err
		}
	}
	for _, tensor := range slices.Sorted(maps.Keys(index.Parts)) {
		if w.holders[tensor] == nil {
			return fmt.Errorf("%s has %s in %s, which does not have it: they do not belong together", name, tensor, index.Parts[tensor])
		}
	}
	return nil
}

// Read is that of the file in which the tensor is.
func (w *Weights) Read(buffer []byte, t safetensors.Tensor) ([]byte, error) {
	return w.holders[t.Name].Read(buffer, t)
}

// Close closes all files, which were only read.
func (w *Weights) Close() {
	for _, f := range w.files {
		_ = f.Close()
	}
}
