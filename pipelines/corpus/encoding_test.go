package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/google/go-cmp/cmp"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/schemas"
)

// Files in another character set than UTF-8 give the sentences of those in UTF-8.
func TestEncoding(t *testing.T) {
	const russian = "Зима в том году была очень долгой, и река замёрзла до самого дна. Никто в деревне не видел моста, пока не сошёл снег."
	koi8, err := charmap.KOI8R.NewEncoder().String(russian)
	if err != nil {
		t.Fatal(err)
	}
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(russian)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": koi8, "b.txt": russian, "c.jsonl": `{"text":"` + koi8 + `"}`,
		"d.html": "<html><meta charset=windows-1251><body><p>" + koi8 + "</p></body></html>",
		"e.html": "<html><meta charset=windows-1251><body><p>" + russian + "</p></body></html>",
		"f.md":   "---\nlang: ru\n---\n# " + koi8,
		"g.md":   "\xff\xfe" + utf16,
	} {
		pipelinetest.File(t, root, name, content)
	}
	for _, test := range []struct {
		args []string
		want string // the files whose documents are right
	}{
		{nil, "a.txt b.txt d.html e.html f.md g.md"},
		{[]string{"--documents", "line"}, "b.txt d.html e.html f.md g.md"},
		{[]string{"--encoding", "KOI8-R"}, "a.txt b.txt c.jsonl d.html e.html f.md g.md"},
	} {
		location, m := run(t, 1<<20, 1, append([]string{"--input", root, "--min-characters", "5"}, test.args...)...)
		var right []string
		for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
			var list []string
			for _, s := range d.Sentences {
				list = append(list, s.Text)
			}
			if strings.Join(list, " ") == russian {
				right = append(right, d.Source)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(right, " ")); diff != "" {
			t.Errorf("%v: %s", test.args, diff)
		}
		if said := strings.Contains(string(m.Plan.Config), "KOI8-R"); said != slices.Contains(test.args, "KOI8-R") {
			t.Errorf("%v: the manifest's configuration is %s", test.args, m.Plan.Config)
		}
	}
}

func TestEncodingMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--encoding", "koi8r"}, "did you mean koi8-r?"},
		{[]string{"--encoding", "koi8-r", "--format", "warc"}, "warc"},
		{[]string{"--encoding", "utf-16", "--format", "jsonl"}, "utf-16le cannot be cut into lines"},
		{[]string{"--encoding", "utf-16le", "--format", "text", "--documents", "line"}, "cannot be cut"},
	} {
		_, err := pipelinetest.Configure[corpus.Config](append([]string{"--input", t.TempDir()}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want an error with %q", test.args, err, test.want)
		}
	}
}
