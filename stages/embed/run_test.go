package embed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/model"
	"sentweave/transforms/tokens/wordpiece"
)

// encoderFolder is a folder of an encoder whose weights nobody can read.
func encoderFolder(t *testing.T) string {
	t.Helper()
	v, err := wordpiece.ReadVocabulary(strings.NewReader("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	f := &model.Folder{Config: model.DefaultConfig(), Pooling: model.Mean, MaxTokens: 64, Tokenizer: wordpiece.Uncased}
	f.Config.VocabularySize, f.Config.Layers = 6, 2
	if err := f.WriteSettings(folder, v); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, model.WeightsName), []byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	return folder
}

func pair() schemas.Pair {
	return schemas.Pair{ID: schemas.DerivedID("test"), Kind: schemas.KindBitext, Origin: "test", LanguageA: "eng", LanguageB: "deu",
		TextA: "a", TextB: "b"}
}

// Faults are found before anything is written, so that the next try finds an empty
// folder.
func TestRunFaults(t *testing.T) {
	pairs, encoder := datasettest.Write(t, nil, []schemas.Pair{pair()}), encoderFolder(t)
	without := func(name string) string {
		folder := encoderFolder(t)
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	last := ModelConfig{Model: encoder, Layer: -1}
	set := func(edit func(*ModelConfig)) ModelConfig {
		c := last
		edit(&c)
		return c
	}
	tests := []struct {
		name   string
		config Config
		want   []string
	}{
		{"nothing given", Config{}, []string{"model is empty", "texts is empty", "shard-bytes is 0"}},
		{"word counts", Config{ModelConfig: last,
			Texts: datasettest.Write(t, nil, []schemas.WordCount{{Word: "a", Language: "eng", Count: 1}}), ShardBytes: 1},
			[]string{"holds rows of wordcount v1; documents, pairs and benchmarks can be embedded"}},
		{"no dataset", Config{ModelConfig: last, Texts: t.TempDir(), ShardBytes: 1}, []string{"texts: no dataset in"}},
		{"no folder", Config{ModelConfig: set(func(c *ModelConfig) { c.Model += "/absent" }), Texts: pairs, ShardBytes: 1},
			[]string{"model: ", "absent holds no encoder: there is no config.json; give a whole folder"}},
		{"a folder of something else", Config{ModelConfig: set(func(c *ModelConfig) { c.Model = pairs }), Texts: pairs, ShardBytes: 1},
			[]string{"model: ", "holds no encoder"}},
		{"no such layer", Config{ModelConfig: set(func(c *ModelConfig) { c.Layer = 3 }), Texts: pairs, ShardBytes: 1},
			[]string{"model: layer is 3", "has 2 layers"}},
		{"no pooling", Config{ModelConfig: set(func(c *ModelConfig) { c.Model = without("modules.json") }), Texts: pairs, ShardBytes: 1},
			[]string{"model: ", "give --pooling mean, max or cls"}},
		{"no vocabulary", Config{ModelConfig: set(func(c *ModelConfig) { c.Model = without("vocab.txt") }), Texts: pairs, ShardBytes: 1},
			[]string{"model: ", "vocab.txt"}},
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

// Of "a" and "b", of which the vocabulary has the first, there are three tokens each, with [CLS] and [SEP]. A service
// is assumed to count nine for a byte.
func TestEstimate(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	folder, out := encoderFolder(t), filepath.Join(t.TempDir(), "out")
	c := Config{ModelConfig: ModelConfig{Model: folder, Layer: -1}, Texts: datasettest.Write(t, nil, []schemas.Pair{pair()}), ShardBytes: 1}
	priced := c
	priced.Model, priced.Price, priced.Dimensions = "http://127.0.0.1:1/v1#m", 1e6, 5
	for want, c := range map[Estimate]Config{
		{Rows: 1, Texts: 2, Bytes: 2, Tokens: 6, Dimension: 768, Shards: 1}:                            c,
		{Rows: 1, Texts: 2, Bytes: 2, Dimension: 5, Shards: 1, Unpaid: 2, MostTokens: 32, Dollars: 32}: priced, // and a greeting
	} {
		got, err := EstimateRun(t.Context(), out, c, false)
		if err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	priced.KeyVariable = "SENTWEAVE_TEST_NO_KEY"
	if _, err := EstimateRun(t.Context(), out, priced, false); err == nil || !strings.Contains(err.Error(), "NO_KEY is not set") {
		t.Errorf("a key that is not there: %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the output was made")
	}
}

// A model that cannot be loaded is one error before anything is written, so that another configuration can be tried.
func TestRunWithoutModel(t *testing.T) {
	out, broken := filepath.Join(t.TempDir(), "out"), errors.New("no memory")
	c := Config{ModelConfig: ModelConfig{Model: encoderFolder(t), Layer: -1}, Texts: datasettest.Write(t, nil, []schemas.Pair{pair()}),
		ShardBytes: 1}
	_, _, err := Run(t.Context(), out, c, Options{Open: func(ModelConfig) (*Model, error) { return nil, broken }})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// Weights that do not load are an error before anything is written.
func TestRunWithUnreadableWeights(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := Config{ModelConfig: ModelConfig{Model: encoderFolder(t), Layer: -1}, Texts: datasettest.Write(t, nil, []schemas.Pair{pair()}),
		ShardBytes: 1}
	if err := os.WriteFile(filepath.Join(c.Model, model.WeightsName), []byte("no weights"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := Run(t.Context(), out, c, Options{Open: Open})
	if err == nil || !strings.Contains(err.Error(), model.WeightsName) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
