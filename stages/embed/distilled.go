package embed

import (
	"context"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/transforms/measure/neighbors"
)

// partUsual is what is drawn out of vectors if no flag says so.
const partUsual = "meaning"

// distilled reads what is drawn out of vectors, which must have the part that is wanted, and returns it as an input of the
// plan, too. It is an error if it was learned from vectors of another encoder than this one, as far as its record says so.
func (c Config) distilled(ctx context.Context, encoder string) (d distill.Distilled, input dataset.Input, err error) {
	folder, err := storage.Locate(c.Distilled)
	if err != nil {
		return nil, input, err
	}
	if d, err = distill.Load(ctx, folder); err != nil {
		return nil, input, err
	}
	if err := d.Has(c.DistilledPart); err != nil {
		return nil, input, err
	}
	source, _, err := dataset.OriginOf(ctx, folder, distill.RecordName)
	if err == nil && source != "" && source != encoder {
		err = fmt.Errorf("%s was learned from embeddings of another encoder than %s: learn it from those of this one", c.Distilled, c.Model)
	}
	if err != nil {
		return nil, input, err
	}
	input, err = dataset.FileInput(ctx, "distilled", storage.Join(c.Distilled, distill.FileName))
	return d, input, err
}

// draw puts what is drawn out of the vectors of a batch in their place. A text that is in several languages may have several
// vectors then.
func (e *encoded) draw(b *batch) error {
	m := neighbors.Matrix{Data: make([]float32, 0, len(b.texts)*b.dimension), Dim: b.dimension}
	languages := make([]string, len(b.texts))
	for i, text := range b.texts {
		m.Data = append(m.Data, b.vector(i)...)
		languages[i] = text.Language
		b.places[i] = i
	}
	drawn, err := e.distilled.Apply(m, languages, e.config.DistilledPart)
	b.vectors, b.dimension = drawn.Data, drawn.Dim
	return err
}
