package pipelines_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sentweave/pipelines/crosslingual"
	"sentweave/pipelines/dedup"
	"sentweave/pipelines/examples"
	"sentweave/pipelines/pairs"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/pipelinetest/chain"
	"sentweave/pipelines/views"
	"sentweave/pipelines/wordcounts"
	"sentweave/schemas/dataset"
)

// made are datasets of every kind, and their folders by the names of the links.
func made(t *testing.T) (at func(string) string) {
	t.Helper()
	root := t.TempDir()
	links := chain.Links(pipelinetest.Corpus{Pages: 4, Paragraphs: 3, Languages: []string{"eng", "deu"}}.Write(t),
		pipelinetest.Vocabulary(t))
	chain.Run(t, links, root, pipelinetest.Settings(8<<10), pipelinetest.Plain(2))
	return func(name string) string { return filepath.Join(root, name) }
}

// readers are the pipelines that read datasets, by the kind of row that they read.
var readers = []struct {
	name, reads string
	config      func(t *testing.T, location, vocabulary string) pipelinetest.Pipeline
}{
	{"dedup", "document", func(t *testing.T, location, _ string) pipelinetest.Pipeline {
		return pipelinetest.Parse[dedup.Config](t, "--documents", location)
	}},
	{"wordcounts", "document", func(t *testing.T, location, _ string) pipelinetest.Pipeline {
		return pipelinetest.Parse[wordcounts.Config](t, "--documents", location)
	}},
	{"pairs", "document", func(t *testing.T, location, _ string) pipelinetest.Pipeline {
		return pipelinetest.Parse[pairs.Config](t, "--documents", location)
	}},
	{"examples of documents", "document", func(t *testing.T, location, vocabulary string) pipelinetest.Pipeline {
		return pipelinetest.Parse[examples.Config](t, "--documents", location, "--vocabulary", vocabulary)
	}},
	{"entailment", "benchmark", func(t *testing.T, location, _ string) pipelinetest.Pipeline {
		return pipelinetest.Parse[views.Kind[views.Entailment]](t, "--texts", location)
	}},
	{"crosslingual", "benchmark", func(t *testing.T, location, _ string) pipelinetest.Pipeline {
		return pipelinetest.Parse[crosslingual.Config](t, "--benchmarks", location, "--languages", "eng,deu")
	}},
	{"examples of pairs", "pair", func(t *testing.T, location, vocabulary string) pipelinetest.Pipeline {
		return pipelinetest.Parse[examples.Config](t, "--pairs", location, "--vocabulary", vocabulary)
	}},
}

// A dataset of another kind, one that is not finished, and a folder that is not one
// are refused before any work, in words that say what is there.
func TestWrongDatasets(t *testing.T) {
	at, vocabulary := made(t), pipelinetest.Vocabulary(t)
	unfinished := filepath.Join(t.TempDir(), "begun")
	job, err := pipelinetest.Parse[dedup.Config](t, "--documents", at("documents")).Plan(t.Context(), unfinished, pipelinetest.Settings(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := job.Plan.Create(t.Context(), mustFolder(t, job), job.Units); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	pipelinetest.File(t, other, "a.html", good)
	for _, reader := range readers {
		for _, name := range []string{"documents", "wordcounts", "parallel", "examples"} {
			kind := map[string]string{"documents": "document", "parallel": "pair"}[name]
			if kind == reader.reads {
				continue
			}
			err := attempt(t, reader.config(t, at(name), vocabulary), pipelinetest.Plain(1))
			says(t, err, at(name), "holds rows of", "this step reads "+reader.reads)
		}
		err := attempt(t, reader.config(t, unfinished, vocabulary), pipelinetest.Plain(1))
		says(t, err, unfinished, "0 of")
		if !errors.Is(err, dataset.ErrIncomplete) {
			t.Errorf("%s: %v is not ErrIncomplete", reader.name, err)
		}
		for _, location := range []string{other, filepath.Join(other, "absent"), filepath.Join(other, "a.html")} {
			says(t, attempt(t, reader.config(t, location, vocabulary), pipelinetest.Plain(1)), location)
		}
	}
}

// A shard that is damaged, cut short or gone is an error that names it, in every
// pipeline that reads it, by goroutines and on the runner.
func TestDamagedDataset(t *testing.T) {
	at, vocabulary := made(t), pipelinetest.Vocabulary(t)
	for k, damage := range []struct {
		name   string
		change func(data []byte) []byte
	}{
		{"a flipped bit in the middle", func(data []byte) []byte { data[len(data)/2] ^= 4; return data }},
		{"a flipped bit in the footer", func(data []byte) []byte { data[len(data)-20] ^= 4; return data }},
		{"cut short", func(data []byte) []byte { return data[:len(data)-1] }},
		{"no bytes", func([]byte) []byte { return nil }},
		{"zeros", func(data []byte) []byte { return make([]byte, len(data)) }},
	} {
		for i, reader := range readers {
			location := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(location, os.DirFS(
				at(map[string]string{"document": "documents", "pair": "parallel", "benchmark": "benchmarks"}[reader.reads]))); err != nil {
				t.Fatal(err)
			}
			shards, err := filepath.Glob(filepath.Join(location, "data", "*.parquet"))
			if err != nil || len(shards) == 0 {
				t.Fatal(err, len(shards))
			}
			shard := shards[len(shards)/2]
			data, err := os.ReadFile(shard)
			if err == nil {
				err = os.WriteFile(shard, damage.change(data), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			run := pipelinetest.Plain(2)
			if i+k == 0 {
				run = pipelinetest.Local(2)
			}
			t.Run(damage.name+", "+reader.name, func(t *testing.T) {
				says(t, attempt(t, reader.config(t, location, vocabulary), run), "data/"+filepath.Base(shard), location)
			})
		}
	}
}

// Wherever a bit of a shard flips, a pipeline says so or gives the bytes that it
// gives without: damage never passes on.
func TestNoDamagePasses(t *testing.T) {
	at := made(t)
	sound, err := filepath.Glob(filepath.Join(at("documents"), "data", "*.parquet"))
	if err != nil || len(sound) == 0 {
		t.Fatal(err)
	}
	location := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(location, os.DirFS(at("documents"))); err != nil {
		t.Fatal(err)
	}
	config := pipelinetest.Parse[wordcounts.Config](t, "--documents", location)
	out, _ := pipelinetest.Run(t, config, pipelinetest.Settings(1<<20), pipelinetest.Plain(1))
	want := everyRow(t, out)
	shard := filepath.Join(location, "data", filepath.Base(sound[0]))
	data, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	step := len(data)/60 + 1
	passed := 0
	for i := 0; i < len(data); i += step {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		if err := os.WriteFile(shard, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		output := filepath.Join(t.TempDir(), "out")
		job, err := config.Plan(t.Context(), output, pipelinetest.Settings(1<<20))
		if err == nil {
			_, err = pipelinetest.Plain(1)(t.Context(), job)
		}
		if err != nil {
			says(t, err, filepath.Base(shard))
			continue
		}
		passed++
		if got := everyRow(t, output); !slices.Equal(want, got) {
			t.Errorf("a flipped bit in byte %d of %d changes the rows and nobody says so", i, len(data))
		}
	}
	t.Logf("%d flipped bits of %d do not matter", passed, (len(data)+step-1)/step)
}

// A vocabulary that cannot be used is told before any work, by its path.
func TestBadVocabularies(t *testing.T) {
	at := made(t)
	sound, err := os.ReadFile(pipelinetest.Vocabulary(t))
	if err != nil {
		t.Fatal(err)
	}
	without := func(piece string) string { return strings.Replace(string(sound), piece+"\n", "", 1) }
	for _, test := range []struct {
		name, content string
		want          []string
	}{
		{"without [MASK]", without("[MASK]"), []string{"[MASK]"}},
		{"without [CLS]", without("[CLS]"), []string{"[CLS]"}},
		{"without [UNK]", without("[UNK]"), []string{"[UNK]"}},
		{"without any of them", "a\nb\n", []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}},
		{"no bytes", "", nil},
		{"a piece twice", string(sound) + "the\nthe\n", []string{`"the"`}},
		{"no text", strings.Repeat("\x00\xff\n\x13", 100), nil},
		{"cased", string(sound) + strings.ToUpper(strings.Join(strings.Fields(prose(0, 200)), "\n")) + "\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a vocabulary 1%.txt")
			if err := os.WriteFile(file, []byte(test.content), 0o666); err != nil {
				t.Fatal(err)
			}
			config := pipelinetest.Parse[examples.Config](t, "--documents", at("documents"), "--vocabulary", file)
			_, err := config.Plan(t.Context(), filepath.Join(t.TempDir(), "out"), pipelinetest.Settings(1))
			says(t, err, append(test.want, file)...)
		})
	}
	for _, file := range []string{filepath.Join(t.TempDir(), "absent.txt"), t.TempDir()} {
		config := pipelinetest.Parse[examples.Config](t, "--documents", at("documents"), "--vocabulary", file)
		says(t, attempt(t, config, pipelinetest.Plain(1)), "vocabulary", file)
	}
}

// A file that is not a fastText model is told before any work, by its path.
func TestBadModels(t *testing.T) {
	root := t.TempDir()
	pipelinetest.File(t, root, "good.html", good)
	pipelinetest.File(t, root, "model.ftz", "<html>404 Not Found</html>")
	for _, name := range []string{"model.ftz", "absent.ftz"} {
		model := filepath.Join(root, name)
		says(t, attempt(t, pages(t, root, "--langid", model), pipelinetest.Plain(1)), model)
	}
}
