package unigram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"sentweave/schemas/jsonfile"
	"sentweave/transforms/tokens"
	"sentweave/transforms/tokens/pieces"
	"sentweave/transforms/tokens/template"
)

// Serialized is a Unigram tokenizer as tokenizer.json has it.
type Serialized struct {
	tokenizer *Tokenizer
	cutsLeft  bool
}

type serializedJSON struct {
	Truncation *struct {
		Direction string `json:"direction"`
	} `json:"truncation"`
	AddedTokens   []pieces.Added          `json:"added_tokens"`
	Normalizer    *normalizerJSON         `json:"normalizer"`
	PreTokenizer  *preTokenizerJSON       `json:"pre_tokenizer"`
	PostProcessor *template.PostProcessor `json:"post_processor"`
	Model         struct {
		Unknown  *int     `json:"unk_id"`
		Fallback bool     `json:"byte_fallback"`
		Pieces   []scored `json:"vocab"`
	} `json:"model"`
}

// scored is a piece with its score.
type scored struct {
	piece string
	score float64
	// unspoken pieces are none that a text may give, and count for no penalty.
	unspoken bool
}

// UnmarshalJSON reads ["piece", -1.5].
func (s *scored) UnmarshalJSON(data []byte) error {
	comma := bytes.LastIndexByte(data, ',')
	if comma < 0 || data[0] != '[' {
		return fmt.Errorf("model.vocab has %.80q, which is not a list of a piece and its score", data)
	}
	if err := jsonfile.Unmarshal(data[1:comma], &s.piece); err != nil {
		return fmt.Errorf("model.vocab has %.80q, which is not a list of a piece and its score", data)
	}
	number := string(bytes.TrimSpace(data[comma+1 : len(data)-1]))
	if exact, err := strconv.ParseFloat(number, 64); err != nil || math.IsInf(exact, 0) {
		return fmt.Errorf("model.vocab gives %q the score %.40s, which is not a number", s.piece, number)
	}
	s.score = scoreOf(number)
	return nil
}

// ReadSerialized reads the content of a tokenizer.json whose model is Unigram. A part of it that is not
// supported, ids with gaps, pieces that are there twice, and added tokens that are not special ones, which
// would be matched before text is normalized, are errors. Special tokens within a text are text, as for
// every tokenizer here.
func ReadSerialized(data []byte) (*Serialized, error) {
	var j serializedJSON
	if err := jsonfile.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	if j.Model.Unknown == nil || *j.Model.Unknown < 0 || *j.Model.Unknown >= len(j.Model.Pieces) {
		return nil, fmt.Errorf("model.unk_id is not one of the %d pieces of model.vocab:"+
			" characters without a piece have no id", len(j.Model.Pieces))
	}
	t := &Tokenizer{unknownID: int32(*j.Model.Unknown)}
	t.Mark = mark
	var errs []error
	var err error
	if j.Normalizer != nil {
		t.steps, err = j.Normalizer.steps(nil)
		errs = append(errs, err)
	}
	if j.PreTokenizer != nil {
		t.splitters, err = j.PreTokenizer.splitters(nil)
		errs = append(errs, err)
	}
	t.Names.Classify, t.Names.Separate, err = j.PostProcessor.Around()
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	s := &Serialized{tokenizer: t, cutsLeft: j.Truncation != nil && j.Truncation.Direction == "Left"}
	if err := s.take(&j); err != nil {
		return nil, err
	}
	if err := j.PostProcessor.CheckIDs(t.List); err != nil {
		return nil, err
	}
	settings := struct {
		Unknown      int
		Fallback     bool
		Names        tokens.SpecialTokens
		Normalizer   *normalizerJSON
		PreTokenizer *preTokenizerJSON
	}{*j.Model.Unknown, j.Model.Fallback, t.Names, j.Normalizer, j.PreTokenizer}
	t.Hashed = sync.OnceValue(func() string { return contentOf(settings, t.List, t.scores) })
	t.File = bytes.Clone(data)
	t.pool.New = newScratch
	return s, nil
}

// take takes the pieces and the special tokens.
func (s *Serialized) take(j *serializedJSON) error {
	t := s.tokenizer
	least, ids := math.Inf(1), make(map[string]int32, len(j.Model.Pieces))
	for id, p := range j.Model.Pieces {
		if previous, ok := ids[p.piece]; ok || p.piece == "" {
			return fmt.Errorf("model.vocab has %q, the piece of the id %d, which is empty or that of the id %d, too", p.piece, id, previous)
		}
		ids[p.piece] = int32(id)
		t.List, t.scores = append(t.List, p.piece), append(t.scores, p.score)
		if !p.unspoken {
			least = min(least, p.score)
		}
	}
	const penalty = 10 // SentencePiece's
	t.unknown, t.Names.Unknown = least-penalty, t.List[t.unknownID]
	special, err := t.Add(j.AddedTokens, ids, false)
	if err != nil {
		return err
	}
	t.scores = append(t.scores, make([]float64, len(t.List)-len(t.scores))...)
	if j.Model.Fallback {
		t.bytes = make([]int32, 256)
		for b := range t.bytes {
			id, ok := ids[fmt.Sprintf("<0x%02X>", b)]
			if !ok {
				return fmt.Errorf("model.byte_fallback is true, but model.vocab has no <0x%02X>", b)
			}
			t.bytes[b] = id
		}
	}
	for id, p := range j.Model.Pieces {
		special[id] = special[id] || p.unspoken
	}
	t.nodes = newTrie(t.List, special)
	return nil
}

// contentOf writes Content: the settings as JSON, then a line for each piece. What a file says in other
// words, and what does not change ids, as its truncation, changes no content.
func contentOf(settings any, list []string, scores []float64) string {
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode(settings) // which are what a file had
	var number []byte
	for id, piece := range list {
		b.WriteString(piece)
		b.WriteByte('\t')
		number = strconv.AppendFloat(number[:0], scores[id], 'g', -1, 64)
		b.Write(append(number, '\n'))
	}
	return b.String()
}

// Vocabulary returns the tokenizer, which is its vocabulary.
func (s *Serialized) Vocabulary() (tokens.Vocabulary, error) { return s.tokenizer, nil }

// Added are the special tokens that Hugging Face finds within texts, too.
func (s *Serialized) Added() []string { return s.tokenizer.Table.Added }

// CutsLeft says whether long texts lose their beginning.
func (s *Serialized) CutsLeft() bool { return s.cutsLeft }
