//go:build libtorch

package torch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/schemas/peertest"
	"sentweave/stages/model"
	"sentweave/stages/objective"
)

// Folders that Save wrote load in sentence-transformers and in transformers as
// they stand, with the same ids and the same vectors.
func TestFoldersLoadInSentenceTransformers(t *testing.T) {
	onThread()
	var folders []string
	for _, c := range []struct {
		pooling   model.Pooling
		normalize bool
		layers    int
		projected bool // with Dense layers
		of        architected
	}{
		{model.Mean, false, 2, false, bert}, {model.Mean, true, 2, false, bert}, {model.Max, true, 2, false, bert},
		{model.CLS, false, 2, false, bert}, {model.Mean, true, 0, false, bert}, {model.Mean, true, 2, true, bert},
		{model.CLS, false, 2, true, bert}, {model.Mean, true, 2, false, architected{"bert", model.LayerTanh}},
		{model.Mean, true, 2, false, architectures[1]}, {model.Max, false, 2, false, architectures[2]},
		{model.CLS, true, 2, false, architectures[3]}, {model.Mean, false, 2, false, architectures[4]},
		{model.Mean, true, 2, true, architectures[5]}, {model.Mean, false, 3, true, modernbert},
	} {
		cmlm := objective.DefaultCMLM()
		cmlm.MeanProjection = c.projected
		folder, vocabulary := tinyOf(t, c.of)
		folder.Pooling, folder.Normalize, folder.Config.Layers = c.pooling, c.normalize, c.layers
		trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: vocabulary, Objectives: objective.Settings{"cmlm": &cmlm},
			Optimizer: objective.DefaultOptimizer(), Seed: 3})
		path := t.TempDir()
		if err := trainer.Save(path); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, path)
		if c.pooling == model.Max && c.of == bert { // of a folder that others have made
			if err := os.WriteFile(filepath.Join(path, "config_sentence_transformers.json"), []byte(`{"truncate_dim": 5}`),
				0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for file, change := range map[string][2]string{ // the names and layers of other programs
		"config.json":         {`"gelu"`, `"gelu_pytorch_tanh"`},
		"2_Dense/config.json": {string(model.ReLU), string(model.DenseGELU)},
	} {
		const projected = 6 // by its place above
		path := filepath.Join(folders[projected], file)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), change[0]) {
			t.Fatalf("%s lacks %s: %v", path, change[0], err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loadElsewhere(t, folders, []string{"word5 word6 word7", "", "Word8 is unknown, word39", strings.Repeat("word9 word10 ", 20), "WORD11",
		"word12word13"})
}

// A published encoder with the Unigram vocabulary of XLM-R gives the vectors of sentence-transformers, and so
// does a folder that Save wrote with this vocabulary.
func TestUnigramFoldersLoadInSentenceTransformers(t *testing.T) {
	onThread()
	published, err := model.Open(os.Getenv("SENTWEAVE_E5"))
	if err != nil {
		t.Skip("skipped: SENTWEAVE_E5 is not the folder of multilingual-e5-small, which runners/fetch.sh e5 makes")
	}
	words, err := published.Vocabulary()
	if err != nil {
		t.Fatal(err)
	}
	cmlm := objective.DefaultCMLM()
	folder, _ := tiny(t)
	folder.Config.VocabularySize, folder.Config.PadID = words.Size(), 1
	trainer := newTrainerOf(t, TrainerConfig{Folder: folder, Vocabulary: words, Objectives: objective.Settings{"cmlm": &cmlm},
		Optimizer: objective.DefaultOptimizer(), Seed: 3})
	path := t.TempDir()
	if err := trainer.Save(path); err != nil {
		t.Fatal(err)
	}
	loadElsewhere(t, []string{published.Path, path}, append(texts, "e\u0301 ﬁ①　ｱ", "query: "+strings.Repeat("ten times ", 400)))
}

// ModernBERTs that transformers has drawn give its vectors of texts that are longer than their windows, and the ids of its tokenizers.
// A text has the same vector alone and in batches.
func TestModernBERTsLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: two programs of Python are started")
	}
	onThread()
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", "a", "two  words   and    spaces", "e\u0301 é, it's"}
	for _, n := range []int{40, 62, 63, 64, 120, 200} {
		text := ""
		for range n {
			text += string(rune('a' + r.IntN(20)))
		}
		texts = append(texts, text)
	}
	folders := []string{t.TempDir(), t.TempDir()}
	peertest.Answer(t, map[string]any{"folders": folders, "texts": texts[:3]}, &struct{}{}, peertest.PyTorch(t),
		filepath.Join("testdata", "modernbert.py"))
	for i := range folders {
		folders[i] = filepath.Join(folders[i], "whole")
	}
	loadElsewhere(t, folders, texts)
	opened, err := model.Open(folders[0])
	if err != nil {
		t.Fatal(err)
	}
	aloneAndInBatches(t, opened, texts)
}

// loadElsewhere compares the ids and the vectors of folders with those of sentence-transformers and transformers.
func loadElsewhere(t *testing.T, folders, texts []string) {
	t.Helper()
	var answers []struct {
		Vectors, Means [][]float32
		// Again is the folder of a masked language model that transformers has saved of small weights; States are what its layers
		// give for the tokens of all texts, the embeddings first.
		Again               string
		States              [][]float32
		IDs                 [][]int32
		Missing, Unexpected []string
		Pooler              bool
	}
	peertest.Answer(t, map[string]any{"folders": folders, "texts": texts}, &answers, peertest.PyTorch(t),
		filepath.Join("testdata", "load.py"))
	for i, answer := range answers {
		opened, err := model.Open(folders[i])
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(opened.Config.ModelType, " ", opened.Pooling)
		if answer.Pooler && opened.Path != os.Getenv("SENTWEAVE_E5") { // which does not say that it has none
			t.Errorf("%s: sentence-transformers draws a pooler", name)
		}
		if len(answer.Missing)+len(answer.Unexpected) > 0 {
			t.Errorf("%s: transformers misses %q and does not know %q", name, answer.Missing, answer.Unexpected)
		}
		ids := sequences(t, opened, texts)
		for k := range ids {
			if !slices.Equal(ids[k], answer.IDs[k]) {
				t.Errorf("%q has the ids %v, in transformers %v", texts[k], ids[k], answer.IDs[k])
			}
		}
		check := func(who string, folder *model.Folder, want [][]float32) {
			e, err := NewEncoder(folder, -1)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if d := distance(encode(t, e, ids), slices.Concat(want...)); d > 1e-5 {
				t.Errorf("%s, %d layers: vectors of %s differ by %v", name, folder.Config.Layers, who, d)
			}
		}
		check("sentence-transformers", opened, answer.Vectors)
		opened.Pooling, opened.Normalize, opened.Dense, opened.Truncate = model.Mean, false, nil, 0
		check("transformers", opened, answer.Means)
		if answer.Again == "" {
			continue
		}
		again, err := model.Open(answer.Again)
		if err != nil {
			t.Fatal(err)
		}
		again.Pooling = model.Mean
		for layer, want := range answer.States {
			e, err := NewEncoder(again, layer)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.States(t.Context(), ids)
			e.Close()
			if err != nil || len(got) != len(want) || distance(got, want) > 1e-5 {
				t.Errorf("%s, layer %d: %d and %d numbers, error %v, differ by %v", name, layer, len(got), len(want), err,
					distance(got, want))
			}
		}
		if h, err := model.FindHead(again); err != nil || h.Decoder != "" {
			t.Errorf("%s: the head that transformers saved is %+v, error %v", name, h, err)
		}
	}
}
