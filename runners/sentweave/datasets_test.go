package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/gcs/gcstest"
	"sentweave/stages/model"
	"sentweave/stages/vocab"
)

func TestVerify(t *testing.T) {
	location := complete(t, 1)
	sentweave(t, "verify", location).expect(t, 0, []string{"is whole: 10 rows of wordcount v1 in 4 shards", "content "}, nil)

	shard := filepath.Join(location, "data", "part-00002.parquet")
	data, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(shard, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(location, "data", "part-00003.parquet")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(location, "data", "part-00009.parquet"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := sentweave(t, "verify", location)
	got.expect(t, 1, []string{"part-00002.parquet: corrupt", "part-00003.parquet: corrupt", "part-00009.parquet is not in the manifest",
		"run the same `sentweave wordcounts` again"}, nil)
	if n := strings.Count(got.stdout, "\n"); n != 3+1 {
		t.Errorf("%d lines of 3 faults:\n%s", n, got.stdout)
	}
	sentweave(t, "verify", t.TempDir()).expect(t, 1, nil, []string{"no dataset"})
	sentweave(t, "verify", begin(t, 3, 1, 1).location).expect(t, 1, nil, []string{"1 of 3 units", "again to go on"})
}

func TestManifestThatIsCut(t *testing.T) {
	location := complete(t, 1)
	if err := os.Truncate(filepath.Join(location, dataset.ManifestName), 40); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "verify", location).expect(t, 1, []string{"manifest.json", "corrupt"}, nil)
	sentweave(t, "inspect", location).expect(t, 1, nil, []string{"manifest.json", "corrupt"})
}

func TestStatus(t *testing.T) {
	s := begin(t, 5, 0, 1)
	sentweave(t, "status", s.location).expect(
		t, 0, []string{"not complete: wordcounts, planned, none of 5 units done", "sentweave wordcounts"}, nil)
	for unit := range 4 {
		s.commit(t, unit)
	}
	sentweave(t, "status", s.location, "--json").expect(
		t, 0, []string{`"kind":"dataset","state":"stopped","pipeline":"wordcounts","units":5,"units_done":4,"rows":6}`}, nil)
	sentweave(t, "status", s.location).expect(t, 0, []string{"4 of 5 units done (80 %), 6 rows so far", "sentweave wordcounts"}, nil)
	s.commit(t, 4)
	sentweave(t, "status", s.location).expect(t, 0, []string{"sentweave finalize"}, nil)
	sentweave(t, "finalize", s.location).expect(t, 0, []string{"10 wordcounts in 4 shards", "too_rare"}, nil)
	sentweave(t, "status", s.location).expect(t, 0, []string{"is complete: wordcounts, 10 rows of wordcount v1 in 4 shards"}, nil)
	if err := dataset.WriteRunRecord(t.Context(), s.folder(), dataset.RunRecord{
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Finished: time.Date(2026, 1, 2, 3, 5, 45, 0, time.UTC), UnitsDoneBefore: 2,
	}); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "status", s.location).expect(t, 0, []string{"; done 2026-01-02 03:05 UTC in 1m40s after 2 units of an earlier run"}, nil)
	sentweave(t, "status", t.TempDir()).expect(t, 1, nil, []string{"no dataset"})
}

func TestFollow(t *testing.T) {
	s := begin(t, 3, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr bytes.Buffer
	p := newProgram(io.MultiWriter(&stdout, ending(cancel)), &stderr)
	code := p.ExitCode(ctx, p.Execute(ctx, []string{"status", "--follow", s.location}))
	outcome{stdout.String(), stderr.String(), code}.expect(t, 130, []string{"1 of 3 units"}, []string{"interrupted"})

	done := make(chan outcome)
	go func() { done <- sentweaveIn(t.Context(), "status", "--follow", s.location) }()
	s.commit(t, 1)
	s.commit(t, 2)
	if _, err := s.plan.Finalize(t.Context(), s.folder()); err != nil {
		t.Fatal(err)
	}
	(<-done).expect(t, 0, []string{"is complete"}, nil)
}

// ending is a writer that ends something as soon as anything is written.
type ending func()

func (e ending) Write(p []byte) (int, error) { e(); return len(p), nil }

func TestFinalize(t *testing.T) {
	sentweave(t, "finalize", begin(t, 3, 2, 1).location).expect(t, 1, nil, []string{"lacks 1 of 3 units, the first is 2"})
	location := complete(t, 1)
	sentweave(t, "finalize", location).expect(t, 0, []string{"10 wordcounts"}, []string{"is complete"})
	damage(t, location, dataset.ManifestName)
	sentweave(t, "status", location).expect(t, 1, nil, []string{"corrupt", "sentweave finalize"})
	sentweave(t, "finalize", location).expect(t, 0, []string{"10 wordcounts"}, nil)
	sentweave(t, "verify", location).expect(t, 0, []string{"is whole"}, nil)
	if err := os.RemoveAll(filepath.Join(location, "_run")); err != nil { // a copy of what readers need
		t.Fatal(err)
	}
	sentweave(t, "finalize", location).expect(t, 0, []string{"10 wordcounts"}, []string{"is complete"})
	sentweave(t, "finalize", t.TempDir()).expect(t, 1, nil, []string{"no dataset"})
	for _, copied := range []bool{false, true} {
		location := complete(t, 1)
		if copied {
			if err := os.RemoveAll(filepath.Join(location, "_run")); err != nil {
				t.Fatal(err)
			}
		}
		damage(t, location, dataset.ShardName(1))
		sentweave(t, "finalize", location).expect(t, 1, nil, []string{dataset.ShardName(1), "corrupt", "xxh3", "!is complete"})
	}
}

// damage changes a byte in the midst of a file.
func damage(t *testing.T, location, name string) {
	t.Helper()
	path := filepath.Join(location, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoDataset(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	vocabulary := t.TempDir()
	if err := os.WriteFile(filepath.Join(vocabulary, vocab.RecordName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	encoder := t.TempDir()
	if err := os.WriteFile(filepath.Join(encoder, model.WeightsName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"status", "verify", "inspect", "finalize", "export"} {
		sentweave(t, verb, encoder).expect(t, 1, nil, []string{"holds an encoder"})
		sentweave(t, verb, file).expect(t, 1, nil, []string{file + " is a file; a folder is wanted"})
		sentweave(t, verb, vocabulary).expect(t, 1, nil, []string{"holds a vocabulary"})
	}
	inside := filepath.Join(complete(t, 1), "data", "copy.jsonl")
	sentweave(t, "export", filepath.Dir(filepath.Dir(inside)), "--out", inside).expect(t, 2, nil, []string{"lies in the dataset"})
	if _, err := os.Stat(inside); err == nil {
		t.Error("the file was written")
	}
}

func TestDiff(t *testing.T) {
	a, same, other := complete(t, 1), complete(t, 1), complete(t, 2)
	sentweave(t, "diff", a, same).expect(t, 0, []string{"the datasets are equal\n"}, nil)
	sentweave(t, "diff", a, other).expect(t, 0, []string{"config.limit", "the rows are equal\n", "!funnel"}, nil)

	s := begin(t, 4, 4, 1)
	if _, err := s.plan.Finalize(t.Context(), s.folder()); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "diff", a, s.location).expect(t, 1, []string{"wordcounts/count/deu dropped too_rare", "the rows differ\n", "  rows"}, nil)
	got := sentweave(t, "diff", a, s.location, "--json")
	got.expect(t, 1, []string{`"equal_content": false`}, nil)
	var report struct {
		Data []struct{ Name, A, B string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || report.Data[0].Name != "rows" || report.Data[0].A != "10" ||
		report.Data[0].B != "6" {
		t.Errorf("%v, %v", report, err)
	}
	damage(t, other, dataset.ShardName(1))
	sentweave(t, "diff", a, other).expect(t, 1, []string{"!equal"}, []string{dataset.ShardName(1), "corrupt"})
	sentweave(t, "diff", a, begin(t, 2, 1, 1).location).expect(t, 1, nil, []string{"1 of 2 units"})
}

func TestInspect(t *testing.T) {
	location := complete(t, 1)
	sentweave(t, "inspect", location).expect(t, 0, []string{
		"wordcount v1", "rows      10", "5 sampled", "wordcounts, version 1", "seed      7", "5, from 1MiB of input each",
		"documents: 3 files, 3.0 MB, 0a",
		"config    limit = 1", "config    cased = true", "  word      text\n", "  count     integer\n", "- too_rare",
	}, nil)
	sentweave(t, "inspect", location, "--head", "2").expect(t, 0, []string{
		"word      language  count\n", "word 1.0  eng        1000\n", "word 2.0  eng        2000\n", "!word 2.1"}, nil)
	sentweave(t, "inspect", location, "--columns", "word").expect(t, 0, []string{"word\nword 1.0\n", "word 4.3"}, nil) // 10 rows are all
	sentweave(t, "inspect", location, "--where", "count > 3000", "--json").expect(
		t, 0, []string{`{"word":"word 3.1","language":"spa","count":3001}` + "\n", "!2000"}, nil)
	sentweave(t, "inspect", location, "--where", `word == "x"`).expect(t, 0, []string{"word"}, []string{"no row passes the filter"})
	sentweave(t, "inspect", location, "--rejects", "--columns", "id,sample", "--where", `id contains "3"`).expect(
		t, 0, []string{"reject 3  ein Wort\n", "!reject 2"}, nil)
	sentweave(t, "inspect", location, "--funnel").expect(t, 0, []string{"- too_rare", "!schema"}, nil)
	sentweave(t, "inspect", location, "--funnel", "--json").expect(t, 0, []string{`"too_rare": 5`}, nil)
	sentweave(t, "inspect", location, "--json").expect(t, 0, []string{`"content_xxh3"`}, nil)
	sentweave(t, "inspect", location, "--where", "wrd == 3").expect(t, 2, nil, []string{`did you mean "word"?`, " | wrd == 3\n | ^"})
	sentweave(t, "inspect", location, "--columns", "wrd").expect(t, 2, nil, []string{`did you mean "word"?`})

	sentweave(t, "inspect", location, "--what-if", "count > 3000 and wrd != 3").expect(t, 2, nil, []string{`did you mean "word"?`})
	sentweave(t, "inspect", location, "--what-if", "count > 3000", "--sample", "1").expect(
		t, 0, []string{"     rows  pass  go\n  all    10     6   4\n", "\n  spa     4     3   1\n",
			"       language  count  word\ngoes   ", "\nstays  "}, nil)
	sentweave(t, "inspect", location, "--what-if", "count > 3000", "--json").expect(t, 0, []string{`"judged": false`, `"rows": 10`}, nil)
	one := sentweave(t, "inspect", location, "--sample", "3", "--json")
	if two := sentweave(t, "inspect", location, "--sample", "3", "--json"); one != two || strings.Count(one.stdout, "\n") != 3 {
		t.Errorf("%+v and %+v", one, two)
	}
}

func TestInspectSaysThatThereIsMore(t *testing.T) {
	s := begin(t, 7, 7, 1) // 21 rows
	if _, err := s.plan.Finalize(t.Context(), s.folder()); err != nil {
		t.Fatal(err)
	}
	sentweave(t, "inspect", s.location, "--columns", "word").expect(t, 0, []string{"word"}, []string{"more than these 10 rows"})
	sentweave(t, "inspect", s.location, "--head", "10").expect(t, 0, []string{"word"}, nil) // asked for
}

func TestInspectIncomplete(t *testing.T) {
	location := begin(t, 5, 3, 1).location
	sentweave(t, "inspect", location).expect(
		t, 0, []string{"not complete: 3 of 5 units done (60 %), 3 rows so far", "config    limit = 1", "word      text"}, nil)
	sentweave(t, "inspect", location, "--json").expect(t, 0, []string{`"units_done": 3`, `"pipeline": "wordcounts"`}, nil)
	sentweave(t, "inspect", location, "--head", "0").expect(t, 0, []string{"word 2.1"}, []string{"rows of 3 of 5 units"})
	sentweave(t, "inspect", location, "--rejects").expect(t, 1, nil, []string{"has no rejects before its manifest"})
	sentweave(t, "inspect", location, "--funnel").expect(t, 1, nil, []string{"has no funnel before its manifest"})
	sentweave(t, "inspect", begin(t, 2, 0, 1).location).expect(t, 0, []string{"planned, none of 2 units done", "language  text"}, nil)
}

func TestExport(t *testing.T) {
	location := complete(t, 1)
	jsonl := sentweave(t, "export", location)
	jsonl.expect(t, 0, []string{`{"word":"word 1.0","language":"eng","count":1000}` + "\n"}, nil)
	if n := strings.Count(jsonl.stdout, "\n"); n != 10 {
		t.Errorf("%d lines of 10 rows", n)
	}
	sentweave(t, "export", location, "--format", "text", "--column", "word", "--where", `language == "spa"`).expect(
		t, 0, []string{"word 2.1\nword 3.1\nword 4.1\nword 4.3\n"}, nil)
	sentweave(t, "export", location, "--format", "text", "--column", "wrd").expect(t, 2, nil, []string{`did you mean "word"?`})
	sentweave(t, "export", begin(t, 3, 2, 1).location).expect(t, 1, nil, []string{"2 of 3 units"})

	folder := t.TempDir()
	file := filepath.Join(folder, "rows.jsonl")
	sentweave(t, "export", location, "--out", file).expect(t, 0, nil, []string{"10 rows in " + file})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(jsonl.stdout, string(data)); diff != "" {
		t.Error(diff)
	}
	sentweave(t, "export", location, "--out", file).expect(t, 1, nil, []string{"exists already; give --overwrite"})
	sentweave(t, "export", location, "--out", folder+"/new/").expect(t, 2, nil, []string{"is the name of a folder; give a file"})
	bucket := storage.Join(gcstest.Start(t).Folder(), "rows.jsonl")
	sentweave(t, "export", location, "--out", bucket).expect(t, 0, nil, []string{"10 rows in " + bucket})
	if remote, err := storage.ReadLocation(t.Context(), bucket, 1<<20); err != nil || string(remote) != string(data) {
		t.Errorf("the export in a bucket: %v", err)
	}
	sentweave(t, "export", location, "--out", bucket).expect(t, 1, nil, []string{"exists already; give --overwrite"})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	sentweaveIn(cancelled, "export", location, "--out", file, "--overwrite").expect(t, 130, nil, []string{"interrupted"})
	if again, err := os.ReadFile(file); err != nil || string(again) != string(data) {
		t.Errorf("an export that was stopped touched the file: %v", err)
	}
	sentweave(t, "export", location, "--out", file, "--overwrite", "--where", "count < 0").expect(t, 0, nil, []string{"0 rows"})
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestDoctor(t *testing.T) {
	sentweave(t, "doctor", "--dir", t.TempDir()).expect(t, 0, []string{"ok", "temporary folder", "output disk", "apertium", "libtorch"},
		nil)
	var findings []struct{ Name, Status string }
	got := sentweave(t, "doctor", "--json")
	if err := json.Unmarshal([]byte(got.stdout), &findings); err != nil || len(findings) < 8 {
		t.Errorf("%v, %v", findings, err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	sentweave(t, "doctor").expect(t, 1, []string{"missing", "set TMPDIR"}, nil)
}
