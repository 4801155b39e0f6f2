package embed

import (
	"context"
	"fmt"

	"sentweave/schemas/dataset"
	"sentweave/schemas/storage"
	"sentweave/stages/distill"
	"sentweave/stages/encoder"
	"sentweave/transforms/measure/neighbors"
)

// partUsual is what is drawn out of vectors if no flag says so.
const partUsual = "meaning"

// distilled reads what is drawn out of vectors, which must have the part that is wanted.
func (c Config) distilled(ctx context.Context) (distill.Distilled, error) {
	folder, err := storage.Locate(c.Distilled)
	if err != nil {
		return nil, err
	}
	d, err := distill.Load(ctx, folder)
	if err != nil {
		return nil, err
	}
	return d, d.Has(c.DistilledPart)
}

// learnedFrom returns what is drawn out as an input of the plan, and an error if it was learned from vectors of
// another encoder than this one, as far as its record says so.
func (c Config) learnedFrom(ctx context.Context, encoder string) (input dataset.Input, err error) {
	folder, err := storage.Locate(c.Distilled)
	if err != nil {
		return input, err
	}
	source, err := dataset.EncoderOf(ctx, folder, distill.RecordName)
	if err == nil && source != "" && source != encoder {
		err = fmt.Errorf("%s was learned from embeddings of another encoder than %s: learn it from those of this one", c.Distilled, c.Model)
	}
	if err != nil {
		return input, err
	}
	return dataset.FileInput(ctx, "distilled", storage.Join(c.Distilled, distill.FileName))
}

// draw returns what is drawn out of the vectors of texts, whose rows have dim numbers. A text that is in several languages may
// have several vectors then.
func (r *run) draw(texts []encoder.Text, row func(int) []float32, dim int) (m neighbors.Matrix, err error) {
	m = neighbors.Matrix{Data: make([]float32, 0, len(texts)*dim), Dim: dim}
	languages := make([]string, len(texts))
	for i, text := range texts {
		m.Data = append(m.Data, row(i)...)
		languages[i] = text.Language
	}
	return r.distilled.Apply(m, languages, r.config.DistilledPart)
}
