package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sentweave/runners/recipe"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage/storagetest"
	"sentweave/stages/report"
	"sentweave/stages/train"
)

// No verb writes its file over one of a folder that this program made, or beside it; what is written leaves nothing else.
func TestFilesOutsideOfOurs(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	data := complete(t, 1)
	manifest := filepath.Join(data, dataset.ManifestName)
	before, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	storagetest.WriteFiles(t, root, map[string]string{
		"pages/a.html":                 "<p>Some text that is long enough to be the content of a page, and that says so.</p>",
		"training/" + train.RecordName: "{}", "report/" + report.PageName: "",
		"recipe/" + recipe.RunName: "{}", "labelled/ground-truth.jsonl": "{}",
	})
	if err := os.Symlink(manifest, at("link")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(at("pages/a.html"), at("page")), syscall.Mkfifo(at("pipe"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, verb := range [][]string{
		{"maincontent", "extract", "--input", at("pages"), "--out"}, {"maincontent", "train", "--data", at("labelled"), "--out"},
		{"maincontent", "explain", at("pages/a.html"), "--html"}, {"export", data, "--overwrite", "--out"},
	} {
		for file, want := range map[string]string{
			manifest: "lies in the dataset", filepath.Join(data, "data", "x"): "lies in the dataset",
			filepath.Join(data, "new", "x"): "lies in the dataset", at("link"): "lies in the dataset",
			at("training/" + train.RecordName): "holds a training", at("training/x"): "holds a training",
			at("report/" + report.PageName): "holds a report", at("recipe/x"): "holds a recipe",
		} {
			sentweave(t, append(verb, file)...).expect(t, 2, nil, []string{want, "choose another folder"})
		}
		for _, file := range []string{at("page"), at("pipe")} {
			sentweave(t, append(verb, file)...).expect(t, 2, nil, []string{"is a device, a pipe or a link", "choose another name"})
		}
	}
	if after, err := os.ReadFile(manifest); err != nil || string(after) != string(before) {
		t.Errorf("the manifest was written over: %v", err)
	}
	sentweave(t, "wordcounts", "--documents", at("pages"), "--out", filepath.Join(data, "data")).expect(
		t, 2, nil, []string{"lies in the dataset"})

	sentweave(t, "maincontent", "extract", "--input", at("pages"), "--out", at("out/x.jsonl")).expect(t, 0, []string{"1 page of 1 file"},
		nil)
	if entries, err := os.ReadDir(at("out")); err != nil || len(entries) != 1 {
		t.Errorf("beside the file: %v, %v", entries, err)
	}
}

// What a name holds is shown, not obeyed.
func TestNamesAreShown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a\x1b[2J\u202eb")
	sentweave(t, "run", name+".yaml", "--out", "x").expect(t, 2, nil, []string{`a\u001b[2J\u202eb`, "!\x1b", "!\u202e"})
	for _, args := range [][]string{{"inspect", name}, {"status", name}, {"maincontent", "explain", name},
		{"evaluate", "--task-files", name, "--baseline", "bow", "--json"}} {
		sentweave(t, args...).expect(t, 1, nil, []string{`a\u001b[2J\u202eb`, "!\x1b", "!\u202e"})
	}
}
