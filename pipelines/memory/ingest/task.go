package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"sentweave/pipelines/graph"
	"sentweave/pipelines/memory/fill"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/transforms/engines"
	"sentweave/transforms/engines/checks"
	"sentweave/transforms/read/tmx"
	"sentweave/transforms/testsets/benchmark"
)

// task reads the files of a unit.
type task struct {
	Config Config
	// Folders are those of the inputs, absolute; where there are several, the names of
	// the units begin with a number among them.
	Folders []string

	folders []storage.Folder
	wanted  selection
}

// Setup implements graph.Task.
func (t *task) Setup(context.Context) (err error) {
	t.folders = make([]storage.Folder, len(t.Folders))
	for i, location := range t.Folders {
		if t.folders[i], err = storage.Locate(location); err != nil {
			return err
		}
	}
	t.wanted, err = t.Config.wanted()
	return err
}

// Chains implements graph.Task.
func (t *task) Chains() []dataset.Chain {
	return []dataset.Chain{dataset.NewChain(chainTranslations, stepRead, stepLanguages, stepTexts),
		dataset.NewChain(chainOneLine, stepOneLine)}
}

// Write implements graph.Writer.
func (t *task) Write(ctx context.Context, unit graph.Unit, attempt *dataset.Attempt[schemas.Translation]) error {
	w := writer{task: t, attempt: attempt, codes: map[string]string{}}
	for _, span := range unit.Spans {
		folder, name, err := t.locate(span.Name)
		if err != nil {
			return err
		}
		w.file = span.Name
		load := t.table
		switch format, _ := formatOf(name); format {
		case formatTMX:
			load = t.memory
		case formatJournal:
			load = t.journal
		}
		if err := load(ctx, folder, name, span, &w); err != nil {
			return fmt.Errorf("read %s in %s: %w", name, folder, err)
		}
	}
	return nil
}

// locate returns where the file of a span lies.
func (t *task) locate(name string) (storage.Folder, string, error) {
	if len(t.folders) == 1 {
		return t.folders[0], name, nil
	}
	number, rest, _ := strings.Cut(name, "/")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(t.folders) {
		return nil, "", fmt.Errorf("%s is not in any of the %d inputs: launcher and worker are different programs", name, len(t.folders))
	}
	return t.folders[i], rest, nil
}

// table reads row groups of a Parquet file.
func (t *task) table(ctx context.Context, folder storage.Folder, name string, span dataset.Span, w *writer) error {
	table, err := openTable(ctx, folder, name)
	if err != nil {
		return err
	}
	defer table.Close()
	return table.rows(ctx, span.From, span.To, func(number int64, row tableRow) error { return w.row(ctx, number, row) })
}

// maxEntry bounds an entry of a journal, in bytes.
const maxEntry = 64 << 20

// journal reads an entry of the journal of a unit of translations, whose answers have
// not been checked yet; no model of languages is at hand here.
func (t *task) journal(ctx context.Context, folder storage.Folder, name string, _ dataset.Span, w *writer) error {
	data, err := storage.ReadFile(ctx, folder, name, maxEntry)
	if err != nil {
		return fmt.Errorf("%w; if its dataset is being made, wait for that", err)
	}
	rows, err := fill.Answered(data)
	if err != nil {
		return err
	}
	checker, err := checks.NewChecker(checks.DefaultConfig(), nil)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.Status == schemas.TranslationOK {
			row.Translation = benchmark.Clean(row.Translation)
			pair := engines.Pair{Source: row.SourceLanguage, Target: row.TargetLanguage}
			if verdict := checker.Check(pair, row.Text, row.Translation); verdict != checks.OK {
				row.Status, row.Reason = schemas.TranslationRejected, string(verdict)
			}
		}
		if err := w.add(ctx, record{offset: int64(i), from: row.SourceLanguage, to: row.TargetLanguage, row: row, ours: true}); err != nil {
			return err
		}
	}
	return nil
}

// memory reads a file of TMX. One whose compression is damaged gives what was
// readable, and a record that says so; an error of the disk is an error.
func (t *task) memory(ctx context.Context, folder storage.Folder, name string, span dataset.Span, w *writer) error {
	object, err := folder.Open(ctx, name)
	if err != nil {
		return err
	}
	defer object.Close()
	if object.Size() != span.To {
		return fmt.Errorf("it has %d bytes, and had %d when the job was planned; `sentweave memories` with --overwrite makes the dataset anew",
			object.Size(), span.To)
	}
	stream := &stream{from: io.NewSectionReader(object, 0, object.Size())}
	var content io.Reader = stream
	if _, compressed := formatOf(name); compressed {
		content = &unzipped{from: stream}
	}
	config := tmx.DefaultConfig()
	config.Codes = t.Config.Codes
	reader, err := tmx.NewReader(content, config)
	if err != nil {
		return err
	}
	for number := int64(0); ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		u, err := reader.Next()
		if stream.err != nil {
			return stream.err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if damage := (*damageError)(nil); errors.As(err, &damage) {
			return w.reject(record{offset: number, from: undetermined, to: undetermined}, stepRead, reasonGzip, damage.Error(), "")
		}
		if err != nil {
			return err
		}
		if err := w.unit(ctx, u); err != nil {
			return err
		}
	}
}

// stream remembers an error of the storage, so that it is not taken for one of what
// is stored.
type stream struct {
	from io.Reader
	err  error
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// damageError is an error of the compression.
type damageError struct{ error }

// unzipped decompresses what it reads.
type unzipped struct {
	from   io.Reader
	reader *gzip.Reader
}

func (u *unzipped) Read(p []byte) (n int, err error) {
	if u.reader == nil {
		if u.reader, err = gzip.NewReader(u.from); err != nil {
			u.reader = nil
		}
	}
	if err == nil {
		n, err = u.reader.Read(p)
	} else if err == io.EOF {
		err = io.ErrUnexpectedEOF // there is not even a header
	}
	if err != nil && err != io.EOF {
		err = &damageError{err}
	}
	return n, err
}
