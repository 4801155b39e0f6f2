package model

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"sentweave/schemas/fault"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// Validate returns all at once that keeps WriteSettings from writing what Open and
// sentence-transformers read as the same.
func (f *Folder) Validate() error {
	errs := fault.List{f.Config.Validate(), f.Tokenizer.Validate()}
	errs.Check(f.Pooling.Trained() || f.Pooling == Lens && f.LensSize >= 1,
		"pooling %q is not one of mean, max, cls", f.Pooling)
	errs.Add(f.checkDense())
	if f.Gate != (GatedConv{}) {
		errs.Add(f.Gate.Validate())
	}
	errs.Check(f.MaxTokens >= MinTokens && f.MaxTokens <= f.Config.MaxTokens(),
		"the most tokens of a sentence are %d, they must be from %d to the %d positions", f.MaxTokens, MinTokens,
		f.Config.MaxTokens())
	if o := f.Tokenizer; o.KeepControls || o.MaxCharacters != 0 && o.MaxCharacters != wordpiece.MaxCharacters {
		errs.Addf("BERT's tokenizer has no settings for keep_controls and max_characters: leave them out")
	}
	return errs.Err()
}

// WriteSettings writes everything but the weights into an existing folder, so
// that transformers and sentence-transformers load it with the pooling. Settings
// that are not valid, and a vocabulary that does not fit them, are errors before
// anything is written. The caller writes into a temporary folder and renames it.
func (f *Folder) WriteSettings(path string, v tokens.Vocabulary) error {
	if err := f.Validate(); err != nil {
		return fmt.Errorf("write settings to %q: %w", path, err)
	}
	if v.Size() > f.Config.VocabularySize {
		return fmt.Errorf("write settings to %q: the vocabulary has %d pieces, vocab_size is %d: they do not belong together", path,
			v.Size(), f.Config.VocabularySize)
	}
	const prefix = "sentence_transformers.models."
	modules := []moduleJSON{{0, "0", "", prefix + "Transformer"}, {1, "1", "1_Pooling", prefix + "Pooling"}}
	if f.Pooling == Lens {
		modules[1] = moduleJSON{1, "1", lensFolder, lensType}
	}
	if f.Second {
		modules[1] = moduleJSON{1, "1", secondFolder, secondType}
	}
	for i := range f.Dense {
		modules = append(modules, moduleJSON{2 + i, fmt.Sprint(2 + i), DensePath(i), prefix + "Dense"})
	}
	if n := len(modules); f.Normalize {
		modules = append(modules, moduleJSON{n, fmt.Sprint(n), fmt.Sprintf("%d_Normalize", n), prefix + "Normalize"})
	}
	names := v.SpecialTokens()
	special := map[string]string{
		"unk_token": names.Unknown, "sep_token": names.Separate, "pad_token": names.Padding, "cls_token": names.Classify,
		"mask_token": names.Mask,
	}
	maxTokens := float64(f.MaxTokens)
	config, err := f.Config.file()
	if err != nil {
		return err
	}
	if fields, ok := config.(map[string]any); ok && f.Config.IsGated() { // else transformers takes ids of its own vocabulary
		ids, err := v.Special()
		if err != nil {
			return err
		}
		fields["cls_token_id"], fields["sep_token_id"] = ids.Classify, ids.Separate
		fields["bos_token_id"], fields["eos_token_id"] = ids.Classify, ids.Separate
	}
	a, _ := architectureOf(f.Config.ModelType) // which is valid
	tokenizer := tokenizerJSON{MaxLength: &maxTokens, Class: ownTokenizer,
		Unknown: names.Unknown, Separator: names.Separate, Padding: names.Padding, Classify: names.Classify, Mask: names.Mask}
	if _, ok := v.(*wordpiece.Vocabulary); ok {
		ideographs, accents, lowercase := !f.Tokenizer.JoinIdeographs, !f.Tokenizer.KeepAccents, f.Tokenizer.Lowercase
		tokenizer.Class, tokenizer.Lowercase, tokenizer.Chinese, tokenizer.Accents = "BertTokenizer", &lowercase, &ideographs, &accents
	}
	if t, ok := v.(*unigram.Tokenizer); ok && t.Class != "" {
		tokenizer.Class = t.Class
	}
	if !a.kinds {
		tokenizer.Inputs = []string{"input_ids", "attention_mask"}
	}
	sentence := struct {
		sentenceJSON
		Arguments map[string]bool `json:"model_args,omitempty"`
	}{sentenceJSON: sentenceJSON{MaxTokens: &maxTokens}}
	if !a.poolerless { // keeps transformers from drawing a pooler, and telling of it
		sentence.Arguments = map[string]bool{"add_pooling_layer": false}
	}
	files := map[string]any{
		"config.json": config, "modules.json": modules, "sentence_bert_config.json": sentence, "tokenizer_config.json": tokenizer,
		"special_tokens_map.json": special,
	}
	switch {
	case f.Pooling == Lens:
		lens := lensJSON{Size: f.LensSize}
		if f.Gate != (GatedConv{}) {
			lens.Gate = &f.Gate
		}
		files[lensConfigName] = lens
	case f.Second:
		files[secondConfigName] = secondJSON{f.Pooling}
	default:
		files["1_Pooling/config.json"] = poolingJSON{
			Dimension: f.Config.HiddenSize, CLS: f.Pooling == CLS, Mean: f.Pooling == Mean, Max: f.Pooling == Max,
		}
	}
	for i, d := range f.Dense {
		files[DensePath(i)+"/config.json"] = denseJSON{In: d.In, Out: d.Out, Bias: &d.Bias, Activation: d.Activation}
	}
	for _, m := range modules[1 : 2+len(f.Dense)] {
		if err := os.Mkdir(filepath.Join(path, m.Path), 0o777); err != nil && !os.IsExist(err) {
			return err
		}
	}
	for name, value := range files {
		data, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(path, name), append(data, '\n'), 0o666); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(path, v.FileName()))
	if err != nil {
		return err
	}
	if _, err := v.WriteTo(file); err != nil {
		_ = file.Close() // the first error tells
		return err
	}
	return file.Close()
}
