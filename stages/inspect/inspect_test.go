package inspect

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// build makes a dataset of rows, so many a shard, and returns it opened.
func build[T schemas.Row](t testing.TB, rows []T, perShard int) *Dataset {
	t.Helper()
	folder := storage.NewLocal(t.TempDir())
	plan, units := planOf[T](t, (len(rows)+perShard-1)/perShard)
	if _, err := plan.Create(t.Context(), folder, units); err != nil {
		t.Fatal(err)
	}
	for unit := range plan.Units {
		commit(t, folder, plan, unit, rows[unit*perShard:min(len(rows), (unit+1)*perShard)])
	}
	if _, err := plan.Finalize(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func planOf[T schemas.Row](t testing.TB, units int) (*dataset.Plan, []dataset.Unit) {
	t.Helper()
	var zero T
	list := make([]dataset.Unit, units)
	for i := range list {
		list[i].Ordinal = i
	}
	plan, err := dataset.Draft{Pipeline: "test", PipelineVersion: 1, Schema: zero.Schema(), Config: struct{}{}, ShardBytes: 1,
		Units: list}.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return plan, list
}

func commit[T schemas.Row](t testing.TB, folder storage.Folder, plan *dataset.Plan, unit int, rows []T) {
	t.Helper()
	a, err := dataset.Begin[T](folder, plan, unit, dataset.NewChain("items", "read"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	for _, r := range rows {
		if err := a.Write(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := a.Funnel().Keep("items", "und", 1); err != nil {
			t.Fatal(err)
		}
	}
	if unit == 0 {
		if err := a.Funnel().Drop("items", "deu", "read", "too_long", 1); err != nil {
			t.Fatal(err)
		}
		a.Rejects().Add(schemas.Reject{ID: "r", Step: "read", Reason: "too_long", Language: "deu", Sample: "so long"})
	}
	if err := a.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func documents(n int) []schemas.Document {
	var rows []schemas.Document
	for i := range n {
		d := schemas.Document{
			ID: schemas.ID("pages", int64(i)), Source: "pages.html", Offset: int64(i), Language: []string{"eng", "spa", "deu"}[i%3],
			LanguageScore: float32(i%10) / 10,
		}
		if i%2 == 0 {
			d.URL, d.Date = fmt.Sprintf("http://example.org/%d", i), 1_700_000_000_123+int64(i)
		}
		for j := range i % 4 {
			d.Sentences = append(d.Sentences, schemas.Sentence{Text: fmt.Sprintf("Sentence %d of\n\"%d\".", j, i), Language: d.Language,
				Position: int32(j), Block: int32(j / 2), Main: 1})
		}
		rows = append(rows, d)
	}
	return rows
}

func show(t *testing.T, d *Dataset, v View) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := d.Show(t.Context(), &b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden files of the schemas hold every type and every kind of absence that
// rows of ours have. parquet-go's own reader of Go structs says what is in them.
func TestJSONOfEverySchema(t *testing.T) {
	t.Run("document", func(t *testing.T) { compareJSON[schemas.Document](t) })
	t.Run("pair", func(t *testing.T) { compareJSON[schemas.Pair](t) })
	t.Run("example", func(t *testing.T) { compareJSON[schemas.Example](t) })
	t.Run("embedding", func(t *testing.T) { compareJSON[schemas.Embedding](t) })
	t.Run("result", func(t *testing.T) { compareJSON[schemas.Result](t) })
	t.Run("benchmark", func(t *testing.T) { compareJSON[schemas.Benchmark](t) })
	t.Run("reject", func(t *testing.T) { compareJSON[schemas.Reject](t) })
	t.Run("wordcount", func(t *testing.T) { compareJSON[schemas.WordCount](t) })
	t.Run("translation", func(t *testing.T) { compareJSON[schemas.Translation](t) })
}

func compareJSON[T schemas.Row](t *testing.T) {
	var zero T
	s := zero.Schema()
	rows, err := parquet.ReadFile[T](filepath.Join("..", "..", "schemas", "testdata", fmt.Sprintf("%s.v%d.parquet", s.Name, s.Version)))
	if err != nil {
		t.Fatal(err)
	}
	d := build(t, rows, 3)
	got := strings.Split(strings.TrimSuffix(show(t, d, View{JSON: true}), "\n"), "\n")
	if len(got) != len(rows) {
		t.Fatalf("%d lines of %d rows", len(got), len(rows))
	}
	for i, line := range got {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(plain(reflect.ValueOf(rows[i]), "", false), value); diff != "" {
			t.Fatalf("row %d: want, got:\n%s", i, diff)
		}
	}
}

// plain is a Go value as the JSON that the package documentation promises.
func plain(v reflect.Value, tag string, optional bool) any {
	has := func(option string) bool { return strings.Contains(tag, option) }
	if optional && v.IsZero() {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		return plain(v.Elem(), tag, false)
	case reflect.Struct:
		object := map[string]any{}
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag.Get("parquet")
			name, options, _ := strings.Cut(tag, ",")
			if value := plain(v.Field(i), options, strings.Contains(options, "optional")); value != nil {
				object[name] = value
			}
		}
		return object
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(v.Bytes())
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(v.Index(i), "", false))
		}
		return list
	case reflect.Int64:
		if has("timestamp") {
			return time.UnixMilli(v.Int()).UTC().Format(time.RFC3339Nano)
		}
		return json.Number(strconv.FormatInt(v.Int(), 10))
	case reflect.Int32:
		return json.Number(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint64:
		return json.Number(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		bits := v.Type().Bits()
		text := strconv.FormatFloat(v.Float(), 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return json.Number(text)
	case reflect.Bool:
		return v.Bool()
	default:
		return v.String()
	}
}

// Rows of others may nest more deeply than ours do.
func TestForeignShapes(t *testing.T) {
	type inner struct {
		Name   string  `parquet:"name"`
		Counts []int32 `parquet:"counts,list"`
		Note   *string `parquet:"note,optional"`
	}
	type row struct {
		Plain  []int64        `parquet:"plain"` // a field that repeats, without the levels of a list
		Inners []inner        `parquet:"inners,list"`
		Maybe  []*int32       `parquet:"maybe,list"`
		One    *inner         `parquet:"one,optional"`
		Big    uint64         `parquet:"big"`
		Pairs  map[string]int `parquet:"pairs"`
	}
	note, seven := "x\u2028y", int32(7)
	rows := []row{
		{Big: 1<<64 - 1},
		{
			Plain:  []int64{-1 << 63, 1<<63 - 1},
			Inners: []inner{{Name: "a"}, {Name: "b", Counts: []int32{1, 2}, Note: &note}, {Counts: []int32{3}}},
			Maybe:  []*int32{&seven, nil}, One: &inner{Name: "c", Counts: []int32{4, 5, 6}}, Pairs: map[string]int{"k": 5},
		},
		{Inners: []inner{{Name: "d"}}},
	}
	want := []string{
		`{"plain":[],"inners":[],"maybe":[],"big":18446744073709551615,"pairs":{"key_value":[]}}`,
		`{"plain":[-9223372036854775808,9223372036854775807],"inners":[{"name":"a","counts":[]},{"name":"b","counts":[1,2],"note":"x\u2028y"},{"name":"","counts":[3]}],` +
			`"maybe":[7,null],"one":{"name":"c","counts":[4,5,6]},"big":0,"pairs":{"key_value":[{"key":"k","value":5}]}}`,
		`{"plain":[],"inners":[{"name":"d","counts":[]}],"maybe":[],"big":0,"pairs":{"key_value":[]}}`,
	}
	d, shards := foreign(t, rows)
	table, err := d.table(t.Context(), shards, "")
	if err != nil {
		t.Fatal(err)
	}
	all, err := table.Select()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range table.Rows(t.Context(), all) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(r.AppendJSON(nil, all)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for filter, want := range map[string]int{
		"length(inners.counts) == 0": 2, "length(inners.counts) == 2": 1, "inners.counts == 3": 1, "length(maybe) == 2": 1,
		"one.name == null": 2, `one.name == "c"`: 1, `big == "18446744073709551615"`: 1, "big < 1": 2, "big > 9223372036854775807": 1,
		"plain < -9223372036854775807": 1, "length(plain) == 0": 2,
	} {
		f, err := table.Filter(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r, err := range table.Rows(t.Context(), f.Selection) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Holds(r) {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d rows, want %d", filter, n, want)
		}
	}
}

// foreign writes a Parquet file of somebody else into a folder.
func foreign[T any](t *testing.T, rows []T) (*Dataset, []dataset.Shard) {
	t.Helper()
	root := t.TempDir()
	if err := parquet.WriteFile(filepath.Join(root, "x.parquet"), rows); err != nil {
		t.Fatal(err)
	}
	return &Dataset{Folder: storage.NewLocal(root)}, []dataset.Shard{describe(t, root, "x.parquet")}
}

func describe(t *testing.T, root, name string) dataset.Shard {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return dataset.Shard{Name: name, Bytes: int64(len(data)), XXH3: dataset.HashString(hashOf(data))}
}

func TestUnfinishedDataset(t *testing.T) {
	folder := storage.NewLocal(t.TempDir())
	plan, units := planOf[schemas.Document](t, 3)
	if _, err := plan.Create(t.Context(), folder, units); err != nil {
		t.Fatal(err)
	}
	open := func() *Dataset {
		d, err := Open(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if got := show(t, open(), View{JSON: true}); got != "" {
		t.Errorf("without receipts: %q", got)
	}
	commit(t, folder, plan, 1, documents(2))
	d := open()
	if d.Manifest != nil || d.Done != 1 {
		t.Errorf("manifest %v, %d units done", d.Manifest, d.Done)
	}
	if got := strings.Count(show(t, d, View{JSON: true}), "\n"); got != 2 {
		t.Errorf("%d rows of the committed unit, want 2", got)
	}
}

func TestDamageIsAnError(t *testing.T) {
	d := build(t, documents(50), 50)
	name := filepath.Join(d.Folder.String(), filepath.FromSlash(d.Manifest.Shards[0].Name))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for i := 0; i < len(whole); i += 7 {
		broken := bytes.Clone(whole)
		broken[i] ^= 0x55
		if err := os.WriteFile(name, broken, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Show(t.Context(), &b, View{}); err == nil {
			t.Fatalf("byte %d changed, and nobody saw it", i)
		}
		// A broken disk at the time of writing leaves a hash that fits: no panic then.
		shards := []dataset.Shard{describe(t, d.Folder.String(), d.Manifest.Shards[0].Name)}
		table, err := d.table(t.Context(), shards, "document")
		if err != nil {
			continue
		}
		all, _ := table.Select()
		for row, err := range table.Rows(t.Context(), all) {
			if err != nil {
				break
			}
			row.AppendJSON(nil, all)
		}
	}
}
