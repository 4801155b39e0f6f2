package unigram

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"golang.org/x/text/unicode/norm"
)

// Reserved is the number of special tokens that Serialize adds.
const Reserved = 5

// Piece is a piece with its log probability.
type Piece struct {
	Text  string
	Score float64
}

// Serialize returns the tokenizer.json of learned pieces, whose words a Splitter gives. Special tokens have XLM-R's names and places: <s>,
// <pad>, </s> and <unk> before the pieces, <mask> behind them. Scores are rounded to nine decimals, which all parsers of JSON read as the
// same number; that decides ties.
func Serialize(pieces []Piece) ([]byte, error) {
	vocabulary, added := [][2]any{}, []map[string]any{}
	special := func(names ...string) {
		for _, name := range names {
			added = append(added, map[string]any{"id": len(vocabulary), "content": name, "special": true, "lstrip": name == "<mask>",
				"rstrip": false, "single_word": false, "normalized": false})
			vocabulary = append(vocabulary, [2]any{name, 0.})
		}
	}
	special("<s>", "<pad>", "</s>", "<unk>")
	for _, p := range pieces {
		vocabulary = append(vocabulary, [2]any{p.Text, math.Round(p.Score*1e9) / 1e9})
	}
	special("<mask>")
	token := func(name string) any { return map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": 0}} }
	sequence := func(name string) any { return map[string]any{"Sequence": map[string]any{"id": name, "type_id": 0}} }
	metaspace := map[string]any{"type": "Metaspace", "replacement": mark, "prepend_scheme": "always", "split": true}
	data, err := json.Marshal(map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": map[string]any{"type": "NFKC"},
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{map[string]any{"type": "WhitespaceSplit"}, metaspace}},
		"post_processor": map[string]any{"type": "TemplateProcessing",
			"single": []any{token("<s>"), sequence("A"), token("</s>")},
			"pair":   []any{token("<s>"), sequence("A"), token("</s>"), token("</s>"), sequence("B"), token("</s>")},
			"special_tokens": map[string]any{
				"<s>":  map[string]any{"id": "<s>", "ids": []int{0}, "tokens": []string{"<s>"}},
				"</s>": map[string]any{"id": "</s>", "ids": []int{2}, "tokens": []string{"</s>"}}}},
		"decoder": metaspace,
		"model":   map[string]any{"type": "Unigram", "unk_id": 3, "byte_fallback": false, "vocab": vocabulary},
	})
	if err != nil { // a score that is no number
		return nil, fmt.Errorf("serialize %d pieces: %w", len(pieces), err)
	}
	return data, nil
}

// Splitter cuts texts into words as the tokenizers of Serialize do: in NFKC, at white space and at marks. It is immutable and safe for
// concurrent use.
type Splitter struct{ tokenizer Tokenizer }

// NewSplitter returns a splitter.
func NewSplitter() *Splitter {
	s := &Splitter{Tokenizer{steps: []step{form(norm.NFKC)}, splitters: []splitter{whitespace{}, metaspace{[]byte(mark), always, true}}}}
	s.tokenizer.pool.New = newScratch
	return s
}

// Words yields the words of a text in order, without their marks. A word's bytes are valid until the next one is asked for.
func (s *Splitter) Words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		words := s.tokenizer.split(text, false)
		defer s.tokenizer.release(words)
		for _, c := range words.cuts {
			if word := words.text.bytes[c.start+len(mark) : c.end]; len(word) > 0 && !yield(word) {
				return
			}
		}
	}
}
