package examples

import (
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
)

// The ids of the pieces are their places: the special tokens from 0, then ▁rain 5, ▁ 6, s 7, ▁fall 8.
const unigram = `{"added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true},
	{"id": 2, "content": "</s>", "special": true}, {"id": 3, "content": "<unk>", "special": true}, {"id": 4, "content": "<mask>", "special": true}],
	"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
	"post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]},
	"model": {"type": "Unigram", "unk_id": 3, "vocab": [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["<mask>", 0],
	["▁rain", -1], ["▁", -2], ["s", -3], ["▁fall", -4]]}}`

// A folder with a tokenizer.json of Unigram makes examples of its ids, whole words are masked, and the manifest tells
// its vocabulary from others.
func TestUnigram(t *testing.T) {
	folder := t.TempDir()
	pipelinetest.File(t, folder, "tokenizer.json", unigram)
	m := newMaker(t, "--vocabulary", folder, "--whole-words", "--ratio", "0.5", "--copies", "20")
	rows, manifest, _ := run(t, m, []schemas.Pair{pair("x", schemas.KindConsecutive, "rains falls", "rain rains snow <mask>")})
	_, words, _ := run(t, newMaker(t), []schemas.Pair{pair("x", schemas.KindConsecutive, "rain", "rain")})
	if len(rows) != 20 {
		t.Fatalf("%d rows, want 20", len(rows))
	}
	for _, e := range rows {
		// The unknown characters behind a mark go on with the word that it begins.
		e.Unmask()
		if !slices.Equal(e.TokensA, []int32{0, 5, 7, 8, 7, 2}) || !slices.Equal(e.TokensB, []int32{0, 5, 5, 7, 6, 7, 3, 6, 3, 7, 3, 2}) {
			t.Fatalf("%v and %v", e.TokensA, e.TokensB)
		}
		has := func(p int32) bool { return slices.Contains(e.MaskPositions, p) }
		if has(2) != has(3) || has(4) != has(5) || has(5) != has(6) {
			t.Errorf("half of a word is masked: %v", e.MaskPositions)
		}
	}
	ours, theirs := manifest.Plan.InputHash(dataset.VocabularyRole), words.Plan.InputHash(dataset.VocabularyRole)
	if ours == "" || ours == theirs {
		t.Errorf("the vocabularies are %q and %q", ours, theirs)
	}
	m.Config.Cased = true
	_, err := m.Config.Plan(t.Context(), t.TempDir(), pipelinetest.Settings(1))
	if err == nil || !strings.Contains(err.Error(), "leave out --cased") {
		t.Errorf("cased: %v", err)
	}
}
