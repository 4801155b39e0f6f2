package replace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/transforms/augment/infill"
	"sentweave/transforms/tokens/wordpiece"
)

var pieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "a", "mat", "dog", "##s", "der", "hund", "."}

// folderWith is the folder of an encoder whose weights are nothing but the names of
// tensors, in one of its files.
func folderWith(t *testing.T, file string, names ...string) string {
	t.Helper()
	v, err := wordpiece.NewVocabulary(pieces)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	f := &model.Folder{Config: model.DefaultConfig(), Pooling: model.Mean, MaxTokens: 16, Tokenizer: wordpiece.Uncased}
	f.Config.VocabularySize, f.Config.MaxPositions = len(pieces), 16
	if err := f.WriteSettings(folder, v); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{model.WeightsName, model.HeadsName} {
		list := []safetensors.Tensor{{Name: "embeddings.LayerNorm.bias", DType: safetensors.F32, Shape: []int64{1}}}
		if name == file {
			for _, n := range names {
				list = append(list, safetensors.Tensor{Name: n, DType: safetensors.F32, Shape: []int64{1}})
			}
		}
		var out bytes.Buffer
		if err := safetensors.Write(&out, list, nil, func(safetensors.Tensor) ([]byte, error) { return make([]byte, 4), nil }); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// fake predicts by a hash of the sequence and the place.
type fake struct {
	infiller *infill.Infiller
	// fail is an error after so many calls, if above 0.
	fail  int64
	calls *atomic.Int64
}

var errFake = errors.New("the power is gone")

func (f fake) Close() {}

func (f fake) Top(_ context.Context, sequences [][]int32, masks [][]infill.Mask, k int) (found []infill.Candidate, err error) {
	if calls := f.calls.Add(1); f.fail > 0 && calls >= f.fail {
		return nil, errFake
	}
	for i, list := range masks {
		for _, mask := range list {
			var key []byte
			for _, id := range sequences[i] {
				key = binary.LittleEndian.AppendUint32(key, uint32(id))
			}
			at := xxh3.Hash(append(key, byte(mask.Position)))
			members := f.infiller.Members()[mask.Class]
			for j := range k {
				c := infill.Candidate{ID: -1}
				if j < len(members) {
					c = infill.Candidate{ID: members[(at+uint64(j))%uint64(len(members))], Logit: float32(-j)}
				}
				found = append(found, c)
			}
		}
	}
	return found, nil
}

// opener opens fakes; see fake.fail.
func opener(fail int64) func(Config) (*Model, error) {
	return func(c Config) (*Model, error) {
		_, i, err := c.open()
		return &Model{i, fake{i, fail, new(atomic.Int64)}}, err
	}
}

func document(i int, language string, texts ...string) schemas.Document {
	d := schemas.Document{ID: schemas.ID("test", int64(i)), Source: "test", Language: "eng"}
	for k, text := range texts {
		d.Sentences = append(d.Sentences, schemas.Sentence{Text: text, Language: language, Position: int32(2 * k), Block: int32(k)})
	}
	return d
}

func defaults(t *testing.T, texts string) Config {
	t.Helper()
	return Config{
		Model: folderWith(t, model.HeadsName, "cls.predictions.bias"), Texts: texts, Language: []string{"eng"},
		MinTokens: 3, Share: .2, Top: 1, ShardBytes: 16 << 20,
	}
}

func rows(t *testing.T, out string) []schemas.Pair {
	t.Helper()
	folder, err := storage.Locate(out)
	if err != nil {
		t.Fatal(err)
	}
	list, err := dataset.ReadAll[schemas.Pair](t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestDocuments(t *testing.T) {
	long := strings.Repeat("the cat ", 8)
	texts := datasettest.Write(t, nil, []schemas.Document{
		document(0, "eng", "The cat sat on a mat.", "A dog.", "42 42 42 42", long),
		document(1, "deu", "der Hund der Hund der Hund"),
	})
	out := filepath.Join(t.TempDir(), "out")
	m, done, err := Run(t.Context(), out, defaults(t, texts), Options{Open: opener(0)})
	if err != nil || done {
		t.Fatal(done, err)
	}
	list := rows(t, out)
	if len(list) != 2 {
		t.Fatalf("%d views", len(list))
	}
	view := list[0]
	group, position := xxh3.HashString("text\x00The cat sat on a mat."), int32(0)
	want := schemas.Pair{
		ID: view.ID, Kind: schemas.KindView, Origin: "masked-lm", TextA: "The cat sat on a mat.", TextB: view.TextB, LanguageA: "eng",
		LanguageB: "eng",
		DocumentA: schemas.ID("test", 0), DocumentB: schemas.ID("test", 0), PositionA: &position, PositionB: &position, Group: &group,
	}
	if diff := cmp.Diff(want, view); diff != "" {
		t.Error(diff)
	}
	a, b := strings.Fields(view.TextA), strings.Fields(view.TextB)
	changed := 0
	for i := range a {
		if len(b) != len(a) || a[i] != b[i] {
			changed++
		}
	}
	if changed != 1 { // of six words, a share of .2
		t.Errorf("%q has %d other words than %q", view.TextB, changed, view.TextA)
	}
	steps := m.Funnel.Chains[0].Steps
	for i, want := range []map[string]int64{{ReasonOtherLanguage: 1}, {infill.ReasonTooLong: 1, infill.ReasonNoWords: 1}, nil} {
		if diff := cmp.Diff(want, steps[i].Total().Dropped); diff != "" && len(want)+len(steps[i].Total().Dropped) > 0 {
			t.Errorf("step %s: %s", steps[i].Name, diff)
		}
	}
	// The head decides the views, too.
	c := defaults(t, texts)
	if _, done, err := Run(t.Context(), out, c, Options{Open: opener(0)}); err != nil || !done {
		t.Errorf("an equal model: %v, %v", done, err)
	}
	c.Model = folderWith(t, model.HeadsName, "cls.predictions.bias", "another")
	if _, _, err := Run(t.Context(), out, c, Options{Open: opener(0)}); !errors.Is(err, dataset.ErrOtherPlan) {
		t.Errorf("another head: %v", err)
	}
}

// A copy is rejected: nothing but the original can be there.
func TestCopy(t *testing.T) {
	texts := datasettest.Write(t, nil, []schemas.Pair{{
		ID: schemas.DerivedID("test"), Kind: schemas.KindSingle, Origin: "test", LanguageA: "eng", TextA: "mats mats mats",
	}})
	c := defaults(t, texts)
	out := filepath.Join(t.TempDir(), "out")
	m, _, err := Run(t.Context(), out, c, Options{Open: opener(0)})
	if err != nil {
		t.Fatal(err)
	}
	// The vocabulary has one piece that continues words, so none to take its place.
	if m.Rows != 0 || m.Funnel.Chains[0].Steps[2].Total().Dropped[infill.ReasonCopy] != 1 {
		t.Errorf("%d rows, %v", m.Rows, m.Funnel.Chains[0].Steps[2])
	}
}

func many(t *testing.T) string {
	t.Helper()
	words := []string{"the", "cat", "sat", "on", "a", "mat", "dog", "Dogs"}
	var shards [][]schemas.Pair
	for i := range 400 {
		var text []string
		for k := range 3 + i%10 {
			text = append(text, words[(i*i+k*k*7+i*k)%len(words)])
		}
		position, group := int32(i), uint64(i)
		if i%100 == 0 {
			shards = append(shards, nil)
		}
		shards[i/100] = append(shards[i/100], schemas.Pair{
			ID: schemas.DerivedID("test", fmt.Sprint(i)), Kind: schemas.KindBitext, Origin: "test", LanguageA: "eng", LanguageB: "deu",
			TextA: strings.Join(text, " "), TextB: "x",
			DocumentA: "d", PositionA: &position, Group: &group,
		})
	}
	return datasettest.Write(t, nil, shards...)
}

// The rows are the same however the input is cut, and after an interruption.
func TestUnitsAndResume(t *testing.T) {
	c := defaults(t, many(t))
	base := t.TempDir()
	whole, _, err := Run(t.Context(), filepath.Join(base, "whole"), c, Options{Open: opener(0)})
	if err != nil {
		t.Fatal(err)
	}
	c.ShardBytes = 1
	calls := 0
	split, _, err := Run(t.Context(), filepath.Join(base, "split"), c, Options{Observe: func(done, rows, texts int64) {
		if calls++; done != texts || rows != 400 {
			t.Errorf("%d of %d rows, %d texts", done, rows, texts)
		}
	}, Open: opener(0)})
	if err != nil {
		t.Fatal(err)
	}
	if split.ContentXXH3 != whole.ContentXXH3 || len(split.Shards) < 4 || len(whole.Shards) != 1 || calls < 4 {
		t.Errorf("%d shards have %s, %d have %s", len(split.Shards), split.ContentXXH3, len(whole.Shards), whole.ContentXXH3)
	}
	out := filepath.Join(base, "resumed")
	if _, _, err := Run(t.Context(), out, c, Options{Open: opener(3)}); !errors.Is(err, errFake) {
		t.Fatalf("got %v", err)
	}
	resumed, done, err := Run(t.Context(), out, c, Options{Open: opener(3)}) // two units at a time
	if err != nil || done || resumed.ContentXXH3 != split.ContentXXH3 {
		t.Errorf("after an interruption: %v, %v", done, err)
	}
	if _, done, err := Run(t.Context(), out, c, Options{Open: opener(1)}); err != nil || !done {
		t.Errorf("complete: %v, %v", done, err)
	}
	c.Seed++
	if _, _, err := Run(t.Context(), out, c, Options{Open: opener(0)}); !errors.Is(err, dataset.ErrOtherPlan) {
		t.Errorf("another seed: %v", err)
	}
	other, _, err := Run(t.Context(), out, c, Options{Overwrite: true, Open: opener(0)})
	if err != nil || other.ContentXXH3 == split.ContentXXH3 {
		t.Errorf("another seed gives the same views: %v", err)
	}
	for i, p := range rows(t, filepath.Join(base, "whole")) {
		if p.DocumentA != "d" || p.TextA == p.TextB || *p.Group != uint64(*p.PositionA) || p.Validate() != nil {
			t.Fatalf("row %d: %+v", i, p)
		}
	}
}

// Faults are found before anything is written.
func TestRunFaults(t *testing.T) {
	texts := many(t)
	good := defaults(t, texts)
	set := func(edit func(*Config)) Config {
		c := good
		edit(&c)
		return c
	}
	unigram := folderWith(t, model.HeadsName, "cls.predictions.bias")
	if err := os.WriteFile(filepath.Join(unigram, "tokenizer.json"), []byte(`{"post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2],
		"cls": ["<s>", 0]}, "model": {"type": "Unigram", "unk_id": 3, "vocab": [["<s>", 0], ["a", -1], ["</s>", 0], ["<unk>", 0]]}}`),
		0o666); err != nil {
		t.Fatal(err)
	}
	class := []byte(`{"tokenizer_class": "PreTrainedTokenizerFast"}`)
	if err := os.WriteFile(filepath.Join(unigram, "tokenizer_config.json"), class, 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		config Config
		want   []string
	}{
		{"nothing given", Config{Language: []string{"xyzzy"}},
			[]string{"model is empty", "texts is empty", "xyzzy", "share is 0", "top is 0", "min-tokens is 0", "shard-bytes is 0"}},
		{"word counts", set(func(c *Config) {
			c.Texts = datasettest.Write(t, nil, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}})
		}), []string{"holds rows of wordcount v1; views can be made of documents and pairs"}},
		{"no dataset", set(func(c *Config) { c.Texts = t.TempDir() }), []string{"texts: no dataset in"}},
		{"no folder", set(func(c *Config) { c.Model += "/absent" }), []string{"model: ", "absent holds no encoder: there is no"}},
		{"a folder of something else", set(func(c *Config) { c.Model = texts }), []string{"model: ", "holds no encoder"}},
		{"no head", set(func(c *Config) { c.Model = folderWith(t, "") }),
			[]string{"model: ", "no head of a masked language model", "give a BertForMaskedLM"}},
		{"more tokens than positions", set(func(c *Config) { c.MinTokens = 15 }), []string{"model: ", "the most tokens are 16"}},
		{"a Unigram tokenizer", set(func(c *Config) { c.Model = unigram }), []string{"model: ", "of another model than WordPiece"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, _, err := Run(t.Context(), out, test.config, Options{Open: Open})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// Heads are found where transformers and training put them.
func TestHeads(t *testing.T) {
	for file, names := range map[string][]string{
		model.WeightsName: {"cls.predictions.decoder.bias", "cls.predictions.decoder.weight"},
		model.HeadsName:   {"cls.predictions.bias"},
	} {
		f, err := model.Open(folderWith(t, file, names...))
		if err != nil {
			t.Fatal(err)
		}
		h, err := model.FindHead(f)
		if want := (model.Head{File: file, Path: filepath.Join(f.Path, file), Bias: names[0]}); err != nil || h != want {
			t.Errorf("got %v, %v, want %v", h, err, want)
		}
	}
}
