// Package texts enumerates the texts of a dataset of any kind of row that holds
// some, so that a pipeline need not ask what it is given.
//
//	document     each sentence
//	pair         text_a, then text_b
//	benchmark    text_a, then text_b, of items without gold too
//	translation  the translation, in the target language, unless it was rejected
//
// An empty text is none. A text that stands twice in a dataset is given twice,
// with an identity for each.
package texts

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/pipelines/units"
	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
)

// Sides of a row of two texts.
const (
	SideA = "a"
	SideB = "b"
)

// Text is one text of a dataset.
type Text struct {
	// ID is derived from the row's identity and the text's place in it: equal for
	// the same row in any unit and any run, and unique in its dataset.
	ID       string
	Text     string
	Language string
	// Group is that of the row: equal for texts that mean the same; nil if unknown.
	Group *uint64
	// Document is the document that the text stands in, or "", and Position its place
	// there: the sentence's for a document, what the row says for a pair.
	Document string
	Position *int32
	// Side is SideA or SideB in a row of two texts, else "".
	Side string
	// NoGold marks a text of a benchmark's row without gold, which no score reads.
	NoGold bool
	// Task and Split are those of a benchmark's row, else "".
	Task, Split string
}

// Source is a complete dataset whose texts a pipeline reads. Its exported fields
// travel to the worker, which calls Reopen.
type Source struct {
	Dataset *units.Dataset
	// Schema is the name of the schema of its rows.
	Schema string
}

// reader is what is needed of a kind of row.
type reader struct {
	open   func(ctx context.Context, location string) (*units.Dataset, error)
	reopen func(ctx context.Context, d *units.Dataset) error
	each   func(ctx context.Context, d *units.Dataset, unit dataset.Unit, use func(Text) error) error
}

// readerOf makes the reader of rows of type T, whose texts are given by a function.
func readerOf[T schemas.Row](texts func(row T, use func(Text) error) error) reader {
	return reader{
		open:   units.OpenDataset[T],
		reopen: units.Reopen[T],
		each: func(ctx context.Context, d *units.Dataset, unit dataset.Unit, use func(Text) error) error {
			return units.DatasetRows(ctx, d, unit, func(row T) error { return texts(row, use) })
		},
	}
}

// Schemas names the schemas whose rows hold texts that can be read, in a fixed order.
func Schemas() []string { return []string{"document", "pair", "benchmark", "translation"} }

func readerFor(schema string) (reader, bool) {
	switch schema {
	case "document":
		return readerOf(ofDocument), true
	case "pair":
		return readerOf(ofPair), true
	case "benchmark":
		return readerOf(ofBenchmark), true
	case "translation":
		return readerOf(ofTranslation), true
	}
	return reader{}, false
}

// Open opens the dataset at a location for a plan, whatever rows it has. It is an
// error if those have no texts; the other errors are those of units.OpenDataset.
func Open(ctx context.Context, location string) (*Source, error) {
	absolute, err := storage.Absolute(location)
	if err != nil {
		return nil, err
	}
	folder, err := storage.At(absolute)
	if err != nil {
		return nil, err
	}
	m, err := dataset.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	r, ok := readerFor(m.Plan.Schema)
	if !ok {
		return nil, fmt.Errorf("dataset %s holds rows of %s v%d, this step reads %s", folder, m.Plan.Schema, m.Plan.SchemaVersion, strings.Join(Schemas(), ", "))
	}
	d, err := r.open(ctx, absolute)
	if err != nil {
		return nil, err
	}
	return &Source{Dataset: d, Schema: m.Plan.Schema}, nil
}

// Reopen opens the dataset in a worker. It is an error if the dataset was made
// anew since the job was planned.
func (s *Source) Reopen(ctx context.Context) error {
	r, ok := readerFor(s.Schema)
	if !ok {
		return fmt.Errorf("texts of rows of %q: launcher and worker are different programs", s.Schema)
	}
	return r.reopen(ctx, s.Dataset)
}

// Manifest returns the manifest of the open dataset.
func (s *Source) Manifest() *dataset.Manifest { return s.Dataset.Manifest() }

// Each calls use for every text of the unit's spans, in order, and ends with its
// first error.
func (s *Source) Each(ctx context.Context, unit dataset.Unit, use func(Text) error) error {
	r, ok := readerFor(s.Schema)
	if !ok {
		return fmt.Errorf("texts of rows of %q: launcher and worker are different programs", s.Schema)
	}
	return r.each(ctx, s.Dataset, unit, use)
}

func ofDocument(d schemas.Document, use func(Text) error) error {
	for _, sentence := range d.Sentences {
		position := sentence.Position
		err := use(Text{
			ID:   schemas.DerivedID("text", d.ID, strconv.Itoa(int(position))),
			Text: sentence.Text, Language: sentence.Language, Document: d.ID, Position: &position,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func ofPair(p schemas.Pair, use func(Text) error) error {
	if p.TextA != "" {
		err := use(Text{
			ID: schemas.DerivedID("text", p.ID, SideA), Text: p.TextA, Language: p.LanguageA, Group: p.Group,
			Document: p.DocumentA, Position: p.PositionA, Side: SideA,
		})
		if err != nil {
			return err
		}
	}
	if p.TextB == "" {
		return nil
	}
	return use(Text{
		ID: schemas.DerivedID("text", p.ID, SideB), Text: p.TextB, Language: p.LanguageB, Group: p.Group,
		Document: p.DocumentB, Position: p.PositionB, Side: SideB,
	})
}

// ofBenchmark tells the versions of an item, which have one id, apart by language.
func ofBenchmark(b schemas.Benchmark, use func(Text) error) error {
	if b.TextA != "" {
		err := use(Text{ID: schemas.DerivedID("text", b.ID, b.LanguageA, SideA), Text: b.TextA, Language: b.LanguageA, Side: SideA, NoGold: b.Skip, Task: b.Task, Split: b.Split})
		if err != nil {
			return err
		}
	}
	if b.TextB == "" {
		return nil
	}
	return use(Text{ID: schemas.DerivedID("text", b.ID, b.LanguageB, SideB), Text: b.TextB, Language: b.LanguageB, Side: SideB, NoGold: b.Skip, Task: b.Task, Split: b.Split})
}

func ofTranslation(t schemas.Translation, use func(Text) error) error {
	if t.Status != schemas.TranslationOK {
		return nil
	}
	return use(Text{ID: schemas.DerivedID("text", t.Key), Text: t.Translation, Language: t.TargetLanguage})
}

// Of says whether the text is of one of the splits, as any is of none.
func (t Text) Of(splits []string) bool { return len(splits) == 0 || slices.Contains(splits, t.Split) }

// Meaning returns the group of the text: that of its row, or, where that is unknown,
// one that equal texts of all datasets have, so that they are never negatives of each
// other.
func (t Text) Meaning() uint64 {
	if t.Group != nil {
		return *t.Group
	}
	return xxh3.HashString("text\x00" + strings.TrimSpace(t.Text))
}
