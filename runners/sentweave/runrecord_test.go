package main

import (
	"os"
	"path/filepath"
	"testing"

	"sentweave/runners/recipe/record"
)

const publishText = recipeText + `  - name: vocabulary
    run: vocab
    from: {wordcounts: counts}
    with: {size: 200, min-count: 1, lower-threshold: 1}
publish: [vocabulary/vocab.txt, counts/manifest.json]
`

func recordOf(t *testing.T, folder string) map[string]float64 {
	t.Helper()
	r, err := record.Read(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	seconds := map[string]float64{}
	for _, s := range r.Steps {
		seconds[s.Step] = s.Seconds
	}
	return seconds
}

func TestRecipePublishes(t *testing.T) {
	file, input := writeRecipe(t, publishText)
	out := filepath.Join(t.TempDir(), "out")
	run := func(args ...string) outcome {
		return sentweave(t, append([]string{"run", file, "--out", out, "--set", "input=" + input}, args...)...)
	}
	vocabulary, manifest := filepath.Join(out, "vocab.txt"), filepath.Join(out, "manifest.json")
	run("--only", "documents,counts").expect(t, 0, []string{manifest + "\n", "!vocab.txt"}, anything)
	if _, err := os.Stat(vocabulary); err == nil {
		t.Error("a file was published whose step was not run")
	}
	run().expect(t, 0, []string{"note: 200 pieces were wanted; more text gives more\n", vocabulary + "\n" + manifest +
		"\nrecipe test took"}, anything)
	for to, from := range map[string]string{vocabulary: "vocabulary/vocab.txt", manifest: "counts/manifest.json"} {
		got, err := os.ReadFile(to)
		want, wantErr := os.ReadFile(filepath.Join(out, from))
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Errorf("%s differs from %s: %v, %v", to, from, err, wantErr)
		}
	}
	// What was published before is replaced.
	if err := os.WriteFile(vocabulary, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	run().expect(t, 0, []string{vocabulary}, anything)
	if got, err := os.ReadFile(vocabulary); err != nil || string(got) == "old" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRunRecord(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	out := filepath.Join(t.TempDir(), "out")
	run := func(args ...string) {
		t.Helper()
		sentweave(t, append([]string{"run", file, "--out", out, "--set", "input=" + input}, args...)...).expect(
			t, 0, []string{"recipe test took"}, anything)
	}
	run()
	first := recordOf(t, out)
	if len(first) != 2 || first["documents"] <= 0 || first["counts"] <= 0 {
		t.Fatalf("got %v", first)
	}
	// The time stays: a step that is done already takes none.
	notes := &record.Record{Recipe: "test", PeakRSSBytes: 7 << 40,
		Steps: []record.Step{{Step: "documents", Seconds: 1000, Whole: true},
			{Step: "gone", Seconds: 5, Whole: true}}} // and a step that the recipe had once
	if err := notes.Write(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	run()
	if got := recordOf(t, out); got["documents"] != 1000 || len(got) != 2 || got["counts"] <= 0 || got["counts"] > 100 {
		t.Errorf("got %v", got)
	}
	if r, err := record.Read(t.Context(), out); err != nil || r.PeakRSSBytes != 7<<40 || r.Recipe != "test" {
		t.Errorf("got %+v, %v", r, err)
	}
	// Another recipe, or making all anew, begins anew.
	run("--overwrite")
	if got := recordOf(t, out); got["documents"] > 100 || len(got) != 2 {
		t.Errorf("after --overwrite: %v", got)
	}
	notes.Recipe = "another"
	if err := notes.Write(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	run()
	if got := recordOf(t, out); got["documents"] > 100 || len(got) != 2 {
		t.Errorf("after another recipe: %v", got)
	}
	// A damaged record is not a reason to stop.
	for _, text := range []string{"", "{", "[]", `{"recipe":"test","peak_rss_bytes":-1}`,
		`{"recipe":"test","steps":[{"step":"documents","seconds":-5}]}`,
		`{"recipe":"test","steps":[{"step":"a","seconds":1},{"step":"a","seconds":1}]}`} {
		if err := os.WriteFile(filepath.Join(out, "run.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		run()
		if got := recordOf(t, out); got["documents"] < 0 || got["counts"] <= 0 {
			t.Errorf("after %q: %v", text, got)
		}
	}
}

// --overwrite of some steps begins anew for these only.
func TestRunRecordOverwritesSomeSteps(t *testing.T) {
	file, input := writeRecipe(t, recipeText)
	out := filepath.Join(t.TempDir(), "out")
	notes := &record.Record{Recipe: "test",
		Steps: []record.Step{{Step: "documents", Seconds: 1000, Whole: true}, {Step: "counts", Seconds: 2000, Whole: true}}}
	if err := notes.Write(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", file, "--out", out, "--set", "input=" + input}
	sentweave(t, args...).expect(t, 0, anything, anything)
	sentweave(t, append(args, "--from", "counts", "--overwrite")...).expect(t, 0, anything, anything)
	if got := recordOf(t, out); got["documents"] != 1000 || got["counts"] > 100 {
		t.Errorf("got %v", got)
	}
}
