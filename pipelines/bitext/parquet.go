package bitext

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/dataset"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
)

// table is an open Parquet file.
type table struct {
	storage.Object
	*parquetfile.File
}

func openTable(ctx context.Context, folder storage.Folder, f File) (*table, error) {
	object, err := folder.Open(ctx, f.Name)
	if err != nil {
		return nil, unreadable{err}
	}
	if object.Size() != f.Bytes {
		object.Close()
		return nil, errChanged
	}
	file, err := parquetfile.Open(object, object.Size())
	if err != nil {
		object.Close()
		return nil, unreadable{err}
	}
	return &table{object, file}, nil
}

// column returns the number of a column of texts, numbers or labels; dots go into structs.
func (t *table) column(name string) (number int, kind parquet.Kind, err error) {
	for _, path := range [][]string{{name}, strings.Split(name, ".")} {
		leaf, ok := t.Schema().Lookup(path...)
		if ok && leaf.Node.Leaf() && leaf.MaxRepetitionLevel == 0 {
			return leaf.ColumnIndex, leaf.Node.Type().Kind(), nil
		}
	}
	return 0, 0, fmt.Errorf("it has no column %q that holds one value a row%s", name, fieldsOf(t.names()))
}

// names are those of all columns.
func (t *table) names() (names []string) {
	for _, path := range t.Schema().Columns() {
		names = append(names, strings.Join(path, "."))
	}
	return names
}

// lookAtParquet finds the columns of Parquet.
func lookAtParquet(ctx context.Context, s *Source, folder storage.Folder, columns []column) error {
	t, err := openTable(ctx, folder, s.Files[0])
	if err != nil {
		return err
	}
	defer t.Close()
	return parquetfile.Guard(func() error {
		s.lines = int64(len(t.RowGroups()))
		var names []string
		for _, path := range t.Schema().Columns() {
			if len(path) == 2 && path[0] == translation {
				names = append(names, path[1])
			}
		}
		if err := s.setFields(columns, names, t.names()); err != nil {
			return err
		}
		numbers, err := t.columns(s.Fields)
		if err != nil {
			return err
		}
		s.texts = map[string]int64{}
		for _, group := range t.Metadata().RowGroups {
			s.Files[0].expanded += max(0, min(group.TotalByteSize, mostExpansion*s.Files[0].Bytes))
			for i, code := range s.Fields.Languages {
				s.texts[code] += group.NumRows - min(max(0, group.Columns[numbers[i]].MetaData.Statistics.NullCount), group.NumRows)
			}
		}
		return nil
	})
}

// columns returns the numbers of the columns: of the texts, the score and the label; -1 for none.
func (t *table) columns(f *fieldColumns) (numbers []int, err error) {
	add := func(name string, text bool) error {
		if name == "" {
			numbers = append(numbers, -1)
			return nil
		}
		number, kind, err := t.column(name)
		if err == nil && text && kind != parquet.ByteArray {
			err = fmt.Errorf("its column %q holds no texts", name)
		}
		numbers = append(numbers, number)
		return err
	}
	var errs []error
	for _, name := range f.Texts {
		errs = append(errs, add(name, true))
	}
	errs = append(errs, add(f.Score, false), add(f.Label, false))
	return numbers, errors.Join(errs...)
}

// A row group may have values of leastGroup bytes, or mostExpansion times those that it
// takes in the file.
const (
	leastGroup    = 64 << 20
	mostExpansion = 64
)

// parquet reads row groups.
func (w *Work) parquet(ctx context.Context, s *Source, span dataset.Span, use func(item) error) error {
	t, err := openTable(ctx, w.folders[s.Files[0].Input], s.Files[0])
	if err != nil {
		return err
	}
	defer t.Close()
	groups := t.RowGroups()
	if span.From < 0 || span.From > span.To || span.To > int64(len(groups)) {
		return errChanged
	}
	numbers, err := t.columns(s.Fields)
	if err != nil {
		return err
	}
	it := item{source: s, languages: s.Languages, pairs: w.Config.pairsOf(nil, s.Languages, w.wanted), Record: &bitext.Record{}}
	for _, group := range groups[:span.From] {
		it.number += group.NumRows()
	}
	for i, group := range groups[span.From:span.To] {
		if err := t.group(ctx, group, numbers, max(leastGroup, mostExpansion*t.GroupBytes(int(span.From)+i)), &it, use); err != nil {
			return err
		}
	}
	return nil
}

// group reads a row group whose values have most bytes at most.
func (t *table) group(ctx context.Context, group parquet.RowGroup, numbers []int, most int64, it *item, use func(item) error) error {
	columns, err := parquetfile.Columns(group, numbers)
	defer func() {
		for _, c := range columns {
			c.Close()
		}
	}()
	if err != nil {
		return err
	}
	texts := len(numbers) - 2
	for range group.NumRows() {
		if it.number%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.Next()
		*it.Record = bitext.Record{Texts: it.Texts[:0], Score: noScore}
		for i, c := range columns {
			if c == nil {
				continue
			}
			v, err := c.Next()
			if err != nil {
				return unreadable{fmt.Errorf("row %d: %w", it.number, err)}
			}
			if v.Kind() == parquet.ByteArray {
				if most -= int64(len(v.ByteArray())); most < 0 {
					return fmt.Errorf("the values of a row group have more than %d times the bytes that they take in the file", mostExpansion)
				}
			}
			switch {
			case i < texts:
				it.Texts = append(it.Texts, it.parquetText(v, i))
			case i == texts:
				it.Score = it.parquetNumber(v)
			case v.IsNull():
				it.fail(bitext.Field, "label")
			case v.Kind() == parquet.ByteArray:
				it.Label = []byte(clean(string(v.ByteArray())))
			default:
				it.Label = []byte(v.String())
			}
		}
		if err := use(*it); err != nil {
			return err
		}
		it.number++
	}
	return nil
}

func (it *item) fail(reason, detail string) {
	if it.Reason == "" {
		it.Reason, it.Detail = reason, detail
	}
}

// parquetText copies a text; a null is empty.
func (it *item) parquetText(v parquet.Value, i int) []byte {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() != parquet.ByteArray:
		it.fail(bitext.Field, "text "+strconv.Itoa(i+1))
		return nil
	}
	switch b := v.ByteArray(); {
	case len(b) > bitext.MaxLine:
		it.fail(bitext.TooLong, "")
		return nil
	case !utf8.Valid(b):
		it.fail(bitext.InvalidEncoding, "text "+strconv.Itoa(i+1))
		return nil
	default:
		return []byte(clean(string(b)))
	}
}

// parquetNumber reads a score.
func (it *item) parquetNumber(v parquet.Value) float64 {
	x := math.NaN()
	switch {
	case v.IsNull():
	case v.Kind() == parquet.Float:
		x = float64(v.Float())
	case v.Kind() == parquet.Double:
		x = v.Double()
	case v.Kind() == parquet.Int32:
		x = float64(v.Int32())
	case v.Kind() == parquet.Int64:
		x = float64(v.Int64())
	case v.Kind() == parquet.ByteArray:
		if parsed, err := strconv.ParseFloat(string(v.ByteArray()), 64); err == nil {
			x = parsed
		}
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		it.fail(bitext.Number, v.String())
	}
	return x
}
