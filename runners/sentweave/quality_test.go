package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sentweave/pipelines/pipelinetest"
)

// Thresholds are fitted to what corpus measured, the same in whatever shards, and corpus goes by them.
func TestQualityFit(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	pipelinetest.Corpus{Pages: 12, Paragraphs: 3, Languages: []string{"eng", "deu"}}.WriteTo(t, at("input"))
	corpus := []string{"corpus", "--input", at("input"), "--layout", pipelinetest.Layout, "--filters", "stopes,cc-net,fineweb"}
	var files [2][]byte
	for i, bytes := range []string{"1MiB", "1KiB"} {
		scores, file := at("scores"+bytes), at("file"+bytes)
		sentweave(t, append(corpus, "--scores", "--shard-bytes", bytes, "--quiet", "--out", scores)...).expect(t, 0, nil, nil)
		sentweave(t, "quality", "fit", "--documents", scores, "--method", "tail", "--tail", ".25", "--least", "12", "--out", file).expect(
			t, 0, []string{"thresholds of 5 measures for 2 languages"}, nil)
		var err error
		if files[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("%s\nand in other shards\n%s", files[0], files[1])
	}
	sentweave(t, "quality", "fit", "--documents", at("scores1MiB"), "--method", "tail", "--least", "12", "--out", at("file1MiB")).expect(
		t, 1, nil, []string{"exists already; give --overwrite"})
	sentweave(t, append(corpus, "--thresholds", at("file1MiB"), "--out", at("documents"))...).expect(
		t, 0, []string{"too_few_characters"}, []string{"35 pages"})
	sentweave(t, "quality", "fit", "--documents", at("scores1MiB"), "--least", "18", "--out", at("x")).expect(
		t, 1, nil, []string{"fewer than 18 documents are in the reference eng"})
}

// A classifier is trained on documents, the same in whatever shards, and corpus, inspect and trace go by it.
func TestQualityTrain(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for class, sentence := range map[string]string{"good": "The river rose in night %d, and the bridge of town %d was closed to everybody.",
		"bad": "Buy %d pairs of red shoes and save on order %d with the code of our shop."} {
		var lines strings.Builder
		for i := range 120 {
			fmt.Fprintf(&lines, `{"url": "https://h%d.example/%d", "text": "`+sentence+" "+sentence+`"}`+"\n", i%30, i, i, i%7, i+1, i%5)
		}
		pipelinetest.File(t, at(class), "a.jsonl", lines.String())
	}
	train := []string{"quality", "train", "--dim", "4", "--buckets", "1000"}
	var files [2][]byte
	for i, bytes := range []string{"1MiB", "4KiB"} {
		for _, class := range []string{"good", "bad"} {
			sentweave(t, "corpus", "--input", at(class), "--filters", "none", "--shard-bytes", bytes, "--quiet", "--out",
				at(class+bytes)).expect(t, 0, nil, nil)
		}
		sentweave(t, append(train, "--good", at("good"+bytes), "--bad", at("bad"+bytes), "--out", at(bytes))...).expect(t, 0,
			[]string{"AUC 1.000; by the number of rules that drop a document 0.", "--min-quality 0.9 "}, []string{"100 % done"})
		var err error
		if files[i], err = os.ReadFile(at(bytes)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("documents in other shards gave another model")
	}
	var record struct {
		Data []struct{ Class, Dataset, ContentXXH3 string }
	}
	data, err := os.ReadFile(at("1MiB.json"))
	if err == nil {
		err = json.Unmarshal(bytes.ReplaceAll(data, []byte("content_xxh3"), []byte("ContentXXH3")), &record)
	}
	if err != nil || len(record.Data) != 2 || record.Data[1].Class != "good" || record.Data[1].Dataset != at("good1MiB") ||
		record.Data[1].ContentXXH3 == "" {
		t.Errorf("%+v, %v", record, err)
	}
	train = append(train, "--good", at("good1MiB"), "--bad", at("bad1MiB"), "--out")
	sentweave(t, append(train, at("1MiB"))...).expect(t, 1, nil, []string{"exists already; give --overwrite"})
	sentweave(t, append(train, at("none"), "--dry-run")...).expect(t, 0, []string{"bad        held out", "of memory"}, nil)
	if _, err := os.Stat(at("none")); err == nil {
		t.Error("a dry run wrote the model")
	}
	corpus := []string{"corpus", "--input", at("bad"), "--no-repetition", "--quality-model", at("1MiB"), "--quiet"}
	sentweave(t, append(corpus, "--scores", "--out", at("scores"))...).expect(t, 0, nil, nil)
	sentweave(t, "inspect", at("scores"), "--what-if", "fasttext_quality < .5", "--sample", "1").expect(t, 0,
		[]string{"120     0   120   120"}, nil)
	trace := []string{"trace", at("scores"), "https://h0.example/0", "--input", at("bad")}
	sentweave(t, trace...).expect(t, 2, nil, []string{
		"the dataset was made with a model that tells good documents: give it by --quality-model"})
	sentweave(t, append(trace, "--quality-model", at("1MiB"))...).expect(t, 0, []string{"kept"}, nil)
	sentweave(t, append(trace, "--quality-model", at("4KiB"))...).expect(t, 2, nil, []string{
		"is not the model that the dataset was made with"})
	model, other := "eng="+filepath.Join("..", "..", "transforms", "tokens", "ngram", "testdata", "tiny.trie"), "deu="+at("1MiB")
	sentweave(t, "corpus", "--input", at("bad"), "--no-repetition", "--perplexity-model", model, "--quiet",
		"--out", at("perplexity")).expect(t, 0, nil, nil)
	trace[1] = at("perplexity")
	sentweave(t, trace...).expect(t, 2, nil, []string{
		"the dataset was made with a file of --perplexity-model for eng: give it by --perplexity-model"})
	sentweave(t, append(trace, "--perplexity-model", model+","+other)...).expect(t, 2, nil, []string{
		"the dataset was made without a file of --perplexity-model for deu: leave --perplexity-model out"})
	sentweave(t, append(trace, "--perplexity-model", model)...).expect(t, 0, []string{"kept"}, nil)
}
