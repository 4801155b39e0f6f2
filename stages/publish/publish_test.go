package publish

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/model"
	"sentweave/stages/model/safetensors"
	"sentweave/stages/publish/hub"
)

// content reads a file of a repository.
func content(t testing.TB, r *Repository, name string) string {
	t.Helper()
	i := slices.IndexFunc(r.Files, func(f hub.File) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	object, err := r.Files[i].Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	data, err := io.ReadAll(io.NewSectionReader(object, 0, object.Size()))
	if err != nil || int64(len(data)) != r.Files[i].Size {
		t.Fatalf("%s: %d bytes of %d, %v", name, len(data), r.Files[i].Size, err)
	}
	return string(data)
}

func names(r *Repository) (list []string) {
	for _, f := range r.Files {
		list = append(list, f.Name)
	}
	slices.Sort(list)
	return list
}

func documents(t testing.TB) string {
	rows := make([]schemas.Document, 40)
	for i := range rows {
		rows[i] = rowtest.Document(i)
	}
	return datasettest.Write(t, map[string]string{"filter": "a|b"}, rows[:25], rows[25:])
}

// A dataset has its shards, its manifest and what is made, and two cards of it are equal.
func TestDataset(t *testing.T) {
	location := documents(t)
	c := Config{License: "cc-by-4.0", Languages: []string{"deu", "zho_Hant", "und", "hsb"}, Title: "A <title> | with *marks*"}
	r, err := Open(t.Context(), location, "owner/name", c)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md", "croissant.json", "data/part-00000.parquet", "data/part-00001.parquet", "manifest.json"}
	if r.Kind != hub.Dataset || !slices.Equal(names(r), want) {
		t.Errorf("%s %q, want %q", r.Kind, names(r), want)
	}
	card := content(t, r, "README.md")
	for _, want := range []string{
		"---\nlicense: cc-by-4.0\nlanguage:\n  - de\n  - hsb\n  - zh\npretty_name: A <title> | with *marks*\nsize_categories:\n  - n<1K\n",
		"configs:\n  - config_name: default\n    data_files: data/*.parquet\n---\n\n# A &lt;title> \\| with \\*marks\\*\n",
		`load_dataset("owner/name")`, "| sentences | list of group |", "| items | read |", `"filter": "a|b"`,
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q:\n%s", want, card)
		}
	}
	again, err := Open(t.Context(), location, "owner/name", c)
	if err != nil || content(t, again, "README.md") != card || content(t, again, "croissant.json") != content(t, r, "croissant.json") {
		t.Errorf("the second card is another one: %v", err)
	}
	for name, want := range map[string]bool{"data/part-00002.parquet": true, "rejects/x": true, "README.md": false, ".gitignore": false} {
		if r.Stale(name) != want {
			t.Errorf("stale %s: %v", name, !want)
		}
	}
}

// What is written into a folder is a dataset that is read as before, by Sentweave and by others; a second time nothing is written, and
// other files are refused.
func TestWrite(t *testing.T) {
	location, out := documents(t), t.TempDir()
	folder := storage.NewLocal(out).Beside()
	r, err := Open(t.Context(), location, "name", Config{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Write(t.Context(), folder, false); err != nil {
			t.Fatal(err)
		}
	}
	want, err := dataset.ReadAll[schemas.Document](t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := dataset.ReadAll[schemas.Document](t.Context(), folder); err != nil || len(got) != len(want) {
		t.Errorf("%d rows, want %d, %v", len(got), len(want), err)
	}
	if err := os.WriteFile(filepath.Join(out, "README.md"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(t.Context(), folder, false); err == nil || !strings.Contains(err.Error(), "holds another README.md") {
		t.Errorf("another card: %v", err)
	}
	if err := r.Write(t.Context(), folder, true); err != nil {
		t.Error(err)
	}
	rejects, err := os.ReadFile(filepath.Join(datasettest.Write(t, nil, []schemas.Reject{rowtest.Reject(0)}), "data", "part-00000.parquet"))
	if err := errors.Join(err, os.Mkdir(filepath.Join(out, "rejects"), 0o777),
		os.WriteFile(filepath.Join(out, "rejects", "part-00000.parquet"), rejects, 0o666)); err != nil {
		t.Fatal(err)
	}
	t.Run("peers", func(t *testing.T) { readByOthers(t, out, len(want)) })
	if err := os.RemoveAll(filepath.Join(out, "rejects")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "data", "other.parquet"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(t.Context(), folder, true); err == nil || !strings.Contains(err.Error(), "data/other.parquet") {
		t.Errorf("another shard: %v", err)
	}
}

// readByOthers loads a folder by the card, with Hugging Face's datasets, and by Croissant, with mlcroissant.
func readByOthers(t *testing.T, folder string, rows int) {
	for module, script := range map[string]string{
		"datasets": "import sys, datasets\nd = datasets.load_dataset(sys.argv[1], split='train')\n" +
			"print(len(d), d[1]['sentences'][0]['text'])",
		"mlcroissant": "import sys, mlcroissant\nl = list(mlcroissant.Dataset(sys.argv[1] + '/croissant.json').records('rows'))\n" +
			"print(len(l), l[1]['rows/sentences'][0]['rows/sentences/text'].decode())",
	} {
		t.Run(module, func(t *testing.T) {
			t.Setenv("HF_HOME", t.TempDir())
			t.Setenv("HF_HUB_OFFLINE", "1")
			out := peertest.Output(t, nil, peertest.Python(t, module), "-c", script, folder)
			want := rowtest.Document(1).Sentences[0].Text
			count, text, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
			if count != strconv.Itoa(rows) || text != want {
				t.Errorf("%q, want %d rows and %q", out, rows, want)
			}
		})
	}
}

// encoder writes the folder of a BERT with weights that fit nothing: only their shapes are read.
func encoder(t testing.TB) string {
	folder := t.TempDir()
	var weights bytes.Buffer
	tensors := []safetensors.Tensor{{Name: "embeddings.word_embeddings.weight", DType: safetensors.F32, Shape: []int64{7, 8}}}
	zeros := func(safetensors.Tensor) ([]byte, error) { return make([]byte, 4*7*8), nil }
	if err := safetensors.Write(&weights, tensors, nil, zeros); err != nil {
		t.Fatal(err)
	}
	return storagetest.WriteFiles(t, folder, map[string]string{
		"config.json": `{"model_type": "bert", "vocab_size": 7, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
 "intermediate_size": 16, "max_position_embeddings": 10, "type_vocab_size": 2}`,
		"vocab.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n",
		"modules.json": `[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]`,
		"1_Pooling/config.json":  `{"word_embedding_dimension": 8, "pooling_mode_mean_tokens": true}`,
		"model.safetensors":      weights.String(),
		"optimizer.safetensors":  "of the training",
		"secrets.env":            "TOKEN=x",
		"checkpoints/1/model.sh": "x",
		"training.json": `{"step": 1200, "config": {"seed": 3, "periods": [{"name": "cmlm", "steps": 1200, "mixture": [
 {"name": "pairs", "objective": "cmlm", "batch_size": 64, "max_tokens": 32}]}]}, "inputs": [{"role": "cmlm/pairs", "xxh3": "0123456789abcdef"}]}`,
	})
}

// resultsOf is a dataset of figures, among them those of the encoder at a location.
func resultsOf(t testing.TB, location, name string, figures ...schemas.Result) string {
	t.Helper()
	return resultsWith(t, location, name, nil, figures...)
}

func resultsWith(t testing.TB, location, name string, more []dataset.Input, figures ...schemas.Result) string {
	t.Helper()
	input, err := model.Input(t.Context(), "model "+name, location)
	if err != nil {
		t.Fatal(err)
	}
	return datasettest.WriteDraft(t, dataset.Draft{Config: struct{}{}, Inputs: append(more, input)}, figures)
}

// An encoder goes without what others cannot use, and the card has its training and its figures.
func TestEncoder(t *testing.T) {
	location := encoder(t)
	result := schemas.Result{Model: "mine", Task: "stsb", Language: "eng", Metric: "spearman", Value: .5, N: 1379, Settings: "{}",
		DataXXH3: "f0"}
	other := result
	other.Model, other.Value = "other", .25
	results := resultsOf(t, location, "mine", result, other)
	r, err := Open(t.Context(), location, "owner/name", Config{Results: results, Model: "mine", BaseModel: "owner/base"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1_Pooling/config.json", "README.md", "config.json", "model.safetensors", "modules.json", "vocab.txt"}
	if r.Kind != hub.Model || !slices.Equal(names(r), want) {
		t.Errorf("%s %q, want %q", r.Kind, names(r), want)
	}
	card := content(t, r, "README.md")
	for _, want := range []string{
		"library_name: sentence-transformers\n", "base_model: owner/base\n", "56 parameters", "Its pooling is `mean`",
		"model-index:\n  - name: name\n    results:\n      - task:\n          type: semantic-similarity\n        dataset:\n" +
			"          type: stsb\n          name: stsb\n          config: eng\n          revision: f0\n        metrics:\n" +
			"          - type: spearman\n            value: 0.5\n---\n",
		"| stsb |  | eng | spearman | 0.5 | 1,379 | f0 |",
		"1,200 steps, seed 3", "| cmlm | cmlm | 1,200 | 64 | 32 |", "| cmlm/pairs | 0123456789abcdef |",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q:\n%s", want, card)
		}
	}
	for name, want := range map[string]bool{"pytorch_model.bin": true, "2_Dense/config.json": true, "tokenizer.json": true,
		"README.md": false, "notes.txt": false} {
		if r.Stale(name) != want {
			t.Errorf("stale %s: %v", name, !want)
		}
	}
}

// Misuse is one error that says what is wrong.
func TestFaults(t *testing.T) {
	location, folder := documents(t), encoder(t)
	reduced := resultsWith(t, folder, "a", []dataset.Input{{Role: "components a", XXH3: "0123456789abcdef"}},
		schemas.Result{Model: "a", Task: "t", Metric: "m", Settings: "{}"})
	results := resultsWith(t, folder, "a", []dataset.Input{{Role: "components b", XXH3: "0123456789abcdef"}},
		schemas.Result{Model: "a", Task: "t", Metric: "m", Settings: `{"layer":"last","pooling":"max"}`},
		schemas.Result{Model: "b", Task: "t", Metric: "m", Settings: "{}"})
	damaged := documents(t)
	shard := filepath.Join(damaged, "data", "part-00000.parquet")
	data, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2]++
	if err := os.WriteFile(shard, data, 0o666); err != nil {
		t.Fatal(err)
	}
	speechless := encoder(t)
	if err := os.Remove(filepath.Join(speechless, "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	diverged := map[string]string{}
	for number, bits := range map[string]string{"NaN": "\x00\x00\xc0\x7f", "-Inf": "\x00\x00\x80\xff", "the greatest": "\xff\xff\x7f\x7f"} {
		diverged[number] = encoder(t)
		path := filepath.Join(diverged[number], "model.safetensors")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data[:len(data)-4], bits...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(t.Context(), diverged["the greatest"], "name", Config{}); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		location string
		config   Config
		want     string
	}{
		{diverged["NaN"], Config{}, "embeddings.word_embeddings.weight of model.safetensors holds a number that is not finite"},
		{diverged["-Inf"], Config{}, "holds a number that is not finite"},
		{location, Config{License: "Apache 2.0"}, "want a name such as apache-2.0"},
		{location, Config{Title: "a\nb"}, "more than one line"},
		{location, Config{Model: "x"}, "model is for --results"},
		{location, Config{Results: results}, "results are of encoders"},
		{damaged, Config{}, "part-00000.parquet"},
		{speechless, Config{}, "vocab.txt"},
		{folder, Config{Languages: []string{"english"}}, `"english" is not ISO 639-3`},
		{folder, Config{BaseModel: "name"}, "want OWNER/NAME"},
		{folder, Config{Results: results, Model: "b"}, "b was another encoder, no folder"},
		{folder, Config{Results: reduced, Model: "a"}, "without principal components"},
		{folder, Config{Results: results, Model: "a"}, "pooling max, and the folder gives layer last and pooling mean"},
		{folder, Config{WithoutRejects: true}, "without-rejects is for datasets"},
		{folder, Config{Results: results}, "has the encoders a, b: choose one by --model"},
		{folder, Config{Results: results, Model: "c"}, "has the encoders a, b"},
		{folder, Config{Results: location}, "holds rows of document"},
		{t.TempDir(), Config{}, "holds no dataset and no encoder"},
		{filepath.Join(location, "nowhere"), Config{}, "holds no dataset and no encoder"},
	} {
		if _, err := Open(t.Context(), test.location, "name", test.config); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.config, err, test.want)
		}
	}
}
