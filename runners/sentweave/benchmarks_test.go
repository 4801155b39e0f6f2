package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/transforms/testsets/benchmark"
)

// All of SentEval's data that is at hand: rows, a translation, folders in every form,
// which the validator and SentEval's own loaders read with equal rows and labels.
func TestBenchmarks(t *testing.T) {
	root, tasks := t.TempDir(), []string{"mr", "cr", "mpqa", "subj", "sst2", "sst5", "trec", "stsb", "sts12", "sts13", "sts14", "sts15",
		"sts16"}
	if testing.Short() {
		tasks = []string{"cr", "trec", "sts16"}
	}
	english := filepath.Join(root, "english")
	sentweave(t, "benchmarks", "senteval", "--input", sentEvalFolder(t), "--out", english, "--tasks", strings.Join(tasks, ","), "--folds",
		"10").
		expect(t, 0, []string{"after read", "benchmarks in " + strconv.Itoa(len(tasks)) + " shards"}, anything)
	source := benchmarkRows(t, english)
	// Two languages in one dataset: each row in Russian, then in Chinese.
	russian, chinese := translated(t, source, "rus", inCyrillic), translated(t, source, "zho", inHan)
	mixed := make([]schemas.Benchmark, 0, 2*len(source))
	for i := range source {
		mixed = append(mixed, russian[i], chinese[i])
	}
	both := datasettest.Write(t, nil, mixed[:len(source)], mixed[len(source):])
	// Chinese has its letters in place of the Latin ones, digits and marks stay: equal texts are few.
	sentweave(t, "validate", "--source", english, "--translated", both, "--languages", "ru,zh").
		expect(t, 0, []string{"no faults", "datasets\n", "!folders\n", strconv.Itoa(2*len(tasks)) + " comparisons"}, nil)
	for _, form := range []struct{ form, spacing, how string }{{"utf-8", "text", "shim"}, {"references", "characters", "unescape"}} {
		t.Run(form.form, func(t *testing.T) {
			out, validation := filepath.Join(root, form.form), filepath.Join(root, form.form+"-validation")
			sentweave(t, "folders", "--benchmarks", both, "--out", out, "--form", form.form, "--spacing", form.spacing).
				expect(t, 0, []string{"rus ", "zho ", filepath.Join(out, "zho")}, []string{"folders: rus\n", "folders: zho\n"})
			sentweave(t, "validate", "--source", english, "--folders", out, "--out", validation).expect(
				t, 0, []string{"no faults", "folders\n", "validation.json"}, nil)
			equalRows(t, loaders(t, filepath.Join(out, "rus"), form.how, tasks), asLoaded(t, russian, func(s string) string { return s }))
			spaced := func(s string) string { return s }
			if form.spacing == "characters" {
				spaced = benchmark.Characters
			}
			equalRows(t, loaders(t, filepath.Join(out, "zho"), form.how, tasks), asLoaded(t, chinese, spaced))
		})
	}
}

// What was written can be read again: the rows of a folder are those of the dataset.
func TestFoldersReadAgain(t *testing.T) {
	_, rows := small(t)
	for _, form := range []string{"utf-8", "references"} {
		out, again := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "again")
		sentweave(t, "folders", "--benchmarks", datasettest.Write(t, nil, rows), "--out", out, "--form", form).expect(
			t, 0, anything, anything)
		sentweave(t, "benchmarks", "senteval", "--input", filepath.Join(out, "rus"), "--language", "ru", "--form", form, "--out", again).
			expect(t, 0, []string{"rus"}, []string{"tasks that are not there: mr, mpqa"})
		var want []schemas.Benchmark
		for _, r := range rows {
			r.OriginalA, r.OriginalB = "", ""
			r.CasingA, r.CasingB = "", ""
			want = append(want, r)
		}
		got := benchmarkRows(t, again)
		for i := range got {
			got[i].CasingA, got[i].CasingB = "", ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %.2000s", form, diff)
		}
	}
}

// Hugging Face's datasets loads the folder as it is.
func TestHub(t *testing.T) {
	python := peertest.Python(t, "datasets")
	_, rows := small(t)
	out := filepath.Join(t.TempDir(), "out")
	sentweave(t, "folders", "--benchmarks", datasettest.Write(t, nil, rows), "--out", out, "--format", "huggingface", "--title", "XEVAL",
		"--license", "other", "--about", "By nobody.").
		expect(t, 0, anything, anything)
	card, err := os.ReadFile(filepath.Join(out, "rus", "README.md"))
	if err != nil || !strings.Contains(string(card), "# XEVAL in Russian\n\nBy nobody.\n") {
		t.Errorf("%v: %s", err, card)
	}
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_OFFLINE", "1")
	printed := peertest.Output(t, nil, python, "-W", "ignore", filepath.Join("testdata", "hub.py"), filepath.Join(out, "rus"),
		"cr,trec,sts16")
	var got, want []string
	for _, row := range peertest.Values[[]any](t, printed) {
		got = append(got, fmt.Sprint(row))
	}
	for _, r := range rows {
		var target any
		if r.Target != nil {
			target = *r.Target
		}
		want = append(want, fmt.Sprint(
			[]any{r.Task, strings.ReplaceAll(r.Split, "-", "_"), r.ID, r.TextA, r.TextB, r.Label, target, r.Skip}))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d rows, want %d: %.2000s", len(got), len(want), diff)
	}
	sentweave(t, "validate", "--source", datasettest.Write(t, nil, rows), "--source-language", "ru", "--folders", out).expect(
		t, 1, nil, []string{"was written for huggingface"})
}

// partOfSentEval has 60 rows of each file of CR.
func partOfSentEval(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"custrev.pos", "custrev.neg"} {
		var b bytes.Buffer
		for i := range 60 {
			fmt.Fprintf(&b, "%s is n't number %d%s .\n", name, i, strings.Repeat(" at all", i%7))
		}
		place(t, filepath.Join(root, "CR", name), b.Bytes())
	}
	return root
}

// As steps of a recipe: benchmarks, folders, validate, whose faults fail the recipe.
func TestBenchmarksInRecipe(t *testing.T) {
	write := func(languages string) string {
		recipe := filepath.Join(t.TempDir(), "recipe.yaml")
		place(t, recipe, []byte(`name: sets
about: Folders of a test set.
steps:
  - name: english
    run: benchmarks senteval
    with: {input: "`+partOfSentEval(t)+`", partial: true}
  - name: exported
    run: folders
    from: {benchmarks: english}
    with: {partial: true}
  - name: hub
    run: folders
    from: {benchmarks: english}
    with: {format: huggingface}
  - name: proof
    run: validate
    from: {source: english, folders: exported, translated: english}
    with: {languages: "`+languages+`"}
`))
		return recipe
	}
	out := filepath.Join(t.TempDir(), "out")
	good := sentweave(t, "run", write("en"), "--out", out)
	good.expect(t, 0, []string{"no faults", "120 benchmarks", "1 language", "0 faults", "proof"}, anything)
	for _, name := range []string{"exported/eng/CR/custrev.pos", "hub/eng/data/cr/pool.jsonl", "proof/validation.json"} {
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	sentweave(t, "run", write("en"), "--out", out).expect(t, 0, []string{"no faults"}, []string{"exported is complete, nothing to do"})
	sentweave(t, "run", write("en,tr"), "--out", out).expect(t, 1, []string{"cr tur: CR/custrev.neg row 0: missing"},
		[]string{"step proof failed, as it says above\n"})
	sentweave(t, "inspect", filepath.Join(out, "proof")).expect(t, 1, nil, []string{"holds a validation"})
	sentweave(t, "inspect", filepath.Join(out, "hub")).expect(t, 1, nil, []string{"holds folders of benchmarks"})
	inside := filepath.Join(out, "english", "folders")
	sentweave(t, "folders", "--benchmarks", filepath.Join(out, "english"), "--partial", "--out", inside).expect(
		t, 2, nil, []string{"lies in the dataset"})
}

// In a bucket whose requests fail now and then there are the files of a disk.
func TestBenchmarksInABucket(t *testing.T) {
	service, root := gcstest.Start(t), t.TempDir()
	local := partOfSentEval(t)
	input, english, out := service.Folder(), service.Folder(), service.Folder()
	upload(t, local, input)
	service.Unlucky(t, 5, 20)
	sentweave(t, "benchmarks", "senteval", "--input", input, "--partial", "--out", english).expect(t, 0, []string{"120 benchmarks"},
		anything)
	sentweave(t, "benchmarks", "senteval", "--input", local, "--partial", "--out", filepath.Join(root, "english")).expect(
		t, 0, anything, anything)
	if diff := cmp.Diff(digests(t, filepath.Join(root, "english")), digests(t, english)); diff != "" {
		t.Error(diff)
	}
	sentweave(t, "folders", "--benchmarks", english, "--partial", "--out", out).expect(t, 0, []string{storage.Join(out, "eng")}, anything)
	sentweave(t, "folders", "--benchmarks", english, "--partial", "--out", filepath.Join(root, "out")).expect(t, 0, anything, anything)
	if diff := cmp.Diff(digests(t, filepath.Join(root, "out")), digests(t, out)); diff != "" {
		t.Error(diff)
	}
	sentweave(t, "validate", "--source", english, "--folders", out, "--out", service.Folder()).expect(t, 0, []string{"no faults"}, nil)
	sentweave(t, "folders", "--benchmarks", english, "--format", "huggingface", "--out", out).expect(
		t, 1, nil, []string{"format is", "--overwrite"})
	sentweave(t, "folders", "--benchmarks", english, "--format", "huggingface", "--out", out, "--overwrite").expect(
		t, 0, anything, anything)
}
