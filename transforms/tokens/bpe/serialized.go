package bpe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/template"
)

// Serialized is a tokenizer of byte-level BPE as tokenizer.json has it.
type Serialized struct {
	tokenizer *Tokenizer
	cutsLeft  bool
}

type serializedJSON struct {
	Truncation *struct {
		Direction string `json:"direction"`
	} `json:"truncation"`
	AddedTokens []pieces.Added `json:"added_tokens"`
	Normalizer  *struct {
		Type string `json:"type"`
	} `json:"normalizer"`
	PreTokenizer *struct {
		Type      string `json:"type"`
		AddPrefix bool   `json:"add_prefix_space"`
		Regex     *bool  `json:"use_regex"`
	} `json:"pre_tokenizer"`
	PostProcessor *template.PostProcessor `json:"post_processor"`
	Model         struct {
		Dropout *float64        `json:"dropout"`
		Unknown *string         `json:"unk_token"`
		Prefix  string          `json:"continuing_subword_prefix"`
		Suffix  string          `json:"end_of_word_suffix"`
		Whole   bool            `json:"ignore_merges"`
		Pieces  json.RawMessage `json:"vocab"`
		Merges  []pair          `json:"merges"`
	} `json:"model"`
}

// pair is a merge: "a b", or ["a", "b"] in newer files.
type pair struct{ left, right string }

// UnmarshalJSON reads both forms.
func (p *pair) UnmarshalJSON(data []byte) error {
	var list []string
	if err := jsonfile.Unmarshal(data, &list); err == nil && len(list) == 2 {
		p.left, p.right = list[0], list[1]
		return nil
	}
	var text string
	err := jsonfile.Unmarshal(data, &text)
	ok := false
	if p.left, p.right, ok = strings.Cut(text, " "); err != nil || !ok {
		return fmt.Errorf("model.merges has %.80q, which is not a pair of pieces", data)
	}
	return nil
}

// ReadSerialized reads the content of a tokenizer.json whose model is BPE of bytes. A part of it that is not
// supported and ids with gaps are errors. Special tokens within a text are text, as for every tokenizer here; other added tokens,
// such as the spaces of ModernBERT, are found there.
func ReadSerialized(data []byte) (*Serialized, error) {
	var j serializedJSON
	if err := jsonfile.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	p := j.PreTokenizer
	switch m := j.Model; {
	case j.Normalizer != nil && j.Normalizer.Type != "NFC":
		return nil, fmt.Errorf("its normalizer %s is not supported: BPE is without one, or has NFC", j.Normalizer.Type)
	case p == nil || p.Type != "ByteLevel":
		return nil, errors.New("its pre_tokenizer is not supported: for BPE only ByteLevel is")
	case p.Regex != nil && !*p.Regex:
		return nil, errors.New("its pre_tokenizer ByteLevel has use_regex false, which is not supported")
	case m.Prefix != "" || m.Suffix != "" || m.Whole || m.Dropout != nil && *m.Dropout != 0:
		return nil, errors.New("model has dropout, ignore_merges, continuing_subword_prefix or end_of_word_suffix, which are not supported: BPE is byte-level only")
	}
	t := &Tokenizer{prefix: p.AddPrefix, composes: j.Normalizer != nil}
	t.Mark = string(byteRunes[' '])
	var err error
	if t.Names.Classify, t.Names.Separate, err = j.PostProcessor.Around(); err != nil {
		return nil, err
	}
	if err := t.take(&j); err != nil {
		return nil, err
	}
	if err := j.PostProcessor.CheckIDs(t.List); err != nil {
		return nil, err
	}
	t.Hashed = sync.OnceValue(func() string { return t.hashed(j.Model.Merges) })
	t.File = bytes.Clone(data)
	t.pool.New = t.newScratch
	return &Serialized{t, j.Truncation != nil && j.Truncation.Direction == "Left"}, nil
}

// take takes the pieces, the special tokens and the merges.
func (t *Tokenizer) take(j *serializedJSON) error {
	ids := map[string]int32{}
	if err := jsonfile.Unmarshal(j.Model.Pieces, &ids); err != nil {
		return fmt.Errorf("model.vocab: %w", err)
	}
	t.List = make([]string, len(ids))
	for piece, id := range ids {
		if id < 0 || int(id) >= len(t.List) || t.List[id] != "" || piece == "" {
			return fmt.Errorf("model.vocab: the id %d is given twice, or leaves a gap among the %d pieces", id, len(ids))
		}
		t.List[id] = piece
	}
	for c, r := range byteRunes {
		id, ok := ids[string(r)]
		if !ok {
			return fmt.Errorf("model.vocab has no %q, by which the byte %d is written: only byte-level BPE is supported", r, c)
		}
		t.bytes[c] = id
	}
	t.Names.Unknown = "<unk>" // no text has it
	if u := j.Model.Unknown; u != nil {
		t.Names.Unknown = *u
	} else if slices.ContainsFunc(j.AddedTokens, func(a pieces.Added) bool { return a.Content == "[UNK]" }) {
		t.Names.Unknown = "[UNK]"
	}
	special, err := t.Add(j.AddedTokens, ids, true)
	if err == nil {
		err = t.find(ids)
	}
	if err != nil {
		return err
	}
	list := make([]merge, 0, len(j.Model.Merges))
	for rank, p := range j.Model.Merges {
		left, okLeft := ids[p.left]
		right, okRight := ids[p.right]
		id, ok := ids[p.left+p.right]
		if !okLeft || !okRight || !ok || special[id] {
			return fmt.Errorf("model.merges has %q and %q, of which model.vocab lacks one, or both together, or has it as a special token",
				p.left, p.right)
		}
		list = append(list, merge{left, right, int32(rank), id})
	}
	t.merges = newMerges(list)
	return nil
}

// hashed makes Content: the settings, the pieces and the merges.
func (t *Tokenizer) hashed(list []pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bpe %v %q\n", t.prefix, t.Names)
	if t.composes {
		b.WriteString("NFC\n")
	}
	for _, added := range t.Matched {
		fmt.Fprintf(&b, "within %q\n", added.Content)
		if !added.Normalized {
			b.WriteString("before NFC\n")
		}
	}
	for _, piece := range t.List {
		b.WriteString(piece + "\n")
	}
	for _, p := range list {
		b.WriteString(p.left + " " + p.right + "\n")
	}
	return b.String()
}

// Vocabulary returns the tokenizer, which is its vocabulary.
func (s *Serialized) Vocabulary() (tokens.Vocabulary, error) { return s.tokenizer, nil }

// Added are the special tokens that Hugging Face finds within texts, too.
func (s *Serialized) Added() []string { return s.tokenizer.Table.Added }

// WithPrefix returns the tokenizer with a space before texts, or without one, and without a normalizer, as RoBERTa's class has it.
func (s *Serialized) WithPrefix(prefix bool) (*Serialized, error) {
	if s.tokenizer.prefix == prefix && !s.tokenizer.composes {
		return s, nil
	}
	var file struct {
		PreTokenizer  map[string]any `json:"pre_tokenizer"`
		PostProcessor map[string]any `json:"post_processor"`
	}
	if err := jsonfile.Unmarshal(s.tokenizer.File, &file); err != nil {
		return nil, err
	}
	file.PreTokenizer["add_prefix_space"] = prefix
	if _, ok := file.PostProcessor["add_prefix_space"]; ok {
		file.PostProcessor["add_prefix_space"] = prefix
	}
	data, err := jsonfile.WithFields(s.tokenizer.File, map[string]any{"normalizer": nil, "pre_tokenizer": file.PreTokenizer,
		"post_processor": file.PostProcessor})
	if err != nil {
		return nil, err
	}
	return ReadSerialized(data)
}

// CutsLeft says whether long texts lose their beginning.
func (s *Serialized) CutsLeft() bool { return s.cutsLeft }
