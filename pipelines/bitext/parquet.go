package bitext

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"sentweave/schemas/dataset"
	"sentweave/schemas/excerpt"
	"sentweave/schemas/fault"
	"sentweave/schemas/parquetfile"
	"sentweave/schemas/storage"
	"sentweave/transforms/read/bitext"
)

// table is an open Parquet file.
type table struct {
	storage.Object
	*parquetfile.File
	readers columnReaders
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
	return &table{Object: object, File: file}, nil
}

// column returns the number of a column that holds one value a row; dots go into structs.
func (t *table) column(name string) (number int, err error) {
	for _, path := range [][]string{{name}, strings.Split(name, ".")} {
		matches := 0
		for _, p := range t.Schema().Columns() {
			if slices.Equal(p, path) {
				matches++
			}
		}
		if matches > 1 {
			return 0, fmt.Errorf("it has %d columns %q, and nobody knows which is meant: rename all but one of them", matches, name)
		}
		leaf, ok := t.Schema().Lookup(path...)
		if ok && leaf.Node.Leaf() && leaf.MaxRepetitionLevel == 0 {
			return leaf.ColumnIndex, nil
		}
	}
	return 0, fmt.Errorf("it has no column %q that holds one value a row%s", name, fieldsOf(t.names()))
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
		if t.NumRows() == 0 {
			return errNoRow
		}
		s.lines = int64(len(t.RowGroups()))
		var names []string
		if columns == nil {
			names = t.texts()
		}
		if err := s.setFields(columns, names, t.names()); err != nil {
			return err
		}
		if columns == nil {
			s.guessScore(t.hasScore())
			for _, name := range t.names() {
				number, err := t.column(name)
				isScore := name == roleScore || strings.HasPrefix(name, roleScore+".") // of texts, or of several values
				if s.Fields.Score == "" && (isScore || err == nil && !t.IsText(number)) {
					s.unread = append(s.unread, name)
				}
			}
		}
		readers, err := t.columns(s.Fields)
		if err != nil {
			return err
		}
		s.texts = map[string]int64{}
		for _, group := range t.Metadata().RowGroups {
			s.Files[0].expanded += max(0, min(group.TotalByteSize, mostExpansion*s.Files[0].Bytes))
			for i, code := range s.Fields.Languages {
				s.texts[code] += group.NumRows - min(max(0, group.Columns[readers.numbers[i]].MetaData.Statistics.NullCount), group.NumRows)
			}
		}
		return nil
	})
}

// texts returns the fields of translation that hold texts, for translation.id may hold numbers or names of rows. Of a table
// without them it returns the columns of languages, if no other column holds texts.
func (t *table) texts() (fields []string) {
	columns, other := []string{}, false
	var values [][]string // of the columns
	for _, name := range t.names() {
		field, inside := strings.CutPrefix(name, translation+".")
		number, err := t.column(name)
		if err != nil || !t.IsText(number) || inside && !isLanguage(field) {
			continue
		}
		switch sample := t.sample(number); {
		case !areTexts(sample):
		case inside:
			fields = append(fields, name)
		case isColumnOfLanguage(name):
			columns, values = append(columns, name), append(values, sample)
		case name != roleScore:
			other = true
		}
	}
	if len(fields) == 0 && !other {
		if i := namesOfRows(values); i >= 0 {
			columns = slices.Delete(columns, i, i+1)
		}
		return columns
	}
	return fields
}

// hasScore says that a column score holds numbers, or texts of which one is a number.
func (t *table) hasScore() bool {
	number, err := t.column(roleScore)
	if err == nil && t.IsText(number) {
		return slices.ContainsFunc(t.sample(number), func(v string) bool {
			_, ok := bitext.ParseNumber(strings.TrimSpace(v), false)
			return ok
		})
	}
	if err == nil {
		_, err = t.Numbers(number)
	}
	return err == nil
}

// sample returns the first values of a column of texts, as far as they can be read, empty for null: what is damaged is told
// by the work.
func (t *table) sample(number int) (values []string) {
	groups := t.RowGroups()
	if len(groups) == 0 {
		return nil
	}
	columns, err := parquetfile.Columns(groups[0], []int{number})
	if err != nil {
		return nil
	}
	defer columns[0].Close()
	for range min(groups[0].NumRows(), sampled) {
		t.Next()
		v, err := columns[0].Next()
		if err != nil {
			break
		}
		text := "" // of a null
		if !v.IsNull() {
			text = string(v.ByteArray())
		}
		values = append(values, text)
	}
	return values
}

// columnReaders say how the columns of a source are read.
type columnReaders struct {
	numbers []int // of the texts, the score and the label; -1 for none
	// score and label are nil for columns of texts.
	score, label parquetfile.ToNumber
	bools        bool // the label is true or false
}

// columns finds the columns of a source.
func (t *table) columns(f *fieldColumns) (c columnReaders, err error) {
	add := func(name string) (number int, err error) {
		number = -1
		if name != "" {
			number, err = t.column(name)
		}
		c.numbers = append(c.numbers, number)
		return number, err
	}
	var errs fault.List
	for _, name := range f.Texts {
		number, err := add(name)
		if err == nil && !t.IsText(number) {
			err = fmt.Errorf("its column %q holds no texts", name)
		}
		errs.Add(err)
	}
	score, err := add(f.Score)
	if err == nil && score >= 0 && !t.IsText(score) {
		if c.score, err = t.Numbers(score); err != nil {
			err = fmt.Errorf("its column %q holds %w, and no numbers", f.Score, err)
		}
	}
	errs.Add(err)
	label, err := add(f.Label)
	if err == nil && label >= 0 && !t.IsText(label) {
		if c.bools = t.kind(label) == parquet.Boolean; !c.bools {
			if c.label, err = t.Numbers(label); err != nil {
				err = fmt.Errorf("its column %q holds %w, and no labels", f.Label, err)
			}
		}
	}
	errs.Add(err)
	return c, errs.Err()
}

// kind is the physical type of a column.
func (t *table) kind(column int) parquet.Kind {
	leaf, _ := t.Schema().Lookup(t.Schema().Columns()[column]...)
	return leaf.Node.Type().Kind()
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
	if t.readers, err = t.columns(s.Fields); err != nil {
		return err
	}
	record := item{source: s, languages: s.Languages, pairs: w.Config.pairsOf(nil, s.Languages, w.wanted), Record: &bitext.Record{}}
	for _, group := range groups[:span.From] {
		record.number += group.NumRows()
	}
	for i, group := range groups[span.From:span.To] {
		if err := t.group(ctx, group, max(leastGroup, mostExpansion*t.GroupBytes(int(span.From)+i)), &record, use); err != nil {
			return err
		}
	}
	return nil
}

// group reads a row group whose values have limit bytes at most.
func (t *table) group(ctx context.Context, group parquet.RowGroup, limit int64, record *item, use func(item) error) error {
	readers := t.readers
	columns, err := parquetfile.Columns(group, readers.numbers)
	defer func() {
		for _, c := range columns {
			c.Close()
		}
	}()
	if err != nil {
		return err
	}
	texts := len(readers.numbers) - 2
	for range group.NumRows() {
		if record.number%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.Next()
		*record.Record = bitext.Record{Texts: record.Texts[:0], Score: noScore}
		for i, c := range columns {
			if c == nil {
				continue
			}
			v, err := c.Next()
			if err != nil {
				return unreadable{fmt.Errorf("row %d: %w", record.number, err)}
			}
			if v.Kind() == parquet.ByteArray {
				if limit -= int64(len(v.ByteArray())); limit < 0 {
					return fmt.Errorf("the values of a row group have more than %d times the bytes that they take in the file",
						mostExpansion)
				}
			}
			switch {
			case i < texts:
				record.Texts = append(record.Texts, record.parquetText(v, i))
			case i == texts:
				record.Score = record.parquetNumber(v, readers.score)
			case v.IsNull():
				record.fail(bitext.Field, "label")
			case readers.bools:
				record.Label = strconv.AppendBool(nil, v.Boolean())
			case readers.label != nil:
				record.Label = strconv.AppendFloat(nil, readers.label(v), 'f', -1, 64)
			case !utf8.Valid(v.ByteArray()):
				record.fail(bitext.InvalidEncoding, "label")
			default:
				record.Label = []byte(clean(string(v.ByteArray())))
			}
		}
		if err := use(*record); err != nil {
			return err
		}
		record.number++
	}
	return nil
}

func (record *item) fail(reason, detail string) {
	if record.Reason == "" {
		record.Reason, record.Detail = reason, detail
	}
}

// parquetText copies a text; a null is empty.
func (record *item) parquetText(v parquet.Value, i int) []byte {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() != parquet.ByteArray:
		record.fail(bitext.Field, "text "+strconv.Itoa(i+1))
		return nil
	}
	switch b := v.ByteArray(); {
	case len(b) > bitext.MaxLine:
		record.fail(bitext.TooLong, "")
		return nil
	case !utf8.Valid(b):
		record.fail(bitext.InvalidEncoding, "text "+strconv.Itoa(i+1))
		return nil
	default:
		return []byte(clean(string(b)))
	}
}

// parquetNumber reads a score; of no reader it is written as a text.
func (record *item) parquetNumber(v parquet.Value, number parquetfile.ToNumber) float64 {
	x, ok := math.NaN(), record.source.Fields.Optional
	switch {
	case v.IsNull():
	case number != nil:
		x = number(v)
		ok = (ok || !math.IsNaN(x)) && !math.IsInf(float64(float32(x)), 0)
	default:
		x, ok = bitext.ParseNumber(strings.TrimSpace(string(v.ByteArray())), false)
	}
	if !ok {
		written := v.String()
		if number != nil && !v.IsNull() {
			written = strconv.FormatFloat(x, 'g', -1, 64) // of bytes, as decimals and halves are, too
		}
		record.fail(bitext.Number, strconv.Quote(excerpt.Bytes(written, 40)))
		return math.NaN()
	}
	return x
}
