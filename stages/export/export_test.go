package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
	"sentweave/stages/export"
	"sentweave/stages/inspect"
	"sentweave/transforms/engines"
	"sentweave/transforms/read/tmx"
)

// build makes a dataset of one shard.
func build[T schemas.Row](t testing.TB, rows []T) *inspect.Dataset {
	t.Helper()
	d, err := inspect.Open(t.Context(), storage.NewLocal(datasettest.Write(t, nil, rows)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func pairs() []schemas.Pair {
	group, target := uint64(1<<64-1), 4.25
	return []schemas.Pair{
		{ID: schemas.ID("x", 0), Kind: schemas.KindSTS, TextA: "one\r\ntwo", TextB: "drei\u2028vier", LanguageA: "eng", LanguageB: "deu",
			Target: &target, Group: &group},
		{ID: schemas.ID("x", 1), Kind: schemas.KindSingle, TextA: `"quoted" \ and <b>`, LanguageA: "eng", Origin: "\t"},
	}
}

func write(t *testing.T, d *inspect.Dataset, c export.Config) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := export.Write(t.Context(), &b, d, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	d := build(t, pairs())
	tests := []struct {
		name   string
		config export.Config
		want   string
	}{
		{"JSON leaves out what is absent", export.Config{Format: "jsonl"}, "" +
			`{"id":"` + schemas.ID("x", 0) +
			`","kind":"sts","text_a":"one\r\ntwo","text_b":"drei\u2028vier","language_a":"eng","language_b":"deu","target":4.25,"swapped":false,"origin":"","group":18446744073709551615}` + "\n" +
			`{"id":"` + schemas.ID("x", 1) +
			`","kind":"single","text_a":"\"quoted\" \\ and <b>","language_a":"eng","swapped":false,"origin":"\t"}` + "\n"},
		{"a text is one line", export.Config{Format: "text", Column: "text_a"}, "one two\n\"quoted\" \\ and <b>\n"},
		{"an absent text is an empty line", export.Config{Format: "text", Column: "text_b"}, "drei vier\n\n"},
		{"a number", export.Config{Format: "text", Column: "group"}, "18446744073709551615\n\n"},
		{"a filter", export.Config{Format: "text", Column: "id", Where: "text_b == null"}, schemas.ID("x", 1) + "\n"},
	}
	for _, test := range tests {
		if got := write(t, d, test.config); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// A matrix is what NumPy reads: of all rows or of some, of floats or of bytes. Rows of several sizes are refused.
func TestMatrix(t *testing.T) {
	rows := []schemas.Embedding{
		{ID: "a", Language: "eng", Vector: []float32{1, -2.5, -3}, Bits: []byte{1, 255}},
		{ID: "b", Language: "deu", Vector: []float32{4, 5, 6}, Bits: []byte{0, 7}},
	}
	header := func(descr, shape string) string {
		text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }"
		return "\x93NUMPY\x01\x00\x76\x00" + text + strings.Repeat(" ", 117-len(text)) + "\n"
	}
	d := build(t, rows)
	for _, test := range []struct {
		config export.Config
		want   string
	}{
		{export.Config{}, header("<f4", "(2, 3)") + "\x00\x00\x80\x3f\x00\x00\x20\xc0\x00\x00\x40\xc0" +
			"\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xc0\x40"},
		{export.Config{Where: `language == "deu"`}, header("<f4", "(1, 3)") + "\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xc0\x40"},
		{export.Config{Where: `language == "fra"`}, header("<f4", "(0, 0)")},
		{export.Config{Column: "bits"}, header("|u1", "(2, 2)") + "\x01\xff\x00\x07"},
	} {
		test.config.Format = "npy"
		if got := write(t, d, test.config); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.config, got, test.want)
		}
	}
	rows[1].Vector = rows[1].Vector[:2]
	for _, test := range []struct {
		d            *inspect.Dataset
		column, want string
	}{
		{build(t, rows), "vector", "row 1 has 2 values in vector, the first one has 3"},
		{build(t, rows), "text", "column text is a text, optional; a matrix is made of a list of float or double, or of binary"},
		{build(t, pairs()), "", "vector"},
	} {
		_, err := export.Write(t.Context(), io.Discard, test.d, export.Config{Format: "npy", Column: test.column})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// Codes are of the rows' own ranges, or of those of another dataset; a pair of rows is too few for a recall.
func TestCodes(t *testing.T) {
	embeddings := func(vectors ...[]float32) []schemas.Embedding {
		var rows []schemas.Embedding
		for i, v := range vectors {
			rows = append(rows, schemas.Embedding{ID: fmt.Sprint(i), Language: "eng", Vector: v})
		}
		return rows
	}
	d := build(t, embeddings([]float32{0, -5}, []float32{255, 505}))
	wide := datasettest.Write(t, nil, embeddings([]float32{100, 0}, []float32{610, 510}))
	for _, test := range []struct {
		config        export.Config
		codes, counts string
	}{
		{export.Config{Codes: "binary"}, "\x00\xc0", "&{{0 2 0 0} 0}"},
		{export.Config{Codes: "int8"}, "\x80\x80\x7f\x7f", "&{{0 2 0 0} 0}"},
		{export.Config{Codes: "int8", Ranges: wide}, "\x80\x80\xcd\x7c", "&{{0 2 0 0} 2}"},
	} {
		test.config.Format = "npy"
		var b bytes.Buffer
		counts, err := export.Write(t.Context(), &b, d, test.config)
		if err != nil || !strings.HasSuffix(b.String(), "\n"+test.codes) || fmt.Sprint(counts.Codes) != test.counts {
			t.Errorf("%+v: %q, %v, %v", test.config, b.String(), counts.Codes, err)
		}
	}
	for _, test := range []struct {
		d      *inspect.Dataset
		config export.Config
		want   string
	}{
		{build(t, embeddings([]float32{1, 2}, []float32{1})), export.Config{Codes: "int8"},
			"vectors of 2 and of 1 values have no ranges in common"},
		{build(t, embeddings([]float32{1, 2, 3})), export.Config{Codes: "int8", Ranges: wide}, "a vector has 3 values, and the ranges 2"},
		{build(t, embeddings([]float32{-3e38}, []float32{3e38})), export.Config{Codes: "int8"}, "too wide for codes of int8"},
		{d, export.Config{Codes: "int8", Ranges: filepath.Join(wide, "none")}, "no dataset in"},
		{d, export.Config{Codes: "binary", Ranges: wide}, "--ranges is for --codes int8"},
		{d, export.Config{Codes: "int4"}, `codes "int4": want none, int8 or binary`},
		{d, export.Config{Codes: "binary", Column: "bits"}, "codes are made of lists of float"},
	} {
		test.config.Format = "npy"
		if _, err := export.Write(t.Context(), io.Discard, test.d, test.config); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test.config, err, test.want)
		}
	}
	if _, err := export.Write(t.Context(), io.Discard, d, export.Config{Codes: "int8"}); err == nil {
		t.Error("codes as JSON")
	}
}

func TestNestedText(t *testing.T) {
	d := build(t, []schemas.Document{
		{ID: schemas.ID("a", 0), Source: "a", Language: "eng", Date: 1_700_000_000_000, Sentences: []schemas.Sentence{
			{Text: "One.", Language: "eng"}, {Text: "Two\nlines.", Language: "eng", Position: 1}}},
		{ID: schemas.ID("a", 1), Source: "a", Language: "eng"},
		{ID: schemas.ID("a", 2), Source: "a", Language: "eng", Sentences: []schemas.Sentence{{Text: "Three.", Language: "eng"}}},
	})
	if got, want := write(t, d, export.Config{Format: "text", Column: "sentences.text"}), "One.\nTwo lines.\nThree.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := write(t, d, export.Config{Format: "text", Column: "date"}), "2023-11-14T22:13:20Z\n\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFaults(t *testing.T) {
	d := build(t, pairs())
	tests := []struct {
		config export.Config
		want   string
	}{
		{export.Config{Format: "csv"}, `format "csv"`},
		{export.Config{Format: "text"}, "needs --column"},
		{export.Config{Format: "jsonl", Column: "id"}, "is for --format text"},
		{export.Config{Format: "text", Column: "txt_a"}, `did you mean "text_a"?`},
		{export.Config{Format: "jsonl", Where: "x"}, "a comparison of a column with a value should"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		if _, err := export.Write(t.Context(), &b, d, test.config); err == nil || !strings.Contains(err.Error(), test.want) || b.Len() > 0 {
			t.Errorf("%+v: got %v, want %s", test.config, err, test.want)
		}
	}
	documents := build(t, []schemas.Document{{ID: schemas.ID("a", 0), Source: "a", Language: "eng"}})
	if _, err := export.Write(t.Context(), io.Discard, documents, export.Config{Format: "text", Column: "sentences"}); err == nil ||
		!strings.Contains(err.Error(), "sentences.text") {
		t.Errorf("a group as text: %v", err)
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	d := build(t, many(t, 20_000))
	for _, left := range []int{0, 300_000} {
		if _, err := export.Write(t.Context(), &fullDisk{left}, d, export.Config{Format: "jsonl"}); err == nil ||
			err.Error() != "no space left" {
			t.Errorf("after %d bytes: %v", left, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := export.Write(ctx, io.Discard, build(t, pairs()), export.Config{Format: "jsonl"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func many(t testing.TB, n int) []schemas.Pair {
	t.Helper()
	var rows []schemas.Pair
	for i := range n {
		p := pairs()[0]
		p.ID = schemas.ID("x", int64(i))
		p.TextA = fmt.Sprintf("Sentence %d of a page on the ways in which a corpus is made, with some more words. \u00e9\u0431\u4e2d", i)
		rows = append(rows, p)
	}
	return rows
}

// pyarrow reads the same shards; Python's own json module reads our lines.
func TestPeer(t *testing.T) {
	python := peertest.Python(t, "pyarrow")
	t.Run("pair", func(t *testing.T) { peer[schemas.Pair](t, python) })
	t.Run("document", func(t *testing.T) { peer[schemas.Document](t, python) })
	t.Run("example", func(t *testing.T) { peer[schemas.Example](t, python) })
	t.Run("embedding", func(t *testing.T) { peer[schemas.Embedding](t, python) })
}

const peerScript = `
import base64, datetime, json, struct, sys
import pyarrow.parquet as pq
single = lambda x: struct.pack("f", x)
def ours(x):
    if isinstance(x, dict): return {k: ours(v) for k, v in x.items() if v is not None}
    if isinstance(x, list): return [ours(v) for v in x]
    if isinstance(x, datetime.datetime): return x.isoformat(timespec="milliseconds")
    if isinstance(x, bytes): return base64.b64encode(x).decode()
    return single(x) if isinstance(x, float) else x
def read(line):
    def value(x):
        if isinstance(x, dict): return {k: value(v) for k, v in x.items()}
        if isinstance(x, list): return [value(v) for v in x]
        return single(x) if isinstance(x, float) else x
    row = value(json.loads(line))
    if "date" in row:
        row["date"] = datetime.datetime.fromisoformat(row["date"]).isoformat(timespec="milliseconds")
    return row
lines = sys.stdin.read().splitlines() # which splits at every line break of Unicode
rows = [ours(r) for r in pq.read_table(sys.argv[1]).to_pylist()]
assert len(lines) == len(rows), (len(lines), len(rows))
for line, row in zip(lines, rows):
    assert read(line) == row, (line, row)
print(len(rows))
`

func hashOf(data []byte) string { return dataset.HashString(xxh3.Hash(data)) }

func peer[T schemas.Row](t *testing.T, python string) {
	var zero T
	s := zero.Schema()
	golden := filepath.Join("..", "..", "schemas", "testdata", fmt.Sprintf("%s.v%d.parquet", s.Name, s.Version))
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	d := asDataset(t, data, s)
	lines := write(t, d, export.Config{Format: "jsonl"})
	if output := peertest.Output(t, []byte(lines), python, "-c", peerScript, golden); strings.TrimSpace(string(output)) != "8" {
		t.Errorf("%s", output)
	}
}

// asDataset puts a Parquet file that is there into a dataset.
func asDataset(t *testing.T, data []byte, s schemas.Schema) *inspect.Dataset {
	t.Helper()
	root := t.TempDir()
	folder := storage.NewLocal(root)
	if err := storage.WriteFile(t.Context(), folder, dataset.ShardName(0), data, storage.Replace); err != nil {
		t.Fatal(err)
	}
	m := &dataset.Manifest{Plan: dataset.Plan{Schema: s.Name, SchemaVersion: s.Version, Config: json.RawMessage("{}")}}
	m.Shards = []dataset.Shard{{Name: dataset.ShardName(0), Bytes: int64(len(data)), XXH3: hashOf(data)}}
	return &inspect.Dataset{Folder: folder, Plan: &m.Plan, Manifest: m}
}

func BenchmarkJSONL(b *testing.B) { benchmark(b, export.Config{Format: "jsonl"}) }
func BenchmarkText(b *testing.B) {
	benchmark(b, export.Config{Format: "text", Column: "text_a"})
}

// benchmark counts the bytes that are written.
func benchmark(b *testing.B, c export.Config) {
	d := build(b, many(b, 50_000))
	var counter counting
	if _, err := export.Write(b.Context(), &counter, d, c); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(counter))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := export.Write(b.Context(), io.Discard, d, c); err != nil {
			b.Fatal(err)
		}
	}
}

type counting int64

func (c *counting) Write(p []byte) (int, error) { *c += counting(len(p)); return len(p), nil }

func translation(text, translated string) schemas.Translation {
	identity := engines.Identity{Engine: "google", Model: "nmt"}
	r := schemas.Translation{
		Key: identity.Key(engines.Pair{Source: "eng", Target: "zho_Hant"}, text), Engine: "google", Model: "nmt",
		OptionsXXH3:    identity.OptionsXXH3(),
		SourceLanguage: "eng", TargetLanguage: "zho_Hant", Text: text, Translation: translated, Status: schemas.TranslationOK,
	}
	if translated == "" {
		r.Status, r.Reason = schemas.TranslationRejected, "empty"
	}
	return r
}

// A memory has the translations that are ok, the bitext pairs, or what the filter says.
func TestMemory(t *testing.T) {
	rows := []schemas.Translation{translation("a <b> & c\x01", "甲"), translation("lost", ""), translation("d", "\"丁\"")}
	bitext := append(pairs(), schemas.Pair{ID: schemas.ID("x", 2), Kind: schemas.KindBitext, TextA: "a", TextB: "b", LanguageA: "srp_Latn",
		LanguageB: "deu"})
	for _, test := range []struct {
		d              *inspect.Dataset
		where          string
		want           []string
		rows, replaced int64
	}{
		{build(t, rows), "", []string{"google nmt eng en=a <b> & c |zh-Hant=甲", "google nmt eng en=d|zh-Hant=\"丁\""}, 2, 1},
		{build(t, rows), `text matches "[ao]"`, []string{"google nmt eng en=a <b> & c |zh-Hant=甲"}, 1, 1}, // not the one that was rejected
		{build(t, bitext), "", []string{"sentweave 1  sr-Latn=a|de=b"}, 1, 0},
		{build(t, bitext), "id != null", []string{"sentweave 1  sr-Latn=a|de=b"}, 1, 0},
	} {
		var b bytes.Buffer
		done, err := export.Write(t.Context(), &b, test.d, export.Config{Format: "tmx", Where: test.where})
		if err != nil || done != (export.Counts{Rows: test.rows, Replaced: test.replaced}) {
			t.Errorf("%v, error %v", done, err)
		}
		r, err := tmx.NewReader(&b, tmx.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for u, err := r.Next(); !errors.Is(err, io.EOF); u, err = r.Next() {
			if err != nil || u.Reason != "" || !schemas.IsID(u.ID) {
				t.Fatalf("%+v, error %v", u, err)
			}
			got = append(got, fmt.Sprintf("%s %s %s %s=%s|%s=%s", u.CreationTool, u.CreationToolVersion, u.Source, u.Variants[0].Tag,
				u.Variants[0].Text, u.Variants[1].Tag, u.Variants[1].Text))
		}
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%q: got %q, want %q", test.where, got, test.want)
		}
	}
	documents := build(t, []schemas.Document{{ID: schemas.ID("a", 0), Source: "a", Language: "eng"}})
	if _, err := export.Write(t.Context(), io.Discard, documents, export.Config{Format: "tmx"}); err == nil ||
		!strings.Contains(err.Error(), "rows of document are not translations") {
		t.Errorf("documents: %v", err)
	}
}
