package embed

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/dataset/datasettest"
	"sentweave/schemas/storage"
	"sentweave/schemas/storage/cache"
	"sentweave/stages/export"
	"sentweave/stages/inspect"
)

// pairsOf makes pairs in several shards, of which each text differs but the first of each pair.
func pairsOf(t *testing.T, n int) string {
	var shards [][]schemas.Pair
	for i := range n {
		p := pair()
		p.ID, p.TextB = schemas.DerivedID("test", fmt.Sprint(i)), fmt.Sprint("b ", i)
		shards = append(shards, []schemas.Pair{p})
	}
	return datasettest.Write(t, nil, shards...)
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// configOf imports a file for the texts of a dataset, each row of it in a unit of its own.
func configOf(texts, path string) Config {
	return Config{ModelConfig: ModelConfig{Layer: -1}, SourceConfig: SourceConfig{Import: path}, Texts: texts, ShardBytes: 1}
}

func rowsOf(t *testing.T, location string) []schemas.Embedding {
	t.Helper()
	rows, err := dataset.ReadAll[schemas.Embedding](t.Context(), storage.NewLocal(location))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Vectors join texts by their order or by ids, equal texts get their own ones, and export writes what was imported. A run that was
// interrupted goes on to the same rows.
func TestImport(t *testing.T) {
	const n = 5
	texts := pairsOf(t, n)
	var lines, byID []string
	for i := range 2 * n {
		lines = append(lines, fmt.Sprintf(`{"embedding":[%d,%v]}`, i, float32(i)/3))
	}
	ordered := filepath.Join(t.TempDir(), "out")
	c := configOf(texts, file(t, "v.jsonl", strings.Join(lines, "\n")))
	ctx, cancel := context.WithCancel(t.Context())
	interrupt := Options{Observe: func(done, _, _ int64) {
		if done == 1 {
			cancel()
		}
	}}
	// Observe comes before the unit is committed.
	if _, _, err := Run(ctx, ordered, c, interrupt); err == nil {
		t.Fatal("it was not interrupted")
	}
	if _, existed, err := Run(t.Context(), ordered, c, Options{}); err != nil || existed {
		t.Fatal(existed, err)
	}
	rows := rowsOf(t, ordered)
	for i, r := range rows {
		if !slices.Equal(r.Vector, []float32{float32(i), float32(i) / 3}) || r.Text == "" {
			t.Errorf("row %d is %+v", i, r)
		}
		byID = append(byID, fmt.Sprintf(`{"v":[%d,%v],"key":%q}`, i, float32(i)/3, r.ID))
	}
	if len(rows) != 2*n {
		t.Errorf("%d rows", len(rows))
	}
	slices.Reverse(byID)
	byID = append(byID, `{"v":[7,7],"key":"of no text"}`)
	c = configOf(texts, file(t, "ids.jsonl", strings.Join(byID, "\n")))
	c.ImportColumn, c.ImportIDs = "v", "key"
	joined := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), joined, c, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, joined); fmt.Sprint(got) != fmt.Sprint(rows) {
		t.Errorf("by ids: %v, in order: %v", got, rows)
	}

	d, err := inspect.Open(t.Context(), storage.NewLocal(ordered))
	if err != nil {
		t.Fatal(err)
	}
	var matrix bytes.Buffer
	if _, err := export.Write(t.Context(), &matrix, d, export.Config{Format: "npy"}); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), again, configOf(texts, file(t, "v.npy", matrix.String())), Options{}); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, again); fmt.Sprint(got) != fmt.Sprint(rows) {
		t.Errorf("exported and imported: %v, before %v", got, rows)
	}
}

func TestImportLines(t *testing.T) {
	c := configOf("", file(t, "v.jsonl", "[1]\n[2]\n[3]"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("\ufeffone\r\n\nthree"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	c.Lines, c.Language = file(t, "texts.txt.gz", packed.String()), "eng"
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := Run(t.Context(), out, c, Options{}); err != nil {
		t.Fatal(err)
	}
	want := "[{texts.txt.gz/1 eng one [1] []} {texts.txt.gz/2 eng  [2] []} {texts.txt.gz/3 eng three [3] []}]"
	if got := fmt.Sprint(rowsOf(t, out)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What does not fit is told before anything is written.
func TestImportFaults(t *testing.T) {
	texts := pairsOf(t, 2)
	line := func(id string) string { return fmt.Sprintf("{\"vector\":[1],\"id\":%q}\n", id) }
	ids := func(c *Config) { c.ImportIDs = "id" }
	for want, test := range map[string]struct {
		name, content string
		change        func(*Config)
	}{
		"it has 3 vectors for 4 texts":                         {"v.jsonl", "[1]\n[2]\n[3]", nil},
		"it has more vectors than there are texts, 4":          {"v.jsonl", "[1]\n[2]\n[3]\n[4]\n[5]\n[6]", nil},
		"row 1: the vector has 2 numbers, the first one has 1": {"v.jsonl", "[1]\n[2,3]\n[3]\n[4]", nil},
		"row 2: the id \"x\" is that of row 0, too":            {"v.jsonl", line("x") + line("y") + line("x"), ids},
		"4 of 4 texts have no vector, the first has the id":    {"v.jsonl", line("x"), ids},
		"ends with none of .npy":                               {"v.bin", "", nil},
		"model and import exclude each other":                  {"v.jsonl", "", func(c *Config) { c.Model = "folder" }},
		"import-column and import-ids have no effect": {"v.jsonl", "",
			func(c *Config) { c.Import, c.Model = "", "folder"; ids(c) }},
		"texts and lines exclude each other": {"v.jsonl", "",
			func(c *Config) { c.Lines, c.Language = "lines", "eng" }},
		"key-variable, key-file, dimensions":            {"v.jsonl", "", func(c *Config) { c.Price = 1 }},
		"pooling, layer, normalize, max-tokens, prompt": {"v.jsonl", "", func(c *Config) { c.Normalize = true }},
		"https://host/v1#MODEL": {"v.jsonl", "",
			func(c *Config) { c.Import, c.Model = "", "https://host/v1" }},
		"lines: line 2 of lines.txt is not UTF-8": {"v.jsonl", "[1]\n[2]", func(c *Config) {
			c.Texts, c.Lines, c.Language = "", file(t, "lines.txt", "a\nb\xff\n"), "eng"
		}},
		"lines.txt: its lines end with only a carriage return": {"v.jsonl", "[1]", func(c *Config) {
			c.Texts, c.Lines, c.Language = "", file(t, "lines.txt", "a\rb\rc"), "eng"
		}},
		"line 2 of lines.txt has more than 1024 KiB": {"v.jsonl", "[1]\n[2]", func(c *Config) {
			c.Texts, c.Lines, c.Language = "", file(t, "lines.txt", "a\n"+strings.Repeat("b", 1<<20+1)), "eng"
		}},
		"lines.txt.gz: gzip: invalid header": {"v.jsonl", "[1]\n[2]", func(c *Config) {
			c.Texts, c.Lines, c.Language = "", file(t, "lines.txt.gz", "text\n\n\n\n\n\n\n\n\n\n"), "eng"
		}},
		"lines.txt is empty": {"v.jsonl", "", func(c *Config) {
			c.Texts, c.Lines, c.Language = "", file(t, "lines.txt", ""), "eng"
		}},
		`language "english"`: {"v.jsonl", "", func(c *Config) { c.Texts, c.Lines, c.Language = "", "lines", "english" }},
	} {
		c := configOf(texts, file(t, test.name, test.content))
		if test.change != nil {
			test.change(&c)
		}
		out := filepath.Join(t.TempDir(), "out")
		_, _, err := Run(t.Context(), out, c, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
		if _, err := EstimateRun(t.Context(), out, c, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q before work: %v", want, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was written", want)
		}
	}
}

// A service gives the vectors of a dataset; another run of the same texts asks it for nothing, as an estimate says.
func TestService(t *testing.T) {
	t.Setenv(cache.Variable, t.TempDir())
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		asked.Add(int64(len(q.Input)))
		var data []any
		for i, text := range q.Input {
			data = append(data, map[string]any{"index": i, "embedding": []int{len(text), 0}})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer server.Close()
	texts := pairsOf(t, 12)
	c := Config{ModelConfig: ModelConfig{Model: server.URL + "/v1#m", Layer: -1}, Texts: texts, ShardBytes: 1}
	// A token a byte and 8 a text: "a", ten texts as "b 0", two as "b 10", and a greeting of 6.
	for _, want := range [][2]int64{{13, 9 + 10*11 + 2*12 + 14}, {0, 0}} {
		e, err := EstimateRun(t.Context(), filepath.Join(t.TempDir(), "out"), c, false)
		if err != nil || [2]int64{e.Unpaid, e.MostTokens} != want {
			t.Errorf("%+v, %v, want %v", e, err, want)
		}
		out := filepath.Join(t.TempDir(), "out")
		m, _, err := Run(t.Context(), out, c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rowsOf(t, out) {
			if !slices.Equal(r.Vector, []float32{float32(len(r.Text)), 0}) {
				t.Errorf("%+v", r)
			}
		}
		if asked.Load() != 14 || m.Encoder() == "" { // 12, the one that all pairs have, and a greeting
			t.Errorf("%d texts were sent, encoder %q", asked.Load(), m.Encoder())
		}
	}
}
