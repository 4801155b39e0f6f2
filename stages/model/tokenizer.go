package model

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/bpe"
	"sentweave/transforms/tokens/formats"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

const tokenizerConfigName = "tokenizer_config.json"

type tokenizerJSON struct {
	Lowercase *bool `json:"do_lower_case,omitempty"`
	Chinese   *bool `json:"tokenize_chinese_chars,omitempty"`
	Accents   *bool `json:"strip_accents,omitempty"`
	// MaxLength is 10³⁰ where there is no limit.
	MaxLength *float64 `json:"model_max_length,omitempty"`
	Class     string   `json:"tokenizer_class"`
	// CutSide is where long texts lose tokens: "right", as BERT's do if nothing is said.
	CutSide   string `json:"truncation_side,omitempty"`
	Unknown   any    `json:"unk_token"`
	Separator any    `json:"sep_token"`
	Padding   any    `json:"pad_token"`
	Classify  any    `json:"cls_token"`
	Mask      any    `json:"mask_token"`
	// Inputs are what the encoder takes of the tokenizer, which gives kinds of tokens, too, unless they are named.
	Inputs []string `json:"model_input_names,omitempty"`
}

// ownTokenizer is the class of a tokenizer that is as its tokenizer.json says.
const ownTokenizer = "PreTrainedTokenizerFast"

// tokenizer reads the settings of the tokenizer as transformers does.
func (f *Folder) tokenizer() error {
	name := filepath.Join(f.Inside, tokenizerConfigName)
	var t tokenizerJSON
	err := f.read(name, &t)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	s, err := f.serialized()
	if err != nil {
		return err
	}
	plain, err := f.files().AsWritten()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(f.Path, f.Inside), err)
	}
	words, isWordPiece := s.(*wordpiece.Serialized)
	switch {
	case isWordPiece && plain:
		if f.Tokenizer, err = words.Options(); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(f.Path, f.Inside, formats.SerializedName), err)
		}
	case s == nil || isWordPiece:
		lowercase := t.Lowercase == nil || *t.Lowercase
		f.Tokenizer = wordpiece.Options{Lowercase: lowercase, KeepAccents: !lowercase, JoinIdeographs: t.Chinese != nil && !*t.Chinese}
		if t.Accents != nil {
			f.Tokenizer.KeepAccents = !*t.Accents
		}
	}
	if t.CutSide == "left" || t.CutSide == "" && s != nil && s.CutsLeft() {
		return fmt.Errorf("%s: truncation_side left is not supported: texts are cut at their end", filepath.Join(f.Path, name))
	}
	f.MaxTokens = f.Config.MaxTokens()
	return f.limit(name, "model_max_length", t.MaxLength)
}

// limit sets the most tokens, if there is a limit, to no more than the positions.
func (f *Folder) limit(file, name string, tokens *float64) error {
	if tokens == nil {
		return nil
	}
	if *tokens < MinTokens {
		return fmt.Errorf("%s: %s is %v, it must be at least %d: [CLS], a token, [SEP]", filepath.Join(f.Path, file), name, *tokens,
			MinTokens)
	}
	f.MaxTokens = int(min(*tokens, float64(f.Config.MaxTokens())))
	return nil
}

// files reads the files beside the encoder.
func (f *Folder) files() formats.Files {
	return func(name string) ([]byte, error) { return f.content(filepath.Join(f.Inside, name), formats.MaxFile) }
}

// serialized reads the tokenizer's file once, nil if there is none but perhaps a vocab.txt.
func (f *Folder) serialized() (s formats.Serialized, err error) {
	if f.parsed == nil {
		if f.parsed, f.parsedName, err = formats.ReadFolder(f.files()); err != nil {
			f.parsed = nil
			return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, f.Inside, f.parsedName), err)
		}
	}
	return f.parsed, nil
}

// Vocabulary reads the vocabulary, of tokenizer.json if it is there, as transformers
// does, else vocab.txt, and checks it against the configuration.
func (f *Folder) Vocabulary() (tokens.Vocabulary, error) {
	var name string
	var v tokens.Vocabulary
	s, err := f.serialized()
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		name = filepath.Join(f.Inside, f.parsedName)
		if v, err = s.Vocabulary(); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
		}
	default:
		name = filepath.Join(f.Inside, VocabularyName)
		content, err := f.content(name, formats.MaxFile)
		if err == nil {
			if err = f.files().CheckWords(); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w, nor is there a %s, a %s with its %s, or a %s; save_pretrained of transformers' tokenizers writes what is missing",
				err, formats.SerializedName, bpe.PiecesName, bpe.MergesName, unigram.ModelName)
		}
		if err != nil {
			return nil, err
		}
		if v, err = wordpiece.ReadVocabulary(bytes.NewReader(content)); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(f.Path, name), err)
		}
	}
	if words, ok := v.(*wordpiece.Vocabulary); ok {
		if v, err = f.withRoles(words, s); err != nil {
			return nil, err
		}
	}
	if special, err := v.Special(); err == nil && f.Config.FirstPosition() > 0 && int(special.Padding) != f.Config.PadID {
		return nil, fmt.Errorf("%s pads with the id %d, config.json has a pad_token_id of %d, from which positions count: they do not belong together",
			filepath.Join(f.Path, name), special.Padding, f.Config.PadID)
	}
	if v.Size() > f.Config.VocabularySize {
		return nil, fmt.Errorf("%s has %d pieces, config.json has a vocab_size of %d: they do not belong together",
			filepath.Join(f.Path, name), v.Size(), f.Config.VocabularySize)
	}
	if v.Size() < f.Config.VocabularySize-mostPadding {
		return nil, fmt.Errorf("%s has %d pieces, config.json has a vocab_size of %d: it is cut, or they do not belong together",
			filepath.Join(f.Path, name), v.Size(), f.Config.VocabularySize)
	}
	return v, nil
}

// withRoles names the special tokens of a vocabulary as the folder does: those of the tokenizer itself, if there is one, then
// those of tokenizer_config.json that the vocabulary has.
func (f *Folder) withRoles(v *wordpiece.Vocabulary, s formats.Serialized) (*wordpiece.Vocabulary, error) {
	var t tokenizerJSON
	if err := f.read(filepath.Join(f.Inside, tokenizerConfigName), &t); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	name := func(token any) string {
		if j, ok := token.(map[string]any); ok { // with how it is found in texts
			token = j["content"]
		}
		name, _ := token.(string)
		if _, ok := v.ID(name); !ok {
			return ""
		}
		return name
	}
	var names tokens.SpecialTokens
	if words, ok := s.(*wordpiece.Serialized); ok {
		names = words.SpecialTokens()
	}
	configured := tokens.SpecialTokens{Padding: name(t.Padding), Unknown: name(t.Unknown), Classify: name(t.Classify),
		Separate: name(t.Separator), Mask: name(t.Mask)}
	return v.WithSpecialTokens(names.Or(configured).Or(v.SpecialTokens())), nil
}

// mostPadding bounds by how many rows embeddings are longer than a vocabulary: programs pad them to a multiple
// of up to 1,024, since that is faster.
const mostPadding = 1024

// Sequencer turns texts into the ids that the encoder reads. It is safe for
// concurrent use.
type Sequencer struct {
	tokenizer          tokens.Tokenizer
	classify, separate int32
	maxTokens          int
	prompt             string
	promptTokens       int
}

// Sequencer returns the folder's.
func (f *Folder) Sequencer() (*Sequencer, error) {
	if f.MaxTokens < MinTokens {
		return nil, fmt.Errorf("%s: the most tokens of a sentence are %d, they must be at least %d: [CLS], a token, [SEP]", f.Path,
			f.MaxTokens, MinTokens)
	}
	v, err := f.Vocabulary()
	if err != nil {
		return nil, err
	}
	t, err := formats.NewTokenizer(v, f.Tokenizer)
	if err != nil {
		return nil, err
	}
	special, err := v.Special()
	if err != nil {
		return nil, fmt.Errorf("vocabulary of %s: %w", f.Path, err)
	}
	if err := f.checkPrompt(v); err != nil {
		return nil, err
	}
	s := Sequencer{tokenizer: t, classify: special.Classify, separate: special.Separate, maxTokens: f.MaxTokens}
	return s.withPrompt(f.Prompt), nil
}

// withPrompt returns a sequencer that has all but the prompt of s.
func (s Sequencer) withPrompt(prompt string) *Sequencer {
	s.prompt = ""
	s.promptTokens = len(s.Append(nil, prompt)) - 1
	s.prompt = prompt
	return &s
}

// PromptTokens is the number of tokens of the prompt alone with [CLS], as many as
// sentence-transformers takes to be the prompt's, whatever follows; 0 without a prompt.
func (s *Sequencer) PromptTokens() int {
	if s.prompt == "" {
		return 0
	}
	return s.promptTokens
}

// Append appends [CLS], the ids of prompt and text as one, and [SEP]; what goes over
// the most tokens is cut off the text's end.
func (s *Sequencer) Append(dst []int32, text string) []int32 {
	dst, _ = s.AppendCut(dst, text)
	return dst
}

// AppendCut is Append that also returns how many tokens were cut off.
func (s *Sequencer) AppendCut(dst []int32, text string) (ids []int32, cut int) {
	if s.prompt != "" {
		text = s.prompt + text
	}
	start := len(dst)
	dst = s.tokenizer.Encode(append(dst, s.classify), text)
	if most := start + s.maxTokens - 1; len(dst) > most {
		dst, cut = dst[:most], len(dst)-most
	}
	return append(dst, s.separate), cut
}
