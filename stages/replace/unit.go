package replace

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/infill"
)

// Chain of the funnel, its steps, and the reason of the first; infill has the others.
const (
	chainTexts   = "texts"
	stepLanguage = "language"
	stepMask     = "mask"
	stepView     = "view"

	ReasonOtherLanguage = "other_language"
)

// batchTexts is about the number of texts that are filled together. Batches begin anew
// with each row group, so that the last bits of logits, which depend on the batch, do
// not depend on how rows are cut into shards.
const batchTexts = 4096

// run is what the units of a run share.
type run struct {
	options       Options
	input, folder storage.Folder
	texts         *dataset.Manifest
	plan          *dataset.Plan
	languages     []string
	infiller      *infill.Infiller
	model         *Model

	out        *dataset.Attempt[schemas.Pair]
	batch      []schemas.Pair // without their views
	masked     []infill.Masked
	done, read int64 // rows and texts
}

func (r *run) unit(ctx context.Context, unit dataset.Unit, read reader) (err error) {
	if r.out, err = dataset.Begin[schemas.Pair](r.folder, r.plan, unit.Ordinal, dataset.NewChain(chainTexts, stepLanguage, stepMask, stepView)); err != nil {
		return err
	}
	defer r.out.Abort()
	r.batch, r.masked = r.batch[:0], r.masked[:0]
	for _, span := range unit.Spans {
		for group := span.From; group < span.To; group++ {
			if err := read(ctx, r, dataset.Span{Name: span.Name, From: group, To: group + 1}); err != nil {
				return err
			}
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return r.out.Commit(ctx)
}

// reader reads a row group.
type reader func(ctx context.Context, r *run, span dataset.Span) error

// readers are those of the schemas that hold texts.
var readers = map[string]reader{
	schemas.Document{}.Schema().String(): readerOf(sentences),
	schemas.Pair{}.Schema().String():     readerOf(firstSide),
}

func readerOf[T schemas.Row](views func(row T) []schemas.Pair) reader {
	return func(ctx context.Context, r *run, span dataset.Span) error {
		for row, err := range dataset.SpanRows[T](ctx, r.input, r.texts, span) {
			if err != nil {
				return err
			}
			for _, view := range views(row) {
				if err := r.add(view); err != nil {
					return err
				}
			}
			r.done++
			if len(r.batch) >= batchTexts {
				if err := r.flush(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// sentences returns a pair without its view for each sentence. The identity that it is
// derived from is that of the sentence wherever texts are enumerated.
func sentences(d schemas.Document) []schemas.Pair {
	list := make([]schemas.Pair, len(d.Sentences))
	for i, s := range d.Sentences {
		list[i] = source(schemas.DerivedID("text", d.ID, strconv.Itoa(int(s.Position))), s.Text, s.Language)
		position := s.Position
		list[i].DocumentA, list[i].PositionA = d.ID, &position
		list[i].DocumentB, list[i].PositionB = d.ID, &position
	}
	return list
}

// firstSide returns one for text_a.
func firstSide(p schemas.Pair) []schemas.Pair {
	view := source(schemas.DerivedID("text", p.ID, "a"), p.TextA, p.LanguageA)
	view.DocumentA, view.PositionA = p.DocumentA, p.PositionA
	view.DocumentB, view.PositionB = p.DocumentA, p.PositionA
	if p.Group != nil {
		view.Group = p.Group
	}
	return []schemas.Pair{view}
}

// source returns a pair of a text. Its group, where none is known, is that of equal
// texts in views of other kinds, so that they are never negatives of each other.
func source(id, text, language string) schemas.Pair {
	group := xxh3.HashString("text\x00" + strings.TrimSpace(text))
	return schemas.Pair{
		ID: schemas.DerivedID(schemas.KindView, Origin, id), Kind: schemas.KindView, Origin: Origin, Group: &group,
		TextA: text, LanguageA: language, LanguageB: language,
	}
}

// add masks a text into the batch, or rejects it.
func (r *run) add(view schemas.Pair) error {
	r.read++
	if r.languages != nil && !slices.ContainsFunc(r.languages, func(code string) bool { return language.Matches(code, view.LanguageA) }) {
		return r.drop(view, stepLanguage, ReasonOtherLanguage, "")
	}
	masked, reason := r.infiller.Mask(view.TextA, view.ID)
	if reason != "" {
		return r.drop(view, stepMask, reason, "")
	}
	r.batch, r.masked = append(r.batch, view), append(r.masked, masked)
	return nil
}

func (r *run) drop(view schemas.Pair, step, reason, detail string) error {
	if r.out.Rejects().Wants(step, reason, view.LanguageA, view.ID) {
		r.out.Rejects().Add(schemas.Reject{ID: view.ID, Source: view.DocumentA, Step: step, Reason: reason, Language: view.LanguageA, Detail: detail, Sample: view.TextA})
	}
	return r.out.Funnel().Drop(chainTexts, view.LanguageA, step, reason, 1)
}

// flush fills and writes the batch.
func (r *run) flush(ctx context.Context) error {
	err := r.model.fill(ctx, r.masked, func(i int, text, reason string) error {
		view, masked := r.batch[i], r.masked[i]
		if reason != "" {
			return r.drop(view, stepView, reason, fmt.Sprintf("%d of %d words masked", masked.Chosen, masked.Words))
		}
		view.TextB = text
		if err := r.out.Write(ctx, view); err != nil {
			return err
		}
		return r.out.Funnel().Keep(chainTexts, view.LanguageA, 1)
	})
	if err != nil {
		return err
	}
	if r.options.Observe != nil {
		r.options.Observe(r.done, r.texts.Rows, r.read)
	}
	clear(r.batch)
	clear(r.masked)
	r.batch, r.masked = r.batch[:0], r.masked[:0]
	return nil
}
