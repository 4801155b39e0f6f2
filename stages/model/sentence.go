package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
)

// sentenceNames are names of the file of a Transformer's settings, of which the first one counts that is there, as in
// sentence-transformers.
var sentenceNames = []string{
	"sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json", "sentence_camembert_config.json",
	"sentence_albert_config.json", "sentence_xlm-roberta_config.json", "sentence_xlnet_config.json",
}

// sentenceSettings are those of the file that decide vectors.
type sentenceSettings struct {
	sentenceJSON
	Task       string         `json:"transformer_task"`
	Output     string         `json:"module_output_name"`
	Processing map[string]any `json:"processing_kwargs"`
	Modality   struct {
		Text struct {
			Output string `json:"method_output_name"`
		} `json:"text"`
	} `json:"modality_config"`
	// Arguments for the settings, the weights and the tokenizer, by their names before and since sentence-transformers 5.
	ConfigArguments    map[string]any `json:"config_args"`
	ModelArguments     map[string]any `json:"model_args"`
	TokenizerArguments map[string]any `json:"tokenizer_args"`
	ConfigOptions      map[string]any `json:"config_kwargs"`
	ModelOptions       map[string]any `json:"model_kwargs"`
	ProcessorOptions   map[string]any `json:"processor_kwargs"`
}

// idleArguments say how files are found and computed with, which decides no vectors but for rounding.
var idleArguments = []string{
	"add_pooling_layer", "attn_implementation", "cache_dir", "clean_up_tokenization_spaces", "device_map", "dtype", "local_files_only",
	"low_cpu_mem_usage", "padding_side", "reference_compile", "revision", "token", "torch_dtype", "trust_remote_code", "use_auth_token",
	"use_fast", "use_safetensors",
}

// sentence reads the settings of the Transformer, which need not be there, and the name of their file. Those that would give other vectors
// are errors.
func (f *Folder) sentence() (s sentenceSettings, name string, err error) {
	for _, file := range sentenceNames {
		name = filepath.Join(f.Inside, file)
		if err = f.read(name, &s); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return s, name, nil
	} else if err != nil {
		return s, name, err
	}
	refused := func(setting string) error {
		return fmt.Errorf("%s: %s is not supported, since it gives other vectors", filepath.Join(f.Path, name), setting)
	}
	switch {
	case s.Task != "" && s.Task != "feature-extraction":
		return s, name, refused("transformer_task " + s.Task)
	case s.Output != "" && s.Output != "token_embeddings":
		return s, name, refused("module_output_name " + s.Output)
	case s.Modality.Text.Output != "" && s.Modality.Text.Output != "last_hidden_state":
		return s, name, refused("method_output_name " + s.Modality.Text.Output)
	case len(s.Processing) > 0:
		return s, name, refused("processing_kwargs")
	}
	for _, arguments := range []map[string]any{s.ConfigArguments, s.ModelArguments, s.TokenizerArguments, s.ConfigOptions, s.ModelOptions,
		s.ProcessorOptions} {
		for _, argument := range slices.Sorted(maps.Keys(arguments)) {
			if !slices.Contains(idleArguments, argument) {
				return s, name, refused("the argument " + argument)
			}
		}
	}
	return s, name, nil
}
