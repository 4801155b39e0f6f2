package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sentweave/pipelines/pipelinetest"
)

// A model is trained on documents, the same in whatever shards, evaluate measures it on others, and corpus identifies languages by it.
func TestLangid(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	pipelinetest.Corpus{Pages: 12, Paragraphs: 3, Languages: []string{"eng", "deu", "spa"}}.WriteTo(t, at("input"))
	corpus := []string{"corpus", "--input", at("input"), "--layout", pipelinetest.Layout, "--quiet", "--pages-modulus", "3"}
	train := []string{"langid", "train", "--least", "0", "--buckets", "5000", "--min-count", "2", "--epochs", "30"}
	var files [2][]byte
	for i, bytes := range []string{"1MiB", "1KiB"} {
		documents, file := at("documents"+bytes), at("file"+bytes)
		sentweave(t, append(corpus, "--pages-ranks", "0,1", "--shard-bytes", bytes, "--out", documents)...).expect(t, 0, nil, nil)
		sentweave(t, append(train, "--documents", documents, "--out", file)...).expect(t, 0,
			[]string{" in 3 languages"}, []string{"100 % done"})
		var err error
		if files[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("documents in other shards gave another model")
	}
	train = append(train, "--documents", at("documents1MiB"), "--out")
	sentweave(t, append(train, at("file1MiB"))...).expect(t, 1, nil, []string{"exists already; give --overwrite"})
	sentweave(t, append(train, at("none"), "--dry-run")...).expect(t, 0,
		[]string{"characters", "eng"}, []string{"63 texts left out: in_several_languages"})
	if _, err := os.Stat(at("none")); err == nil {
		t.Error("a dry run wrote the model")
	}
	sentweave(t, append(corpus, "--pages-ranks", "2", "--out", at("heldout"))...).expect(t, 0, nil, nil)
	evaluate := []string{"langid", "evaluate", "--documents", at("heldout"), "--model", "a=" + at("file1MiB") + ",b=" + at("file1KiB")}
	sentweave(t, append(evaluate, "--csv")...).expect(t, 0,
		[]string{"language,model,", "(all),a,3,", "(known to all),b,3,", ",1.0000,"}, []string{"left out"})
	sentweave(t, append(evaluate, "--json")...).expect(t, 0, []string{`"model": "b"`}, []string{"left out"})
	sentweave(t, append(corpus, "--pages-ranks", "2", "--langid", at("file1MiB"), "--out", at("identified"))...).expect(t, 0, nil, nil)
	sentweave(t, "inspect", at("identified"), "--columns", "language,language_score", "--head", "1").expect(t, 0, []string{"deu"}, nil)
}
