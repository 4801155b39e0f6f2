package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// deciding are the files of a folder that decide what vectors it gives.
var deciding = map[string]bool{
	"config.json": true, "tokenizer_config.json": true, "modules.json": true, "sentence_bert_config.json": true,
	VocabularyName: true, WeightsName: true,
}

// module is the settings of a part, such as 1_Pooling/config.json.
var module = regexp.MustCompile(`^[0-9]+_[^/]+/config\.json$`)

// Input names the encoder of a folder, as the input of a plan, by the content of
// the files that decide its vectors.
func Input(ctx context.Context, role, path string) (dataset.Input, error) {
	folder, err := storage.At(path)
	if err != nil {
		return dataset.Input{}, err
	}
	files, err := dataset.List(ctx, folder, func(name string) bool { return deciding[name] || module.MatchString(name) })
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no encoder: there is no %s", path, WeightsName)
	}
	return dataset.ListingInput(role, files), err
}

// OtherWeights adds to the error of opening a folder's weights what stands in their
// place, and the way out.
func OtherWeights(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, other := range []string{WeightsName + ".index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"} {
		if _, none := os.Stat(filepath.Join(filepath.Dir(path), other)); none == nil {
			return fmt.Errorf("%w; the folder has %s: load it with transformers, and save_pretrained(folder, max_shard_size=\"100GB\") writes one file of safetensors", err, other)
		}
	}
	return err
}
