package dataset

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sentweave/schemas"
	"sentweave/schemas/dataset/rowtest"
	"sentweave/schemas/peertest"
	"sentweave/schemas/storage"
)

// foreignRows is what a foreign reader prints of a dataset.
type foreignRows struct {
	Folder, Reader, Error string
	Columns               map[string]string
	Rows                  []map[string]any
}

// pyarrow, DuckDB and Hugging Face datasets read what we wrote, with equal
// values, in the layout as it is: rejects/, _run/ and manifest.json are beside
// data/, and units without rows have no file.
func TestForeignReaders(t *testing.T) {
	root := t.TempDir()
	want := map[string][]map[string]any{}
	add(t, root, want, rowtest.Document)
	add(t, root, want, rowtest.Pair)
	add(t, root, want, rowtest.Example)
	add(t, root, want, rowtest.Embedding)
	add(t, root, want, rowtest.Result)
	add(t, root, want, rowtest.Benchmark)
	add(t, root, want, rowtest.Reject)
	add(t, root, want, rowtest.WordCount)
	add(t, root, want, rowtest.Translation)
	add(t, root, want, rowtest.Item)
	add(t, root, want, rowtest.Text)
	add(t, root, want, rowtest.State)
	add(t, root, want, rowtest.Count)
	add(t, root, want, rowtest.PairScore)
	add(t, root, want, rowtest.Contamination)
	add(t, root, want, rowtest.InvertedList)
	if len(want) != len(schemas.List()) {
		t.Fatalf("%d schemas are written, there are %d", len(want), len(schemas.List()))
	}
	python := peertest.Python(t)
	args := []string{"testdata/foreign_readers.py"}
	for _, s := range schemas.List() {
		args = append(args, filepath.Join(root, s.Name))
	}
	readers := map[string]int{}
	for _, got := range readForeign(t, python, args) {
		name := filepath.Base(got.Folder)
		if got.Error != "" {
			t.Errorf("%s of %s: %s", got.Reader, name, got.Error)
			continue
		}
		readers[got.Reader]++
		if diff := cmp.Diff(want[name], got.Rows); diff != "" {
			t.Errorf("%s reads other rows of %s:\n%.3000s", got.Reader, name, diff)
		}
		t.Logf("%s of %s: %d rows, %v", got.Reader, name, len(got.Rows), got.Columns)
	}
	if n := len(schemas.List()); readers["pyarrow"] != n || readers["duckdb"] != n || readers["datasets"] != n {
		t.Errorf("read by %v, want %d each", readers, n)
	}
}

// A dataset without any row has no files in data/. To Arrow and DuckDB that is
// no dataset at all, or one without columns; a pipeline that hands a folder to
// them looks at the manifest's rows first.
func TestForeignReadersOfNoRows(t *testing.T) {
	python := peertest.Python(t)
	root := filepath.Join(t.TempDir(), "empty")
	if _, err := writeDataset[schemas.Pair](t.Context(), storage.NewLocal(root), nil, 3); err != nil {
		t.Fatal(err)
	}
	for _, got := range readForeign(t, python, []string{"testdata/foreign_readers.py", root}) {
		t.Logf("%s: %d rows, columns %v, %s", got.Reader, len(got.Rows), got.Columns, got.Error)
		if got.Error == "" {
			t.Errorf("%s reads a dataset without files: say so in the package comment", got.Reader)
		}
	}
}

// add writes rows as a dataset of four units, of which the first has none, with
// rejects; and the rows as the script prints them.
func add[T schemas.Row](t *testing.T, root string, want map[string][]map[string]any, row func(int) T) {
	t.Helper()
	ctx := t.Context()
	var zero T
	name := zero.Schema().Name
	folder := storage.NewLocal(filepath.Join(root, name))
	d := draftOf(4, 1)
	d.Schema = zero.Schema()
	p := planOf(t, d)
	if _, err := p.Create(ctx, folder, d.Units); err != nil {
		t.Fatal(err)
	}
	for unit := range p.Units {
		a, err := Begin[T](folder, p, unit, NewChain("rows", "write"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range unit * 7 {
			r := row(unit*100 + i)
			if err := a.Write(ctx, r); err != nil {
				t.Fatal(err)
			}
			want[name] = append(want[name], plainRow(reflect.ValueOf(r)))
		}
		a.Rejects().Add(schemas.Reject{ID: fmt.Sprint(unit), Step: "s", Reason: "r", Language: "und"})
		if err := a.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Finalize(ctx, folder); err != nil {
		t.Fatal(err)
	}
	if err := WriteRunRecord(ctx, folder, RunRecord{}); err != nil {
		t.Fatal(err)
	}
}

func readForeign(t *testing.T, python string, args []string) []foreignRows {
	t.Helper()
	cache := t.TempDir()
	for name, value := range map[string]string{"HF_HOME": cache, "HF_DATASETS_CACHE": cache, "HF_HUB_OFFLINE": "1", "TZ": "Asia/Tokyo"} {
		t.Setenv(name, value)
	}
	return peertest.Values[foreignRows](t, peertest.Output(t, nil, python, args...))
}

// plainRow gives a row as the script's plain does, by the Parquet tags.
func plainRow(row reflect.Value) map[string]any {
	out := map[string]any{}
	for i := range row.NumField() {
		f := row.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		v := row.Field(i)
		if strings.Contains(options, "optional") && v.IsZero() {
			out[name] = nil
			continue
		}
		out[name] = plainValue(v)
	}
	return out
}

func plainValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return plainValue(v.Elem())
	case reflect.Struct:
		return plainRow(v)
	case reflect.Slice:
		if b, ok := v.Interface().([]byte); ok {
			return hex.EncodeToString(b)
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, plainValue(v.Index(i)))
		}
		return list
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	default:
		return pythonFloat(v.Float())
	}
}

// pythonFloat prints a number as Python's repr does: the shortest digits, with
// an exponent below 1e-4 and from 1e16 on.
func pythonFloat(x float64) string {
	if s := strconv.FormatFloat(x, 'e', -1, 64); x != 0 {
		if exponent, err := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:]); err == nil && (exponent < -4 || exponent >= 16) {
			return s
		}
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
