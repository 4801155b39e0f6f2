// Package formats reads the files of tokenizers, whatever their model.
package formats

import (
	"fmt"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/bpe"
	"sentweave/transforms/tokens/unigram"
	"sentweave/transforms/tokens/wordpiece"
)

// SerializedName is the usual name of a tokenizer's file of Hugging Face's library
// tokenizers. transformers 5 writes it alone, without a vocabulary file.
const SerializedName = "tokenizer.json"

// MaxFile is the largest file of a vocabulary that is worth reading, in bytes: the tokenizer.json of
// XLM-R, of 250,002 pieces, has 9.6 MB, and that of LaBSE, of 501,153 pieces, as many.
const MaxFile = 64 << 20

// Serialized is a tokenizer as tokenizer.json has it.
type Serialized interface {
	// Vocabulary makes the vocabulary, with the names that the file gives special tokens.
	Vocabulary() (tokens.Vocabulary, error)
	// CutsLeft says whether long texts lose their beginning.
	CutsLeft() bool
	// Added are the tokens that Hugging Face finds within texts, too, and that are text here.
	Added() []string
}

// ReadSerialized reads the content of a tokenizer.json. A model or a part that is not supported is an
// error that names it.
func ReadSerialized(data []byte) (Serialized, error) {
	var j struct {
		Model struct {
			Type   *string `json:"type"`
			Prefix *string `json:"continuing_subword_prefix"`
		} `json:"model"`
	}
	if err := jsonfile.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	kind := "none"
	switch {
	case j.Model.Type != nil:
		kind = *j.Model.Type
	case j.Model.Prefix != nil: // files of old have no type
		kind = "WordPiece"
	}
	switch kind {
	case "WordPiece":
		return wordpiece.ReadSerialized(data)
	case "Unigram":
		return unigram.ReadSerialized(data)
	case "BPE":
		return bpe.ReadSerialized(data)
	}
	return nil, fmt.Errorf("model.type is %s: only WordPiece, Unigram and BPE are supported", kind)
}

// NewTokenizer returns the tokenizer of a vocabulary: one of WordPiece with the options, or that of a
// vocabulary that decides by itself how texts become its ids.
func NewTokenizer(v tokens.Vocabulary, o wordpiece.Options) (tokens.Tokenizer, error) {
	if words, ok := v.(*wordpiece.Vocabulary); ok {
		return wordpiece.New(words, o)
	}
	if t, ok := v.(tokens.Tokenizer); ok {
		return t, nil
	}
	return nil, fmt.Errorf("a %T is the vocabulary of no tokenizer", v)
}
