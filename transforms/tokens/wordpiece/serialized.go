package wordpiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/template"
)

// Serialized is a WordPiece tokenizer as tokenizer.json has it.
type Serialized struct {
	pieces []string
	// names are those that the file gives special tokens.
	names   tokens.SpecialTokens
	options Options
	// foreign says what of it is not as BERT has it; nil if nothing is.
	foreign  error
	cutsLeft bool
	added    []string
}

type serializedJSON struct {
	Truncation *struct {
		Direction string `json:"direction"`
	} `json:"truncation"`
	AddedTokens []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	} `json:"added_tokens"`
	Normalizer    *normalizerJSON         `json:"normalizer"`
	PreTokenizer  *typeJSON               `json:"pre_tokenizer"`
	PostProcessor *template.PostProcessor `json:"post_processor"`
	Model         struct {
		Type          *string         `json:"type"`
		Unknown       string          `json:"unk_token"`
		Prefix        *string         `json:"continuing_subword_prefix"`
		MaxCharacters *int            `json:"max_input_chars_per_word"`
		Pieces        json.RawMessage `json:"vocab"`
	} `json:"model"`
}

type typeJSON struct {
	Type string `json:"type"`
}

type normalizerJSON struct {
	Type       string           `json:"type"`
	Clean      bool             `json:"clean_text"`
	Ideographs bool             `json:"handle_chinese_chars"`
	Accents    *bool            `json:"strip_accents"`
	Lowercase  bool             `json:"lowercase"`
	List       []normalizerJSON `json:"normalizers"`
}

// ReadSerialized reads the content of a tokenizer.json. One of another model than
// WordPiece, ids that are not a list from 0 without gaps, and added tokens that are no
// special ones, which would be matched before words are split, are errors. Special
// tokens within a text are text, as for every Tokenizer of this package.
func ReadSerialized(data []byte) (*Serialized, error) {
	var j serializedJSON
	if err := jsonfile.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	if kind := j.Model.Type; kind != nil && *kind != "WordPiece" || kind == nil && j.Model.Prefix == nil {
		name := "none"
		if kind != nil {
			name = *kind
		}
		return nil, fmt.Errorf("model.type is %s: only WordPiece is supported", name)
	}
	if p := j.Model.Prefix; p != nil && *p != Joiner {
		return nil, fmt.Errorf("model.continuing_subword_prefix is %q: only %q is supported", *p, Joiner)
	}
	pieces, err := j.pieces()
	if err != nil {
		return nil, err
	}
	s := &Serialized{pieces: pieces, cutsLeft: j.Truncation != nil && j.Truncation.Direction == "Left"}
	for _, t := range j.AddedTokens {
		s.added = append(s.added, t.Content)
	}
	s.names.Unknown = j.Model.Unknown
	errPost := j.PostProcessor.CheckIDs(pieces)
	s.names.Classify, s.names.Separate, _ = j.PostProcessor.Around()
	options, errNormalizer := j.Normalizer.options()
	if n := j.Model.MaxCharacters; n != nil {
		options.MaxCharacters = *n
		if err := options.Validate(); err != nil || *n == 0 {
			return nil, fmt.Errorf("model.max_input_chars_per_word is %d, which is not supported", *n)
		}
	}
	var errPre error
	if j.PreTokenizer == nil || j.PreTokenizer.Type != "BertPreTokenizer" {
		errPre = errors.New("its pre_tokenizer is not supported: only BertPreTokenizer is")
	}
	s.options, s.foreign = options, errors.Join(errNormalizer, errPre, errPost)
	return s, nil
}

// Vocabulary makes the vocabulary, with the names that the file gives special tokens.
// Its errors are those of NewVocabulary.
func (s *Serialized) Vocabulary() (tokens.Vocabulary, error) {
	v, err := NewVocabulary(s.pieces)
	if err != nil {
		return nil, err
	}
	v = v.WithSpecialTokens(s.names.Or(v.SpecialTokens()))
	if s.foreign == nil {
		v.options = &s.options
	}
	return v, nil
}

// SpecialTokens are the names that the file itself gives special tokens: what is put around a text, and what stands for words
// that cannot be split.
func (s *Serialized) SpecialTokens() tokens.SpecialTokens { return s.names }

// Options returns the settings of the tokenizer, or all that BERT's does not have.
func (s *Serialized) Options() (Options, error) { return s.options, s.foreign }

// Added are the special tokens that Hugging Face finds within texts, too.
func (s *Serialized) Added() []string { return s.added }

// CutsLeft says whether long texts lose their beginning.
func (s *Serialized) CutsLeft() bool { return s.cutsLeft }

// pieces returns the pieces and the special tokens in the order of their ids.
func (j *serializedJSON) pieces() ([]string, error) {
	ids := map[string]int{}
	if err := jsonfile.Unmarshal(j.Model.Pieces, &ids); err != nil {
		return nil, fmt.Errorf("model.vocab: %w", err)
	}
	for _, t := range j.AddedTokens {
		if !t.Special {
			return nil, fmt.Errorf("the added token %q is not a special one: such a token is matched before words are split, which is not supported",
				t.Content)
		}
		if id, ok := ids[t.Content]; ok && id != t.ID {
			return nil, fmt.Errorf("%q has the ids %d and %d", t.Content, id, t.ID)
		}
		ids[t.Content] = t.ID
	}
	pieces := make([]string, len(ids))
	for _, piece := range slices.Sorted(maps.Keys(ids)) {
		id := ids[piece]
		if id < 0 || id >= len(pieces) {
			return nil, fmt.Errorf("%q has the id %d, though there are %d pieces: ids with gaps are not supported", piece, id, len(pieces))
		}
		if pieces[id] != "" {
			return nil, fmt.Errorf("%q and %q have the id %d", pieces[id], piece, id)
		}
		pieces[id] = piece
	}
	return pieces, nil
}

// options returns what a normalizer does as settings of BERT's: itself, none, or one
// that lowers before it, as sentence-transformers sets.
func (n *normalizerJSON) options() (Options, error) {
	o := Options{KeepAccents: true, KeepControls: true, JoinIdeographs: true}
	if n == nil {
		return o, nil
	}
	list := []normalizerJSON{*n}
	if n.Type == "Sequence" {
		list = n.List
	}
	for i, normalizer := range list {
		switch {
		case normalizer.Type == "Lowercase" && i == 0:
			o.Lowercase = true
		case normalizer.Type == "BertNormalizer" && i == len(list)-1:
			strip := normalizer.Lowercase
			if normalizer.Accents != nil {
				strip = *normalizer.Accents
			}
			o = Options{
				Lowercase: o.Lowercase || normalizer.Lowercase, KeepAccents: !strip,
				KeepControls: !normalizer.Clean, JoinIdeographs: !normalizer.Ideographs,
			}
		default:
			return o, fmt.Errorf("its normalizer %s is not supported: only BertNormalizer is, and Lowercase before it", normalizer.Type)
		}
	}
	return o, nil
}
