package folders

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/transforms/testsets/benchmark"
)

// rows are n rows of each file of CR, and as many of a test set that is not SentEval's.
func rows(code string, n int) (list []schemas.Benchmark) {
	add := func(task, split, file, label string) {
		for i := range n {
			list = append(list, schemas.Benchmark{
				ID: benchmark.ID(task, file, int32(i)), Task: task, Split: split, File: file, Row: int32(i), LanguageA: code,
				TextA: code + " text " + strings.Repeat("x", i%9), Label: label,
			})
		}
	}
	add("cr", "pool", "CR/custrev.pos", "1")
	add("cr", "pool", "CR/custrev.neg", "0")
	return list
}

// interleaved has the rows of several languages by turns.
func interleaved(lists ...[]schemas.Benchmark) (list []schemas.Benchmark) {
	for i := range lists[0] {
		for _, l := range lists {
			list = append(list, l[i])
		}
	}
	return list
}

func config(t testing.TB, change func(*Config), datasets ...string) Config {
	t.Helper()
	c := Config{Benchmarks: datasets, Format: FormatSentEval, Form: "utf-8", Spacing: "text", Partial: true, Title: "Benchmarks",
		License: "other"}
	if change != nil {
		change(&c)
	}
	return c
}

func huggingFace(c *Config) { c.Format, c.Partial = FormatHuggingFace, false }

// files returns the contents of a folder.
func files(t testing.TB, location string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	for info, err := range storage.NewLocal(location).List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(location, filepath.FromSlash(info.Name)))
		if err != nil {
			t.Fatal(err)
		}
		contents[info.Name] = string(data)
	}
	return contents
}

func run(t testing.TB, output string, c Config, o Options) (*Record, bool) {
	t.Helper()
	r, done, err := Run(t.Context(), output, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, done
}

// However rows lie in datasets, the files are the same.
func TestSameFiles(t *testing.T) {
	const n = 20_000 // several row groups
	russian, greek := rows("rus", n), rows("ell", n)
	want := t.TempDir()
	run(t, want, config(t, nil, datasettest.Write(t, nil, greek), datasettest.Write(t, nil, russian)), Options{})
	got := t.TempDir()
	mixed := interleaved(russian, greek)
	run(t, got, config(t, nil, datasettest.Write(t, nil, mixed[:n/3], mixed[n/3:n], nil, mixed[n:])), Options{})
	a, b := files(t, want), files(t, got)
	delete(a, RecordName)
	delete(b, RecordName)
	if diff := cmp.Diff(a, b); diff != "" || len(a) != 8 {
		t.Errorf("%d files: %.2000s", len(a), diff)
	}
	if a["rus/CR/custrev.neg"] == "" || strings.Count(a["rus/CR/custrev.neg"], "\n") != n {
		t.Errorf("files %d", len(a["rus/CR/custrev.neg"]))
	}
}

func TestAgain(t *testing.T) {
	d := datasettest.Write(t, nil, rows("rus", 3))
	other := datasettest.Write(t, nil, rows("rus", 4))
	out := filepath.Join(t.TempDir(), "out")
	c := config(t, nil, d)
	first, done := run(t, out, c, Options{})
	if done || !first.Complete || len(first.Files) != 4 {
		t.Errorf("first: %v %+v", done, first)
	}
	before := files(t, out)
	second, done := run(t, out, c, Options{})
	if diff := cmp.Diff(first, second); !done || diff != "" {
		t.Errorf("second: %v %s", done, diff)
	}
	// A file that is gone or changed, to another size or not, is written again.
	path := filepath.Join(out, "rus", "CR", "custrev.pos")
	for name, spoil := range map[string]func() error{
		"gone":     func() error { return os.Remove(path) },
		"longer":   func() error { return os.WriteFile(path, []byte(before["rus/CR/custrev.pos"]+"x\n"), 0o666) },
		"a letter": func() error { return os.WriteFile(path, []byte("X"+before["rus/CR/custrev.pos"][1:]), 0o666) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, done := run(t, out, c, Options{}); done || cmp.Diff(before, files(t, out)) != "" {
			t.Errorf("%s: %v %v", name, done, files(t, out))
		}
	}
	for name, want := range map[string]Config{"dataset": config(t, nil, other), "format": config(t, huggingFace, d),
		"form": config(t, func(c *Config) { c.Form = "references" }, d)} {
		if _, _, err := Run(t.Context(), out, want, Options{}); !errors.Is(err, dataset.ErrOtherPlan) ||
			!strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("another %s: %v", name, err)
		}
	}
	// What the export did not write stays, and nothing is deleted.
	mine := filepath.Join(out, "rus", "mine.txt")
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Run(t.Context(), out, config(t, huggingFace, d), Options{Overwrite: true}); err == nil ||
		!strings.Contains(err.Error(), `"rus/mine.txt"`) {
		t.Errorf("with a foreign file: %v", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, files(t, out)); diff != "" {
		t.Error(diff)
	}
	run(t, out, config(t, huggingFace, d), Options{Overwrite: true})
	names := files(t, out)
	if len(names) != 3 || names["rus/data/cr/pool.jsonl"] == "" || names["rus/README.md"] == "" {
		t.Errorf("files %v", names)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, overwrite := range []bool{false, true} {
		if _, _, err := Run(t.Context(), foreign, c, Options{Overwrite: overwrite}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("in a foreign folder: %v", err)
		}
	}
}

// Processes that write the same folders at once all end well, and leave nothing else;
// those that overwrite others, too.
func TestAtOnce(t *testing.T) {
	d := datasettest.Write(t, nil, interleaved(rows("ell", 3), rows("rus", 3)))
	whole := t.TempDir()
	run(t, whole, config(t, nil, d), Options{})
	want := files(t, whole)
	for try := range 10 {
		output := t.TempDir()
		overwrite := try%2 == 1
		if overwrite {
			run(t, output, config(t, huggingFace, d), Options{})
		}
		errs := make(chan error, 4)
		for range cap(errs) {
			go func() {
				_, _, err := Run(t.Context(), output, config(t, nil, d), Options{Overwrite: overwrite})
				errs <- err
			}()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(filepath.Join(output, "_run")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("_run was left: %v", err)
		}
		if diff := cmp.Diff(want, files(t, output)); diff != "" {
			t.Error(diff)
		}
	}
}

// An interrupted export goes on with the same request, and is deleted for another.
func TestInterrupted(t *testing.T) {
	d := datasettest.Write(t, nil, interleaved(rows("ell", 3), rows("rus", 3)))
	for _, format := range []struct {
		change  func(*Config)
		partial string
	}{{nil, "ell/CR/custrev.pos"}, {huggingFace, "ell/data/cr/pool.jsonl"}} {
		whole := t.TempDir()
		c := config(t, format.change, d)
		run(t, whole, c, Options{})
		want := files(t, whole)
		half := func() string {
			out := t.TempDir()
			sets, err := Open(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			r := &Record{Record: dataset.Record[Config]{Stage: "folders", Version: Version, Config: c.semantic()},
				Inputs:    sets.Inputs("benchmarks"),
				Languages: []Language{{Language: "ell", Spacing: "text"}, {Language: "rus", Spacing: "text"}}}
			folder := storage.NewLocal(out)
			if err := errors.Join(r.write(t.Context(), folder),
				storage.WriteFile(t.Context(), folder, format.partial, []byte("half"), storage.Replace)); err != nil {
				t.Fatal(err)
			}
			return out
		}
		out := half()
		if _, done := run(t, out, c, Options{}); done || cmp.Diff(want, files(t, out)) != "" {
			t.Errorf("resumed: %s", cmp.Diff(want, files(t, out)))
		}
		out = half()
		other := config(t, func(c *Config) { c.Form = "references" }, d)
		if _, _, err := Run(t.Context(), out, other, Options{}); !errors.Is(err, dataset.ErrOtherPlan) {
			t.Errorf("another request: %v", err)
		}
		run(t, out, other, Options{Overwrite: true})
		if files(t, out)[format.partial] == "half" {
			t.Error("a file of the interrupted export is still there")
		}
	}
}

// What decides what is refused is no other request; and nothing stays but the files.
func TestPartialLater(t *testing.T) {
	d := datasettest.Write(t, nil, rows("rus", 3))
	out := filepath.Join(t.TempDir(), "out")
	c := config(t, func(c *Config) { c.Partial = false }, d)
	if _, _, err := Run(t.Context(), out, c, Options{}); err == nil || !strings.Contains(err.Error(), "--partial writes a part") {
		t.Fatalf("got %v", err)
	}
	if _, done := run(t, out, config(t, nil, d), Options{}); done {
		t.Error("it was there")
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 2 || entries[0].Name() != RecordName || entries[1].Name() != "rus" {
		t.Errorf("%v %v", entries, err)
	}
	if _, done := run(t, out, c, Options{}); !done {
		t.Error("the same files are another request")
	}
}

func TestSpacing(t *testing.T) {
	chinese, russian := rows("zho", 1), rows("rus", 1)
	chinese[0].TextA, russian[0].TextA = "你好 吗", "да нет"
	out := t.TempDir()
	r, _ := run(t, out, config(t, func(c *Config) { c.Spacing = "characters" }, datasettest.Write(t, nil, chinese, russian)), Options{})
	got := files(t, out)
	if got["zho/CR/custrev.pos"] != "你 好 ▁ 吗\n" || got["rus/CR/custrev.pos"] != "да нет\n" {
		t.Errorf("files %q", got)
	}
	if r.Languages[0].Spacing != "text" || r.Languages[1].Spacing != "characters" {
		t.Errorf("languages %+v", r.Languages)
	}
}

func TestRefused(t *testing.T) {
	unknown := rows("rus", 2)
	unknown[0].Task = "mine"
	gap, other := rows("rus", 3), rows("rus", 2)
	for i := range other {
		other[i].File = "sick.txt"
	}
	tests := []struct {
		rows   []schemas.Benchmark
		change func(*Config)
		want   string
	}{
		{rows("rus", 2), func(c *Config) { c.Partial = false }, "SentEval's has 2407; --partial writes a part"},
		{unknown, nil, "the task mine is not from SentEval; --format huggingface"},
		{other, nil, "has the file sick.txt, which is not from SentEval; --format huggingface"},
		{append(gap[:1], gap[2:]...), nil,
			"row 1 is missing or occurs twice: rows keep their places, so that labels do; a line that `sentweave benchmarks` has rejected is missing: mend it"},
		{append(rows("rus", 2), rows("rus", 2)...), nil, "row 0 is missing or occurs twice"},
		{nil, nil, "has no row"},
		{rows("rus", 2), func(c *Config) { c.Title = "X" }, "title is for --format huggingface"},
		{rows("rus", 2), func(c *Config) { huggingFace(c); c.Form = "references" }, "form is for --format senteval"},
		{rows("rus", 2), func(c *Config) { c.Form = "ascii" }, "ascii"},
	}
	for _, test := range tests {
		if _, _, err := Run(t.Context(), t.TempDir(), config(t, test.change, datasettest.Write(t, nil, test.rows)),
			Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, _, err := Run(t.Context(), t.TempDir(), config(t, nil, t.TempDir()), Options{}); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no dataset: %v", err)
	}
}
