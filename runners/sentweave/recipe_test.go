package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/runners/recipe"
)

const recipeText = `
name: test
about: Word counts of some texts.
parameters:
  input: {help: folder of texts}
  shard-bytes: {help: bytes, default: 1MiB}
steps:
  - name: documents
    run: corpus
    with: {input: "${input}", min-sentences: 1, min-language-score: 0, shard-bytes: "${shard-bytes}"}
  - name: counts
    run: wordcounts
    from: {documents: documents}
`

// page is a text that is long enough for the filters.
func page(first string) string {
	return first + " It goes on with more words than a filter wants to see. Nobody has to read it to the end, though. " +
		"The writer of this text had only its length in mind. There are five sentences in it, or even six of them.\n"
}

// writeRecipe writes a recipe and a folder of texts.
func writeRecipe(t *testing.T, text string) (file, input string) {
	t.Helper()
	folder := t.TempDir()
	input = filepath.Join(folder, "input")
	if err := os.Mkdir(input, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.txt": page("The first page has some sentences of its own."),
		"b.txt": page("Another page says something else about the same matter."),
	} {
		if err := os.WriteFile(filepath.Join(input, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(folder, "test.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, input
}

func TestRecipe(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	out := filepath.Join(t.TempDir(), "out")
	run := func(args ...string) outcome {
		return sentweave(t, append([]string{"run", file, "--out", out, "--set", "input=" + input}, args...)...)
	}
	run("--dry-run", "--parallelism", "2", "--overwrite", "--runner", "local").expect(t, 0, []string{
		"sentweave corpus --out=" + out + "/documents --input=" + input +
			" --min-sentences=1 --min-language-score=0 --shard-bytes=1MiB --runner=local --parallelism=2 --overwrite=true\n",
		"sentweave wordcounts --out=" + out + "/counts --documents=" + out +
			"/documents --runner=local --parallelism=2 --overwrite=true\n"}, nil)
	if _, err := os.Stat(out); err == nil {
		t.Error("a dry run made a folder")
	}
	run("--only", "counts").expect(
		t, 1, nil, []string{"step counts: documents: " + out + "/documents is not there; step documents makes it", "nothing was begun"})
	run().expect(t, 0, []string{"── documents: corpus", "── counts: wordcounts", "step       rows", "documents  2 documents",
		"wordcounts  ", "recipe test took"}, []string{"corpus: "})
	run().expect(t, 0, []string{"recipe test took"}, []string{"documents is complete, nothing to do", "counts is complete, nothing to do"})
	if o := run("--dry-run"); o.code != 0 || strings.Count(o.stdout, "  complete\n") != 2 {
		t.Errorf("the dry run of what is complete: %+v", o)
	}

	// The input changes: each step is refused, then made again.
	if err := os.WriteFile(filepath.Join(input, "c.txt"), []byte(page("A third page comes in late.")), 0o644); err != nil {
		t.Fatal(err)
	}
	run("--dry-run").expect(t, 1, []string{"documents", "CPU minutes"},
		[]string{"the run would not begin: step documents: another plan", "nothing was begun"})
	run("--dry-run", "--overwrite").expect(t, 0, []string{"CPU minutes"}, nil)
	run().expect(t, 1, nil, []string{"step documents: another plan",
		"step counts: what is there was made of what step documents had made", "nothing was begun"})
	run("--overwrite", "--only", "documents").expect(t, 0, []string{"3 documents"},
		[]string{"corpus: ", "note: what is in the folders of step counts"})
	run().expect(t, 1, nil, []string{"step counts: another plan",
		"add --overwrite to the same command, which deletes what step counts made", "nothing was begun"})

	// Nobody knows whether the documents that are gone were these.
	if err := errors.Join(os.RemoveAll(filepath.Join(out, "documents")), os.Remove(filepath.Join(out, "run.json"))); err != nil {
		t.Fatal(err)
	}
	run("--dry-run").expect(t, 0, []string{
		"note: step counts: complete, if what it was made of comes out as before; else the run stops there"}, nil)
	run("--dry-run", "--overwrite").expect(
		t, 0, []string{"note: step counts: complete, if what it was made of comes out as before, and else made anew"}, nil)
	run().expect(t, 1, []string{"counts"},
		[]string{"step counts: another plan", "documents was made anew: add `--only counts --overwrite` to the same command",
			"folders of counts", "step documents stays as it is"})
	sentweave(t, "status", out).expect(
		t, 0, []string{"recipe test has failed", "step counts stopped at what an earlier command has made", "!goes on where",
			"counts     done before"}, nil)
	run("--overwrite", "--from", "counts").expect(t, 0, []string{"!documents  3", "recipe test took"}, []string{"wordcounts: "})
	run("--verbose").expect(t, 0, []string{"3 documents"}, []string{"counts is complete"})
}

func TestRecipeInterrupted(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sentweaveIn(ctx, "run", file, "--out", t.TempDir(), "--set", "input="+input).expect(t, 130, nil, []string{"interrupted"})
}

func TestRecipeFaults(t *testing.T) {
	edit := func(old, replacement string) string { return strings.ReplaceAll(recipeText, old, replacement) }
	tests := []struct {
		name, text string
		args       []string
		want       []string
	}{
		{"a parameter is missing", recipeText, []string{}, []string{"parameter input is not set: folder of texts"}},
		{"unknown parameter", recipeText, []string{"--set", "input=a", "--set", "inpt=b"}, []string{"did you mean input?"}},
		{"unknown step", recipeText, []string{"--set", "input=a", "--only", "count"}, []string{"did you mean counts?"}},
		{"unknown verb", edit("run: wordcounts", "run: wordcount"), []string{"--set", "input=a"},
			[]string{"step counts: ", `did you mean "wordcounts"?`}},
		{"unknown flags, all steps at once", edit("min-sentences", "min-sentence") + "    with: {case: true}\n",
			[]string{"--set", "input=a"},
			[]string{"step documents: unknown flag --min-sentence", "step counts: unknown flag --case"}},
		{"a value that the verb refuses", recipeText, []string{"--set", "input=a", "--set", "shard-bytes=many"},
			[]string{"step documents: ", `"many" is not a number of bytes`}},
		{"a verb without output", edit("run: wordcounts", "run: verify"), []string{"--set", "input=a"},
			[]string{"step counts: verify writes no dataset"}},
		{"an output of another kind", recipeText + "  - name: pairs\n    run: pairs\n    from: {documents: counts}\n",
			[]string{"--set", "input=a"},
			[]string{"step pairs: documents takes a document, step counts makes a word count"}},
		{"pairs of a verb that makes documents",
			recipeText + "  - {name: survivors, run: dedup, from: {documents: documents}}\n  - {name: examples, run: examples, from: {pairs: survivors}, with: {vocabulary: v}}\n",
			[]string{"--set", "input=a", "--only", "examples"},
			[]string{"step examples: pairs takes a pair, step survivors makes a document"}},
		{"documents of a verb that makes pairs",
			recipeText + "  - {name: pairs, run: pairs, from: {documents: documents}}\n  - {name: unseen, run: dedup, from: {pairs: pairs}}\n  - {name: again, run: wordcounts, from: {documents: unseen}}\n",
			[]string{"--set", "input=a"},
			[]string{"step again: documents takes a document, step unseen makes a pair"}},
		{"texts of another kind than the views want",
			recipeText + "\n  - {name: entailed, run: views entailment, from: {texts: documents}}\n", []string{"--set", "input=a"},
			[]string{"step entailed: texts takes a benchmark, step documents makes a document"}},
		{"outputs of other kinds for encoders", recipeText + `
  - {name: encoder, run: init, from: {vocabulary: documents}}
  - {name: model, run: train, from: {from: counts, examples: documents}, with: {recipe: cmlm}}
  - {name: vectors, run: embed, from: {model: documents, texts: encoder}}
  - {name: results, run: evaluate, from: {model: [a=vectors, b=model, counts], texts: documents}, with: {tasks: retrieval}}
  - {name: page, run: report, from: {results: vectors, training: m=vectors}}
`, []string{"--set", "input=a"}, []string{
			"step encoder: vocabulary takes a vocabulary, step documents makes a document",
			"step model: from takes an encoder, step counts makes a word count",
			"examples takes an example, step documents makes a document",
			"step vectors: model takes an encoder, step documents makes a document",
			"texts takes a document or a pair or a benchmark, step encoder makes an encoder",
			"step results: model takes an embedding or an encoder, step counts makes a word count",
			"step page: results takes a result, step vectors makes an embedding",
			"training takes an encoder, step vectors makes an embedding"}},
		{"nothing to run", recipeText, []string{"--set", "input=a", "--only", "documents", "--from", "counts"},
			[]string{"no step of --only"}},
		{"broken YAML", "name: [", nil, []string{"is not YAML"}},
		{"faults have lines", edit("about", "abuot"), nil, []string{"test.yaml:3: ", "did you mean about?"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, _ := writeRecipe(t, test.text)
			out := filepath.Join(t.TempDir(), "out")
			sentweave(t, append([]string{"run", file, "--out", out}, test.args...)...).expect(t, 2, nil, test.want)
			if _, err := os.Stat(out); err == nil {
				t.Error("work began before the fault was found")
			}
		})
	}
	sentweave(t, "run", "handbok", "--out", "x").expect(t, 2, nil, []string{"did you mean handbook?"})
	list := sentweave(t, "run", "--list")
	list.expect(t, 0, []string{"  handbook: A sentence encoder", "Yang et al. 2021 (CMLM)\n",
		"  cmlm-english, tables 1 and 2: CMLM on pages", "`sentweave run --list NAME`", "!--set"}, nil)
	if names := recipe.EmbeddedNames(); strings.Count(list.stdout, "\n") > len(names)+14 {
		t.Errorf("%d recipes are listed in %d lines", len(names), strings.Count(list.stdout, "\n"))
	}
	sentweave(t, "run", "--list", "handbook").expect(
		t, 0, []string{"handbook: A sentence encoder", "--set input=…", "(required)", `(default "16000")`}, nil)
}

// Pairs and examples of another kind than a step takes are found before the first step.
func TestRecipeKinds(t *testing.T) {
	standIn(t, "")
	for step, want := range map[string]string{
		"{name: x, run: train, from: {from: start, bitext: sequences}, with: {preset: br}}":           "step sequences makes examples of the kind consecutive, bitext takes bitext, view",
		"{name: x, run: train, from: {from: start, examples: translated}, with: {preset: cmlm}}":      "step translated makes examples of the kind bitext, cmlm takes consecutive",
		"{name: x, run: train, from: {from: start, bitext: translated}, with: {preset: nli}}":         "step translated makes examples of the kind bitext, nli takes nli",
		"{name: x, run: train, from: {from: start, bitext: translated}, with: {preset: br}}":          "",
		"{name: x, run: distill, from: {embeddings: vectors}}":                                        "embeddings takes embeddings of the kind bitext, step vectors makes those of the kind document",
		"{name: x, run: prefix, from: {model: start, examples: translated}}":                          "examples takes examples of the kind consecutive, step translated makes those of the kind bitext",
		"{name: x, run: evaluate, from: {model: start, texts: neighbours}, with: {tasks: retrieval}}": "texts takes pairs of the kind document or bitext, step neighbours makes those of the kind consecutive",
		"{name: x, run: evaluate, from: {model: start, texts: documents}, with: {tasks: retrieval}}":  "it takes pages of step documents that are translations of each other: give --set documents.layout=…",
		"{name: x, run: evaluate, from: {model: start, texts: unseen}, with: {tasks: retrieval}}":     "",
		"{name: x, run: pairs, from: {documents: survivors}, with: {kind: parallel}}":                 "it takes pages of step documents that are translations of each other: give --set documents.layout=…",
	} {
		file, input := writeRecipe(t, recipeText+`
  - {name: survivors, run: dedup, from: {documents: documents}}
  - {name: neighbours, run: pairs, from: {documents: survivors}}
  - {name: imported, run: pairs, with: {kind: bitext, input: ../bitext}}
  - {name: unseen, run: dedup, from: {pairs: imported}}
  - {name: sequences, run: examples, from: {documents: survivors}, with: {vocabulary: v.txt}}
  - {name: translated, run: examples, from: {pairs: unseen}, with: {vocabulary: v.txt}}
  - {name: start, run: init, with: {vocabulary: v.txt}}
  - {name: vectors, run: embed, from: {model: start, texts: documents}}
  - `+step+"\n")
		t.Chdir(filepath.Dir(input))
		place(t, "v.txt", []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"))
		place(t, "../bitext/c.eng", []byte("One.\nTwo.\n"))
		place(t, "../bitext/c.deu", []byte("Eins.\nZwei.\n"))
		out := filepath.Join(t.TempDir(), "out")
		args := []string{"run", file, "--out", out, "--set", "input=" + input}
		if want == "" {
			sentweave(t, append(args, "--dry-run")...).expect(t, 0, []string{"CPU minutes"}, []string{"!begin"})
			continue
		}
		sentweave(t, append(args, "--dry-run")...).expect(t, 1, []string{"CPU minutes"},
			[]string{"the run would not begin: step x: ", want})
		sentweave(t, args...).expect(t, 1, nil, []string{"sentweave: step x: ", want, "nothing was begun"})
		if _, err := os.Stat(out); err == nil {
			t.Error("work began before the fault was found")
		}
	}
}

// A step takes the file of a vocabulary, and the folders of all else.
func TestRecipePlaces(t *testing.T) {
	for from, want := range map[string]string{
		"documents: documents, vocabulary: vocabulary":                "vocabulary takes the file of a vocabulary: write vocabulary/vocab.txt, not vocabulary",
		"documents: documents, vocabulary: vocabulary/vocabulary.txt": "vocabulary takes the file of a vocabulary: write vocabulary/vocab.txt, not vocabulary/vocabulary.txt",
		"documents: documents/data, vocabulary: vocabulary/vocab.txt": "documents takes the folder that step documents makes: write documents, not documents/data",
	} {
		file, input := writeRecipe(t, recipeText+`
  - {name: words, run: wordcounts, from: {documents: documents}}
  - {name: vocabulary, run: vocab, from: {wordcounts: words}}
  - {name: x, run: examples, from: {`+from+"}}\n")
		sentweave(t, "run", file, "--out", filepath.Join(t.TempDir(), "out"), "--set", "input="+input, "--dry-run").expect(
			t, 2, nil, []string{"step x: " + want})
	}
}
