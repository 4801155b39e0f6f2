package parquetfile_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/parquetfile"
	"sentweave/schemas/peertest"
)

// numbersOf reads the first column as numbers; it is the error that there are none.
func numbersOf(t *testing.T, data []byte) (numbers []float64, err error) {
	t.Helper()
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	number, err := f.Numbers(0)
	if err != nil {
		return nil, err
	}
	for _, group := range f.RowGroups() {
		columns, err := parquetfile.Columns(group, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		for range group.NumRows() {
			f.Next()
			v, err := columns[0].Next()
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, number(v))
		}
		columns[0].Close()
	}
	return numbers, nil
}

// Numbers are what they mean, however they are stored.
func TestNumbers(t *testing.T) {
	fixed := func(n int) parquet.Type { return parquet.FixedLenByteArrayType(n) }
	for name, c := range map[string]struct {
		node  parquet.Node
		value parquet.Value
		want  float64 // NaN: the column holds no numbers
	}{
		"a decimal of 32 bits": {parquet.Decimal(2, 3, parquet.Int32Type), parquet.Int32Value(75), .75},
		"a negative one":       {parquet.Decimal(2, 4, parquet.Int32Type), parquet.Int32Value(-1233), -12.33},
		"of 64 bits": {parquet.Decimal(9, 18, parquet.Int64Type), parquet.Int64Value(123456789012345678),
			123456789.012345678},
		"of fixed length": {parquet.Decimal(2, 30, fixed(13)),
			parquet.FixedLenByteArrayValue([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfb\x2f")), -12.33},
		"of bytes":                   {parquet.Decimal(1, 4, parquet.ByteArrayType), parquet.ByteArrayValue([]byte{0x01, 0x00}), 25.6},
		"without a scale":            {parquet.Decimal(0, 3, parquet.Int32Type), parquet.Int32Value(75), 75},
		"an unsigned one":            {parquet.Uint(32), parquet.Int32Value(-1), 4294967295},
		"an unsigned one of 64 bits": {parquet.Uint(64), parquet.Int64Value(-1), 18446744073709551615},
		"a signed one of 8 bits":     {parquet.Int(8), parquet.Int32Value(-3), -3},
		"an integer":                 {parquet.Leaf(parquet.Int64Type), parquet.Int64Value(-3), -3},
		"a float":                    {parquet.Leaf(parquet.FloatType), parquet.FloatValue(.25), .25},
		"a date":                     {parquet.Date(), parquet.Int32Value(18262), math.NaN()},
		"a time":                     {parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(1), math.NaN()},
		"a truth value":              {parquet.Leaf(parquet.BooleanType), parquet.BooleanValue(true), math.NaN()},
		"bytes":                      {parquet.Leaf(fixed(2)), parquet.FixedLenByteArrayValue([]byte("ab")), math.NaN()},
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("x", parquet.Group{"score": c.node}))
		if _, err := w.WriteRows([]parquet.Row{{c.value.Level(0, 0, 0)}}); err != nil {
			t.Fatal(name, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(name, err)
		}
		got, err := numbersOf(t, b.Bytes())
		switch {
		case math.IsNaN(c.want):
			if err == nil {
				t.Errorf("%s: %v", name, got)
			}
		case err != nil || len(got) != 1 || got[0] != c.want:
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

// Files of pyarrow and DuckDB, of every type that holds numbers or something like them.
func TestForeignNumbers(t *testing.T) {
	python := peertest.Python(t)
	folder := t.TempDir()
	peertest.Output(t, nil, python, "testdata/foreign_numbers.py", folder)
	data, err := os.ReadFile(filepath.Join(folder, "numbers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]float64
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for name, want := range all {
		data, err := os.ReadFile(filepath.Join(folder, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := numbersOf(t, data)
		if (err != nil) != (want == nil) || len(got) != len(want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: value %d is %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}
