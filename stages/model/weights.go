package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"sentweave/stages/model/safetensors"
)

// Weights are the tensors of one file of safetensors, or of the files in which large models are cut. They must be closed.
type Weights struct {
	Tensors []safetensors.Tensor
	files   []*safetensors.File
	holders map[string]*safetensors.File
}

// indexSuffix ends the name of the file that says in which files the tensors of another one are.
const indexSuffix = ".index.json"

// shard is the name of a part of the weights, as transformers has it.
var shard = regexp.MustCompile(`^model-[0-9]+-of-[0-9]+\.safetensors$`)

// OpenWeights opens a file of weights, or the parts that the index in its place names. A part that is missing, lies elsewhere or
// lacks a tensor of the index is an error, before any weight is read.
func OpenWeights(path string) (*Weights, error) {
	w := &Weights{holders: map[string]*safetensors.File{}}
	err := w.add(path)
	if errors.Is(err, fs.ErrNotExist) {
		if indexErr := w.addParts(path); !errors.Is(indexErr, fs.ErrNotExist) {
			err = indexErr
		} else {
			err = otherWeights(path, err)
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Weights) add(path string) error {
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	w.files = append(w.files, f)
	for _, t := range f.Tensors {
		if w.holders[t.Name] != nil {
			return fmt.Errorf("%s: %s is in another part of the weights, too", path, t.Name)
		}
		w.holders[t.Name] = f
	}
	w.Tensors = append(w.Tensors, f.Tensors...)
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
			return fmt.Errorf("%s names the file %q: parts of weights are beside it, and called model-00001-of-00002.safetensors", name, part)
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

// otherWeights adds to the error of opening a folder's weights what is in their place, and the way out.
func otherWeights(path string, err error) error {
	for _, alternative := range []string{"pytorch_model.bin", "pytorch_model.bin" + indexSuffix} {
		if _, statErr := os.Stat(filepath.Join(filepath.Dir(path), alternative)); statErr == nil {
			return fmt.Errorf("%w; the folder has %s: load it with transformers, and save_pretrained(folder) writes safetensors", err,
				alternative)
		}
	}
	return err
}
