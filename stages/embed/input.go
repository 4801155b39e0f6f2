package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"unicode/utf8"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/encoder"
	"sentweave/transforms/read/bitext"
	"sentweave/transforms/read/compressed"
	"sentweave/transforms/read/lineending"
	"sentweave/transforms/read/texts"
)

// input is what is embedded: the texts of a dataset, or the lines of a file.
type input struct {
	dataset.Input
	units []dataset.Unit
	rows  int64 // 0 if that is unknown
	// span yields the texts of each row of a span.
	span func(context.Context, dataset.Span) iter.Seq2[iter.Seq[texts.Text], error]
}

// openInput opens what the configuration names.
func (c Config) openInput(ctx context.Context) (*input, error) {
	if c.Lines != "" {
		return openLines(ctx, c.Lines, c.Language)
	}
	folder, m, err := dataset.Open(ctx, c.Texts)
	if err != nil {
		return nil, fmt.Errorf("texts: %w", err)
	}
	shard := int64(c.ShardBytes)
	in := &input{Input: m.Input("texts"), units: dataset.Pack(m.Pieces(shard), shard), rows: m.Rows}
	switch m.Schema().String() {
	case schemas.Document{}.Schema().String():
		in.span = spanRows(folder, m, texts.OfDocument)
	case schemas.Pair{}.Schema().String():
		in.span = spanRows(folder, m, texts.OfPair)
	case schemas.Benchmark{}.Schema().String():
		in.span = spanRows(folder, m, texts.OfItem)
	default:
		return nil, fmt.Errorf("texts: %s holds rows of %s v%d; documents, pairs and benchmarks can be embedded", folder,
			m.Plan.Schema, m.Plan.SchemaVersion)
	}
	return in, nil
}

// openLines reads a file of lines once, so that what is wrong with one is found before any work.
func openLines(ctx context.Context, location, language string) (*input, error) {
	file, err := dataset.FileInput(ctx, "texts", location)
	if err != nil {
		return nil, err
	}
	unit := dataset.Unit{Spans: []dataset.Span{{Name: path.Base(location), To: 1}}}
	in := &input{Input: file, units: []dataset.Unit{unit}, span: spanLines(location, language)}
	for _, err := range in.span(ctx, unit.Spans[0]) {
		if err != nil {
			return nil, err
		}
		in.rows++
	}
	if in.rows == 0 {
		return nil, fmt.Errorf("lines: %s is empty", location)
	}
	return in, nil
}

// batches yields those of a unit.
func (in *input) batches(ctx context.Context, unit int) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		place := int64(0)
		for _, span := range in.units[unit].Spans {
			for group := span.From; group < span.To; group++ {
				for b, err := range in.group(ctx, dataset.Span{Name: span.Name, From: group, To: group + 1}) {
					if err != nil {
						yield(nil, err)
						return
					}
					b.unit, b.place = unit, place
					place += int64(len(b.texts))
					if !yield(b, nil) {
						return
					}
				}
			}
		}
	}
}

// group yields the batches of a row group.
func (in *input) group(ctx context.Context, span dataset.Span) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		b, bytes := newBatch(), 0
		for row, err := range in.span(ctx, span) {
			if err != nil {
				yield(nil, err)
				return
			}
			for x := range row {
				b.texts = append(b.texts, encoder.TextOf(x))
				if bytes += len(x.Text); len(b.texts) >= batchTexts || bytes >= batchBytes {
					if !yield(b, nil) {
						return
					}
					b, bytes = newBatch(), 0
				}
			}
			b.rows++
		}
		yield(b, nil)
	}
}

// spanRows returns what yields the texts of the rows of a dataset.
func spanRows[T schemas.Row](folder storage.Folder, m *dataset.Manifest, textsOf func(T) iter.Seq[texts.Text]) func(context.Context,
	dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
	return func(ctx context.Context, span dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
		return func(yield func(iter.Seq[texts.Text], error) bool) {
			for row, err := range dataset.SpanRows[T](ctx, folder, m, span) {
				if !yield(textsOf(row), err) {
					return
				}
			}
		}
	}
}

// spanLines returns what yields the lines of a file, as rows of one text.
func spanLines(location, language string) func(context.Context, dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
	return func(ctx context.Context, _ dataset.Span) iter.Seq2[iter.Seq[texts.Text], error] {
		return func(yield func(iter.Seq[texts.Text], error) bool) {
			object, err := storage.OpenFile(ctx, location)
			if err != nil {
				yield(nil, err)
				return
			}
			defer object.Close()
			name := path.Base(location)
			content, err := compressed.OpenFile(name, object)
			if err != nil {
				yield(nil, fmt.Errorf("lines: read %s: %w", location, err))
				return
			}
			defer content.Close()
			lines := bitext.NewLines(lineending.NewReader(content), true)
			for number := 1; ; number++ {
				line, tooLong, err := lines.Next()
				switch {
				case errors.Is(err, io.EOF):
					return
				case err != nil:
					yield(nil, fmt.Errorf("lines: read %s: %w", location, err))
					return
				case tooLong:
					yield(nil, fmt.Errorf("lines: line %d of %s has more than %d KiB", number, name, bitext.MaxLine>>10))
					return
				case !utf8.Valid(line):
					yield(nil, fmt.Errorf("lines: line %d of %s is not UTF-8: `iconv -f CHARSET -t UTF-8` converts the file", number, name))
					return
				}
				text := texts.Text{Row: name + "/" + strconv.Itoa(number), Text: string(line), Language: language}
				if !yield(func(yield func(texts.Text) bool) { yield(text) }, nil) {
					return
				}
			}
		}
	}
}
