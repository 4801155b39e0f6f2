package parquetfile_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/parquetfile"
	"sentweave/schemas/parquetfile/parquetfiletest"
)

// readAll reads at most a million rows, and all columns one after another.
func readAll(data []byte) error {
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, group := range f.RowGroups() {
		if err := readColumns(f, group); err != nil {
			return err
		}
		err := parquetfile.Guard(func() error {
			rows := group.Rows()
			defer rows.Close()
			batch := make([]parquet.Row, 16)
			for range 1 << 16 {
				f.Next()
				if n, err := rows.ReadRows(batch); err == io.EOF || n == 0 {
					return nil
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readColumns(f *parquetfile.File, group parquet.RowGroup) error {
	return parquetfile.Guard(func() error {
		var open []parquet.Pages
		for _, chunk := range group.ColumnChunks() {
			open = append(open, chunk.Pages())
		}
		values := make([]parquet.Value, 256)
		for len(open) > 0 {
			f.Next()
			var left []parquet.Pages
			for _, pages := range open { // a page of each
				page, err := pages.ReadPage()
				if err == io.EOF {
					continue
				}
				if err != nil {
					return err
				}
				left = append(left, pages)
				if _, err := page.Values().ReadValues(values); err != nil && err != io.EOF {
					return err
				}
			}
			open = left
		}
		return nil
	})
}

// written gives a file of all kinds of columns and encodings.
func written(t testing.TB, options ...parquet.WriterOption) []byte {
	t.Helper()
	type row struct {
		Text    string   `parquet:"text"`
		Kind    string   `parquet:"kind,dict"`
		Length  string   `parquet:"length,delta"`
		Maybe   *string  `parquet:"maybe,optional,dict"`
		Numbers []int32  `parquet:"numbers,list" parquet-element:",delta"`
		Texts   []string `parquet:"texts,list"`
		Double  float64  `parquet:"double,split"`
		Bytes   [5]byte  `parquet:"bytes"`
		Truth   bool     `parquet:"truth"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file, options...)
	for i := range 300 {
		text := string(rune('a' + i%26))
		r := row{Text: text, Kind: text, Length: text + text, Double: float64(i), Truth: i%3 == 0}
		if i%4 > 0 {
			r.Maybe, r.Numbers, r.Texts = &text, []int32{int32(i), 5, -1}, []string{text, "", text}
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
		if i == 150 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

var forms = map[string][]parquet.WriterOption{
	"plain": nil, "zstd": {parquet.Compression(&parquet.Zstd)}, "snappy": {parquet.Compression(&parquet.Snappy)},
	"gzip": {parquet.Compression(&parquet.Gzip)}, "brotli": {parquet.Compression(&parquet.Brotli)},
	"lz4":         {parquet.Compression(&parquet.Lz4Raw)},
	"version 1":   {parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)},
	"small pages": {parquet.PageBufferSize(100), parquet.DataPageStatistics(true)},
}

// A file gives the rows that parquet-go gives of it, in every form.
func TestRows(t *testing.T) {
	for name, options := range forms {
		t.Run(name, func(t *testing.T) {
			data := written(t, options...)
			want, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			if !parquet.EqualNodes(want.Schema(), got.Schema()) || want.NumRows() != got.NumRows() ||
				len(want.RowGroups()) != len(got.RowGroups()) {
				t.Fatalf("%d rows of %v", got.NumRows(), got.Schema())
			}
			for i, group := range got.RowGroups() {
				a, b := want.RowGroups()[i].Rows(), group.Rows()
				rows := 0
				for {
					got.Next()
					wanted, given := make([]parquet.Row, 7), make([]parquet.Row, 7)
					n, _ := a.ReadRows(wanted)
					m, err := b.ReadRows(given)
					if n != m || err != nil && err != io.EOF {
						t.Fatalf("%d rows, want %d, error %v", m, n, err)
					}
					for j := range n {
						if rows++; !wanted[j].Equal(given[j]) {
							t.Fatalf("row %d: %v, want %v", rows, given[j], wanted[j])
						}
					}
					if n == 0 {
						break
					}
				}
				if int64(rows) != group.NumRows() {
					t.Errorf("%d rows of %d", rows, group.NumRows())
				}
			}
			if err := readAll(data); err != nil {
				t.Error(err)
			}
		})
	}
}

// FuzzOpen reads files that the fuzzer makes of whole ones and of attacks. What is
// allocated for one stays below the memory that `make fuzz` gives.
func FuzzOpen(f *testing.F) {
	for _, options := range forms {
		f.Add(written(f, options...))
	}
	for _, a := range parquetfiletest.Attacks(f) {
		if len(a.File) < 10_000 {
			f.Add(a.File)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readAll(data)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2<<30 {
			t.Errorf("%d bytes make %d: %v", len(data), allocated, err)
		}
	})
}
