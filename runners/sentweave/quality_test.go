package main

import (
	"bytes"
	"os"
	"path/filepath"
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
