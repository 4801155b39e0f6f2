package validate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/stages/folders"
	"sentweave/transforms/testsets/benchmark"
)

// rows are two rows of each file of CR, with folds.
func rows(code string) (list []schemas.Benchmark) {
	for _, f := range [][2]string{{"CR/custrev.pos", "1"}, {"CR/custrev.neg", "0"}} {
		for i := range int32(2) {
			fold := i
			list = append(list, schemas.Benchmark{
				ID: benchmark.ID("cr", f[0], i), Task: "cr", Split: "pool", Fold: &fold, File: f[0], Row: i, LanguageA: code,
				TextA: code + " text", Label: f[1],
			})
		}
	}
	return list
}

func config(source string) Config {
	return Config{Source: source, SourceLanguage: "eng", Form: "auto", Spacing: "auto", MaxUntranslated: .2, MinCorrelation: .5, Most: 5}
}

func check(t *testing.T, c Config) *Validation {
	t.Helper()
	v, _, err := Run(t.Context(), "", c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// One dataset may hold the source and the translations; folders keep no folds.
func TestOneDataset(t *testing.T) {
	d := datasettest.Write(t, nil, append(rows("rus"), rows("eng")...))
	c := config(d)
	c.Translated, c.Languages = []string{d}, []string{"ru"}
	out := t.TempDir()
	if _, _, err := folders.Run(t.Context(), out,
		folders.Config{Benchmarks: []string{d}, Format: "senteval", Form: "references", Spacing: "text", Partial: true, Title: "Benchmarks",
			License: "other"}, folders.Options{}); err != nil {
		t.Fatal(err)
	}
	c.Folders = []string{out}
	v := check(t, c)
	want := []Check{
		{Kind: KindDataset, Task: "cr", Language: "rus", Source: 4, Rows: 4, Same: 4},
		{Kind: KindFolder, Task: "cr", Language: "rus", Source: 4, Rows: 4, Same: 4},
	}
	if diff := cmp.Diff(want, v.Checks); diff != "" || v.Faults != 0 {
		t.Errorf("%d faults: %s", v.Faults, diff)
	}
	// Form and spacing of one language's folder are in the record beside it.
	c.Folders, c.Languages = []string{"ru=" + filepath.Join(out, "rus")}, nil
	if v := check(t, c); v.Faults != 0 || len(v.Checks) != 3 {
		t.Errorf("%+v", v.Checks)
	}
	// A file that nobody can read as text, and one that is gone.
	if err := os.WriteFile(filepath.Join(out, "rus", "CR", "custrev.pos"), []byte("\xff\xfe"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(out, "rus", "CR", "custrev.neg")); err != nil {
		t.Fatal(err)
	}
	v = check(t, c)
	lines := strings.Join(v.Lines(), "\n")
	for _, want := range []string{"folder cr rus: CR/custrev.neg: file: ", "folder cr rus: CR/custrev.pos: encoding: ",
		"CR/custrev.neg row 0: missing"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, lines)
		}
	}
	if table := v.Table(KindFolder); !strings.Contains(table, "cr    rus") || v.Table("other") != "" {
		t.Errorf("table %s", table)
	}
}

// What a folder holds beside its tasks is looked at once for each language; with tasks that
// are named, files of others are not.
func TestOtherFiles(t *testing.T) {
	d := datasettest.Write(t, nil, append(rows("rus"), rows("eng")...))
	out := t.TempDir()
	if _, _, err := folders.Run(t.Context(), out,
		folders.Config{Benchmarks: []string{d}, Format: "senteval", Form: "utf-8", Spacing: "text", Partial: true, Title: "Benchmarks",
			License: "other"}, folders.Options{}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, file, data string
		change           func(*Config)
		want             []string // lines
	}{
		{"as written", "senteval_utf8.py", "", nil, nil},
		{"shim gone", "senteval_utf8.py", "-", nil, []string{"folder - rus: senteval_utf8.py: file: "}},
		{"shim changed", "senteval_utf8.py", "import io\n", func(c *Config) { c.Tasks = []string{"cr"} },
			[]string{"folder - rus: senteval_utf8.py: file: "}},
		{"another task", "STS/STS16-en-test/STS.gs.headlines.txt", "1\n", nil,
			[]string{"folder sts16 rus: STS/STS16-en-test/STS.gs.headlines.txt: extra: the source has no task sts16"}},
		{"another task, not asked for", "STS/STS16-en-test/STS.gs.headlines.txt", "1\n", func(c *Config) { c.Tasks = []string{"cr"} }, nil},
		{"no task", "CR/notes.txt", "x", nil, []string{"folder - rus: CR/notes.txt: extra: "}},
		{"another language", "CR/notes.txt", "x", func(c *Config) { c.Languages = []string{"en"} }, nil},
		{"a line", "CR/custrev.pos", "rus text \nrus text\n", func(c *Config) { c.Translated = []string{d} },
			[]string{`folder cr rus: CR/custrev.pos row 0: line: line 1 of CR/custrev.pos is "rus text \n", the dataset gives "rus text\n"`}},
	}
	for _, test := range tests {
		c := config(d)
		c.Folders = []string{out}
		if test.change != nil {
			test.change(&c)
		}
		path := filepath.Join(out, "rus", filepath.FromSlash(test.file))
		before, absent := os.ReadFile(path)
		var err error
		switch {
		case test.data == "-":
			err = os.Remove(path)
		case test.data != "":
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(test.data), 0o666))
		}
		v := check(t, c)
		lines := v.Lines()
		if equal := slices.EqualFunc(lines, test.want, strings.HasPrefix); !equal || v.Faults != len(test.want) {
			t.Errorf("%s: got %q, want %q", test.name, lines, test.want)
		}
		if absent != nil {
			err = errors.Join(err, os.Remove(path))
		} else {
			err = errors.Join(err, os.WriteFile(path, before, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Fewer faults are listed than there are, and all are counted.
func TestMost(t *testing.T) {
	d := datasettest.Write(t, nil, rows("eng"))
	translated := rows("rus")
	for i := range translated {
		translated[i].Label = "2"
	}
	c := config(d)
	c.Translated, c.Most = []string{datasettest.Write(t, nil, translated)}, 1
	v := check(t, c)
	if v.Faults != 4 || len(v.Checks[0].Found) != 2 ||
		!strings.Contains(strings.Join(v.Lines(), "\n"), "dataset cr rus: 2 more faults; --most lists more") {
		t.Errorf("%d faults: %q", v.Faults, v.Lines())
	}
	c.Languages = []string{"ru", "rus"}
	if again := check(t, c); again.Faults != v.Faults || len(again.Checks) != len(v.Checks) {
		t.Errorf("one language that is demanded twice has %d faults in %d checks, once %d in %d", again.Faults, len(again.Checks), v.Faults,
			len(v.Checks))
	}
	out := filepath.Join(t.TempDir(), "out")
	for range 2 {
		if err := v.write(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 || entries[0].Name() != RecordName {
			t.Errorf("%v %v", entries, err)
		}
	}
}

func TestRefused(t *testing.T) {
	d := datasettest.Write(t, nil, rows("eng"))
	empty, beside := t.TempDir(), t.TempDir()
	none := datasettest.Write(t, nil, []schemas.Benchmark{})
	if _, _, err := folders.Run(t.Context(), beside,
		folders.Config{Benchmarks: []string{d}, Format: "senteval", Form: "utf-8", Spacing: "text", Partial: true, Title: "Benchmarks",
			License: "other"}, folders.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(beside, "notes.txt"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	mine := datasettest.Write(t, nil,
		[]schemas.Benchmark{{ID: benchmark.ID("x", "f", 0), Task: "x", File: "f", LanguageA: "eng", TextA: "a", Label: "1"}})
	tests := []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) {}, "nothing to compare"},
		{func(c *Config) { c.Translated, c.Form = []string{d}, "utf-8" }, "form and spacing are for --folders"},
		{func(c *Config) { c.Translated = []string{d, d} }, "occurs twice"},
		{func(c *Config) { c.Translated, c.MaxUntranslated = []string{d}, 2 }, "max_untranslated"},
		{func(c *Config) { c.Translated, c.Languages = []string{d}, []string{"x1"} }, "x1"},
		{func(c *Config) { c.Translated, c.SourceLanguage = []string{d}, "de" }, "--source-language names one of eng"},
		{func(c *Config) { c.Translated, c.Source = []string{d}, empty }, "no dataset"},
		{func(c *Config) { c.Translated = []string{d, none} }, "has no row"},
		{func(c *Config) { c.Folders = []string{beside} }, `holds "notes.txt", of which its folders.json does not know`},
		{func(c *Config) { c.Folders = []string{empty} }, "no folder that is named as a language"},
		{func(c *Config) { c.Folders = []string{"rus=" + empty, "ru=" + d} }, "rus occurs twice"},
		{func(c *Config) { c.Folders, c.Source = []string{"rus=" + empty}, mine }, "the source has the task x, which is not from SentEval"},
	}
	for _, test := range tests {
		c := config(d)
		test.change(&c)
		if _, _, err := Run(t.Context(), "", c, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
