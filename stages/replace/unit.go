package replace

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/transforms/augment/infill"
	"sentweave/transforms/read/texts"
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
	config        Config
	options       Options
	input, folder storage.Folder
	texts         *dataset.Manifest
	plan          *dataset.Plan
	languages     []string
	infiller      *infill.Infiller
	model         *Model
	fetched       io.Closer // the folder of the model

	out        *dataset.Attempt[schemas.Pair]
	batch      []schemas.Pair // without their views
	masked     []infill.Masked
	done, read int64 // rows and texts
}

func (r *run) unit(ctx context.Context, unit dataset.Unit, scan reader) (err error) {
	if r.out, err = dataset.Begin[schemas.Pair](r.folder, r.plan, unit.Ordinal,
		dataset.NewChain(chainTexts, stepLanguage, stepMask, stepView)); err != nil {
		return err
	}
	defer r.out.Abort()
	r.batch, r.masked = r.batch[:0], r.masked[:0]
	for _, span := range unit.Spans {
		for group := span.From; group < span.To; group++ {
			if err := scan(ctx, r, dataset.Span{Name: span.Name, From: group, To: group + 1}); err != nil {
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
	schemas.Document{}.Schema().String(): readerOf(texts.OfDocument),
	schemas.Pair{}.Schema().String():     readerOf(firstSide),
}

func readerOf[T schemas.Row](textsOf func(row T) iter.Seq[texts.Text]) reader {
	return func(ctx context.Context, r *run, span dataset.Span) error {
		for row, err := range dataset.SpanRows[T](ctx, r.input, r.texts, span) {
			if err != nil {
				return err
			}
			for x := range textsOf(row) {
				if err := r.add(source(x)); err != nil {
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

// firstSide yields text_a.
func firstSide(p schemas.Pair) iter.Seq[texts.Text] {
	return func(yield func(texts.Text) bool) {
		for x := range texts.OfPair(p) {
			if x.Side == texts.SideA {
				yield(x)
			}
		}
	}
}

// source returns a pair of a text without its view. Their group is that of views of other
// kinds, so that equal texts are never negatives of each other.
func source(x texts.Text) schemas.Pair {
	group := x.Meaning()
	return schemas.Pair{
		ID: schemas.DerivedID(schemas.KindView, origin, x.ID), Kind: schemas.KindView, Origin: origin, Group: &group,
		TextA: x.Text, LanguageA: x.Language, LanguageB: x.Language,
		DocumentA: x.Document, PositionA: x.Position, DocumentB: x.Document, PositionB: x.Position,
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
		r.out.Rejects().Add(schemas.Reject{ID: view.ID, Source: view.DocumentA, Step: step, Reason: reason, Language: view.LanguageA,
			Detail: detail, Sample: view.TextA})
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
