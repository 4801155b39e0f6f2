package replace

import (
	"context"
	"fmt"
	"io"
	"iter"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/schemas/language"
	"sentweave/schemas/storage"
	"sentweave/stages/ordered"
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
	done, read int64 // rows and texts
}

// batch are the texts that are filled together, and those between them that are dropped before.
type batch struct {
	rows    int64 // of the input
	outputs []output
	texts   int // of the outputs, not yet dropped
}

// output is what becomes of a text: a view, or why there is none.
type output struct {
	view                 schemas.Pair
	masked               infill.Masked
	step, reason, detail string
}

func (r *run) unit(ctx context.Context, unit dataset.Unit, scan reader) (err error) {
	if r.out, err = dataset.Begin[schemas.Pair](r.folder, r.plan, unit.Ordinal,
		dataset.NewChain(chainTexts, stepLanguage, stepMask, stepView)); err != nil {
		return err
	}
	defer r.out.Abort()
	for b, err := range ordered.Map(ctx, 2, r.batches(ctx, unit, scan), r.fill) {
		if err != nil {
			return err
		}
		if err := r.write(ctx, b); err != nil {
			return err
		}
	}
	return r.out.Commit(ctx)
}

// batches yields those of a unit.
func (r *run) batches(ctx context.Context, unit dataset.Unit, scan reader) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		for _, span := range unit.Spans {
			for group := span.From; group < span.To; group++ {
				if !scan(ctx, r, dataset.Span{Name: span.Name, From: group, To: group + 1}, yield) {
					return
				}
			}
		}
	}
}

// reader yields the batches of a row group, and says whether more are wanted.
type reader func(ctx context.Context, r *run, span dataset.Span, yield func(*batch, error) bool) bool

// readers are those of the schemas that hold texts.
var readers = map[string]reader{
	schemas.Document{}.Schema().String(): readerOf(texts.OfDocument),
	schemas.Pair{}.Schema().String():     readerOf(firstSide),
}

func readerOf[T schemas.Row](textsOf func(row T) iter.Seq[texts.Text]) reader {
	return func(ctx context.Context, r *run, span dataset.Span, yield func(*batch, error) bool) bool {
		b := new(batch)
		for row, err := range dataset.SpanRows[T](ctx, r.input, r.texts, span) {
			if err != nil {
				yield(nil, err)
				return false
			}
			for x := range textsOf(row) {
				b.add(r.mask(source(x)))
			}
			if b.rows++; b.texts >= batchTexts {
				if !yield(b, nil) {
					return false
				}
				b = new(batch)
			}
		}
		return yield(b, nil)
	}
}

func (b *batch) add(o output) {
	b.outputs = append(b.outputs, o)
	if o.reason == "" {
		b.texts++
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

// mask masks a text, or says why it cannot be used.
func (r *run) mask(view schemas.Pair) output {
	o := output{view: view}
	if r.languages != nil && !language.MatchesAny(view.LanguageA, r.languages) {
		o.step, o.reason = stepLanguage, ReasonOtherLanguage
	} else {
		o.step = stepMask
		o.masked, o.reason = r.infiller.Mask(view.TextA, view.ID)
	}
	return o
}

// fill makes the views of a batch.
func (r *run) fill(ctx context.Context, b *batch) (*batch, error) {
	list := make([]*output, 0, b.texts)
	masked := make([]infill.Masked, 0, b.texts)
	for i := range b.outputs {
		if o := &b.outputs[i]; o.reason == "" {
			list, masked = append(list, o), append(masked, o.masked)
		}
	}
	return b, r.model.fill(ctx, masked, func(i int, text, reason string) {
		o := list[i]
		if o.view.TextB = text; reason != "" {
			o.step, o.reason, o.detail = stepView, reason, fmt.Sprintf("%d of %d words masked", o.masked.Chosen, o.masked.Words)
		}
	})
}

// write writes the views of a batch, and drops what has none.
func (r *run) write(ctx context.Context, b *batch) error {
	for _, o := range b.outputs {
		if o.reason != "" {
			if err := r.drop(o); err != nil {
				return err
			}
			continue
		}
		if err := r.out.Write(ctx, o.view); err != nil {
			return err
		}
		if err := r.out.Funnel().Keep(chainTexts, o.view.LanguageA, 1); err != nil {
			return err
		}
	}
	r.done, r.read = r.done+b.rows, r.read+int64(len(b.outputs))
	if r.options.Observe != nil {
		r.options.Observe(r.done, r.texts.Rows, r.read)
	}
	return nil
}

func (r *run) drop(o output) error {
	v := o.view
	if r.out.Rejects().Wants(o.step, o.reason, v.LanguageA, v.ID) {
		r.out.Rejects().Add(schemas.Reject{ID: v.ID, Source: v.DocumentA, Step: o.step, Reason: o.reason, Language: v.LanguageA,
			Detail: o.detail, Sample: v.TextA})
	}
	return r.out.Funnel().Drop(chainTexts, v.LanguageA, o.step, o.reason, 1)
}
