package pipelines_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"sentweave/pipelines/corpus"
	"sentweave/pipelines/pipelinetest"
	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// kept is the outcome of a record that becomes a document.
const kept = "kept"

// prose returns n sentences that pass the filters, from the given one on.
func prose(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = pipelinetest.Sentence("eng", 31*(from+i))
	}
	return strings.Join(list, " ")
}

// page returns a page that is kept, with one more paragraph.
func page(paragraph string) string {
	return pipelinetest.HTML("eng", "page",
		[]string{"<p>" + prose(0, 6) + "</p>", "<p>" + prose(6, 4) + "</p>", "<p>" + paragraph + "</p>"})
}

// good is beside every bad record, which must not harm it.
var good = page(prose(10, 3))

// record returns a line of JSONL that is kept. With an id of one letter it has
// 528 bytes.
func record(id string) string {
	return fmt.Sprintf(`{"id": %q, "text": %q, "language": "eng"}`+"\n", id, prose(0, 7))
}

// outcomes tells what became of every record of a corpus: kept, or the step and
// reason by which it was dropped. Records of JSONL are named by their offset, too.
func outcomes(t *testing.T, location string) map[string]string {
	t.Helper()
	became := map[string]string{}
	add := func(source string, offset int64, what string) {
		if strings.HasSuffix(source, ".jsonl") {
			source = fmt.Sprint(source, " ", offset)
		}
		if became[source] != "" {
			t.Errorf("%q is %s and %s", source, became[source], what)
		}
		became[source] = what
	}
	for _, d := range pipelinetest.Rows[schemas.Document](t, location) {
		add(d.Source, d.Offset, kept)
	}
	for _, r := range pipelinetest.Rejects(t, location) {
		if r.ID == schemas.ID(r.Source, r.Offset) { // others are sentences
			add(r.Source, r.Offset, r.Step+" "+r.Reason)
		}
	}
	return became
}

// balance checks that every record that came in went out or was dropped for a
// reason, and that the rows are those that went out.
func balance(t *testing.T, m *dataset.Manifest, records int) {
	t.Helper()
	if err := m.Funnel.Check(); err != nil {
		t.Error(err)
	}
	documents := m.Funnel.Chains[0]
	dropped := int64(0)
	for _, step := range documents.Steps {
		for _, n := range step.Total().Dropped {
			dropped += n
		}
	}
	if in := documents.Steps[0].Total().In; in != int64(records) || in != m.Rows+dropped {
		t.Errorf("%d %s came in, %d rows went out and %d were dropped; there were %d", in, documents.Items, m.Rows, dropped, records)
	}
}

// TestBadRecords gives bad pages and texts to corpus, each beside a good page:
// a bad record is counted and sampled with its reason, whatever is in it, and
// neither stops the job nor costs its neighbours.
func TestBadRecords(t *testing.T) {
	noise := strings.Repeat("\x00\x01\xfe\xff\x13\x88", 500)
	for _, test := range []struct {
		name    string
		content string
		want    map[string]string // by "name", or "name offset" in JSONL
	}{
		{"no bytes.html", "", map[string]string{"no bytes.html": "parse empty"}},
		{"no bytes.txt", "", map[string]string{"no bytes.txt": "read empty"}},
		{"no bytes.jsonl", "", map[string]string{}},
		{"spaces.txt", " \n\t\n ", map[string]string{"spaces.txt": "read empty"}},

		{"image.html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + noise, map[string]string{"image.html": "parse binary"}},
		{"program.html", "\x7fELF\x02\x01\x01" + noise, map[string]string{"program.html": "parse binary"}},
		{"program.txt", "\x7fELF\x02\x01\x01" + noise, map[string]string{"program.txt": "read binary"}},
		{"program.jsonl", "\x7fELF\x02\x01\x01" + noise + "\n" + record("a"),
			map[string]string{"program.jsonl 0": "read binary", "program.jsonl 3008": kept}},

		{"a bad byte.html", page("A caf\xe9. " + prose(10, 2)), map[string]string{"a bad byte.html": kept}},
		{"bad bytes.html", page(strings.Repeat("日本語の文字\xff", 900)), map[string]string{"bad bytes.html": "parse invalid_encoding"}},
		{"bad bytes.txt", prose(0, 9) + strings.Repeat("日本語の文字\xff", 900), map[string]string{"bad bytes.txt": "read invalid_encoding"}},
		{"bad bytes.jsonl", `{"text": "` + strings.Repeat("\xff\xfe", 400) + `"}` + "\n" + record("b"),
			map[string]string{"bad bytes.jsonl 0": "read invalid_utf8", "bad bytes.jsonl 813": kept}},

		{"a zero.html", page("A zero\x00 byte. " + prose(10, 3)), map[string]string{"a zero.html": kept}},
		{"a zero.txt", prose(0, 5) + "\x00" + prose(5, 5), map[string]string{"a zero.txt": kept}},
		{"zeros.html", page(strings.Repeat("\x00", 30) + prose(10, 3)), map[string]string{"zeros.html": "parse binary"}},
		{"zeros.txt", prose(0, 5) + strings.Repeat("\x00", 9) + prose(5, 5), map[string]string{"zeros.txt": "read binary"}},
		{"zeros.jsonl", `{"text": "` + prose(0, 6) + `\u0000 ` + prose(6, 6) + `"}` + "\n" + "\x00\n",
			map[string]string{"zeros.jsonl 0": kept, "zeros.jsonl 831": "read binary"}},

		{"fields.jsonl", record("a") + `{"id": "b", "body": "x"}` + "\n" + `{"text": 7}` + "\n" + `{"text": null}` + "\n" + `{"text": ""}` +
			"\n\n" + `["text"]` + "\n" + record("c"), map[string]string{
			"fields.jsonl 0": kept, "fields.jsonl 528": "read field_missing", "fields.jsonl 553": "read field_not_string",
			"fields.jsonl 565": "read field_not_string",
			"fields.jsonl 580": "read empty", "fields.jsonl 594": "read field_missing", "fields.jsonl 603": kept,
		}},
		{"syntax.jsonl", record("a") + "{\"text\": \"no end\n" + "}{\n" + "Not JSON at all.\n" + record("c") + `{"text": "no line end`,
			map[string]string{
				"syntax.jsonl 0": kept, "syntax.jsonl 528": "read json_syntax", "syntax.jsonl 545": "read json_syntax",
				"syntax.jsonl 548": "read json_syntax",
				"syntax.jsonl 565": kept, "syntax.jsonl 1093": "read json_syntax",
			}},

		{"cut.txt.gz", "\x1f\x8b\x08\x00\x00", map[string]string{"cut.txt.gz": "read damaged_gzip"}},
		{"page.html.zst", zstandard(good), map[string]string{"page.html.zst": kept}},
		{"cut.html.zst", zstandard(good)[:200], map[string]string{"cut.html.zst": "read damaged_zst"}},
		{"lines.jsonl.zst", zstandard(record("a")), map[string]string{"lines.jsonl.zst": kept}},
		{"page.html.xz", "\xfd7zXZ", map[string]string{"page.html.xz": "read damaged_xz"}},
		{"not gzip.html.gz", good, map[string]string{"not gzip.html.gz": "read damaged_gzip"}},

		{"deep.html", strings.Repeat("<div>", 3000) + good, map[string]string{"deep.html": "parse too_deep"}},

		{"a name with spaces.html", good, map[string]string{"a name with spaces.html": kept}},
		{"50%41 %s %d%.html", good, map[string]string{"50%41 %s %d%.html": kept}},
		{"new\nline.html", good, map[string]string{"new\nline.html": kept}},
		{"tab\tand \"quotes\" & <tags>'\\.html", good, map[string]string{"tab\tand \"quotes\" & <tags>'\\.html": kept}},
		{"日本/ページ ?#.html", good, map[string]string{"日本/ページ ?#.html": kept}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			pipelinetest.File(t, root, test.name, test.content)
			pipelinetest.File(t, root, "good.html", good)
			test.want["good.html"] = kept
			location, m := pipelinetest.Run(t, pipelinetest.Parse[corpus.Config](t, "--input", root), pipelinetest.Settings(1<<20),
				pipelinetest.Plain(2))
			if diff := cmp.Diff(test.want, outcomes(t, location)); diff != "" {
				t.Error(diff)
			}
			balance(t, m, len(test.want))
		})
	}
}

// zstandard compresses a file.
func zstandard(content string) string {
	w, _ := zstd.NewWriter(nil) // which the settings alone could refuse
	return string(w.EncodeAll([]byte(content), nil))
}

// TestHugeRecords gives corpus records far beyond its limits, in a process of its
// own: they are dropped within the memory that every job has.
func TestHugeRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	const size, tags, parallelism = 200 << 20, 10_000_000, 2
	write := func(root, name, begin, repeat, end string, n int) {
		t.Helper()
		f, err := os.Create(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		w.WriteString(begin) // an error stays until Flush
		for range n {
			w.WriteString(repeat)
		}
		w.WriteString(end)
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	text := prose(0, 6) + " "
	var attributes strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&attributes, " a%d", i)
	}
	for _, test := range []struct {
		name, begin, repeat, end string
		n                        int
		args                     []string
		want                     map[string]string
	}{
		{"line.jsonl", record("a") + `{"text": "`, text, "\"}\n" + record("c"), size / len(text), nil, map[string]string{
			"line.jsonl 0": kept, "line.jsonl 528": "read line_too_long",
			fmt.Sprint("line.jsonl ", 528+10+size/len(text)*len(text)+3): kept,
		}},
		{"file.txt", "", text, "", size / len(text), nil, map[string]string{"file.txt": "read too_large"}},
		{"line.txt", "", text, "", size / len(text), []string{"--documents", "line"}, map[string]string{"line.txt": "read line_too_long"}},
		{"paragraph.txt", "", text, "", size / len(text), []string{"--documents", "paragraph"},
			map[string]string{"paragraph.txt": "read too_large"}},
		{"tags.html", "", "<div>", good, tags, nil, map[string]string{"tags.html": "parse too_large"}},
		{"tags within the limit.html", "", "<b>", good, 3_000_000, nil, map[string]string{"tags within the limit.html": "parse too_deep"}},
		{"depth times size.html", strings.Repeat("<span>", 500), "<p>hi<br>x<br>x</p>", "", 14_900, nil,
			map[string]string{"depth times size.html": "quality too_few_sentences"}},
		{"attributes.html", "<p><b" + attributes.String() + ">", "<p>x", "", 30_000, nil,
			map[string]string{"attributes.html": "parse too_complex"}},
		{"lines.txt", "", "x\n\n", "", 4_000_000, nil, map[string]string{"lines.txt": "parse too_complex"}},
		{"tags in JSON.jsonl", "", "[", "\n" + record("a"), tags, nil, map[string]string{
			"tags in JSON.jsonl 0": "read too_deep", fmt.Sprint("tags in JSON.jsonl ", tags+1): kept,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, output := t.TempDir(), filepath.Join(t.TempDir(), "out")
			write(root, test.name, test.begin, test.repeat, test.end, test.n)
			pipelinetest.File(t, root, "good.html", good)
			test.want["good.html"] = kept
			peak := childMemory(t, child("corpus", output, 64<<20, parallelism, append([]string{"--input", root}, test.args...)...))
			if peak > units.MemoryBudget(parallelism) {
				t.Errorf("peak memory is %d MB, more than %d MB", peak>>20, units.MemoryBudget(parallelism)>>20)
			}
			t.Logf("peak memory %d MB", peak>>20)
			m, err := dataset.Load(t.Context(), storage.NewLocal(output))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outcomes(t, output)); diff != "" {
				t.Error(diff)
			}
			balance(t, m, len(test.want))
		})
	}
}
