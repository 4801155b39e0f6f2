//go:build libtorch

package torch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// readHeads fills the named heads that a file has, and returns the others.
func (t *Trainer) readHeads(path string, names []string) (missing []string, err error) {
	f, err := model.OpenWeights(path)
	if errors.Is(err, os.ErrNotExist) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	stored := map[string]bool{}
	for _, tensor := range f.Tensors {
		stored[model.Canonical(tensor.Name)] = true
	}
	f.Close()
	var matched []string
	for _, name := range names {
		if stored[name] {
			matched = append(matched, name)
		} else {
			missing = append(missing, name)
		}
	}
	return missing, fill(path, matched, t.masters, true)
}

// readOtherHeads fills heads of a folder that another program has made: they are among
// the encoder's weights. The head of a masked language model counts if its matrix is that
// of the word embeddings, as it is here.
func (t *Trainer) readOtherHeads(folder string, names []string) error {
	from := &model.Folder{Path: folder, Inside: t.config.Folder.Inside}
	h, _, err := model.TiedHead(from)
	if err != nil {
		return err
	}
	path := from.WeightsPath()
	if h.File != model.WeightsName {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, model.HeadName) })
	} else if i := slices.Index(names, transformer.VocabularyBias); i >= 0 && h.Bias != transformer.VocabularyBias {
		names = slices.Delete(slices.Clone(names), i, i+1)
		if err := fillAs(path, h.Bias, transformer.VocabularyBias, t.masters); err != nil {
			return err
		}
	}
	_, err = t.readHeads(path, names)
	return err
}

// fillAs copies a tensor of a file into an existing one of another name.
func fillAs(path, stored, name string, w *transformer.Weights) error {
	size, err := w.Tensors[name].Size()
	if err != nil {
		return err
	}
	loaded, err := transformer.Load(path, []transformer.Shape{{Name: stored, Size: size}}, true)
	if err != nil {
		return err
	}
	defer loaded.Free()
	defer native.WithoutGradients()()
	w.Tensors[name].Copy_(loaded.Tensors[stored])
	return nil
}

// readSecond fills the second encoder from a folder. A folder that has none, where that is
// allowed, gives it the weights of its encoder.
func (t *Trainer) readSecond(folder string, optional bool) error {
	if t.second == nil {
		return nil
	}
	path := filepath.Join(folder, filepath.FromSlash(model.SecondWeightsName))
	if _, err := os.Stat(path); err != nil && optional {
		path = (&model.Folder{Path: folder, Inside: t.config.Folder.Inside}).WeightsPath()
	}
	return fill(path, t.second.Names, t.second, false)
}
