package encoder

import (
	"context"
	"fmt"
	"math"
	"slices"

	"sentweave/schemas"
	"sentweave/schemas/dataset"
	"sentweave/transforms/measure/neighbors"
)

// embeddings looks vectors up that some program has made.
type embeddings struct {
	name    string
	vectors Dense
	// ids has the rows without text: another row of that id has another text than is asked
	// for, if that is not found by itself.
	ids map[string]int
	// texts has each text with its language, and with "" for whatever language.
	texts map[[2]string]int
}

// ambiguous stands for a text that has different vectors in different languages.
const ambiguous = -1

// rounding is how far two numbers may be apart in vectors of one text: encoders
// differ in the last bits by the batch that a text is in.
const rounding = 1e-5

func nearlyEqual(a, b float32) bool {
	return math.Abs(float64(a)-float64(b)) <= rounding*max(1, math.Abs(float64(a)))
}

// OpenEmbeddings returns an encoder that looks vectors up in a dataset of
// embeddings: by language and text, else by the id of a text, if it has one, in rows
// without text, else by the text alone. Where several rows have one text, the
// first one's vector stands for all; vectors that differ by more than rounding are
// an error, as is a text that it does not find. It holds all vectors in memory.
func OpenEmbeddings(ctx context.Context, location string) (Encoder, error) {
	folder, m, err := dataset.OpenAs[schemas.Embedding](ctx, location)
	if err != nil {
		return nil, fmt.Errorf("embeddings: %w", err)
	}
	e := &embeddings{name: location, ids: map[string]int{}, texts: map[[2]string]int{}}
	var data []float32
	row, dim, ids := 0, 0, map[string]int{}
	for r, err := range dataset.Rows[schemas.Embedding](ctx, folder, m) {
		if err != nil {
			return nil, err
		}
		if dim == 0 {
			dim = len(r.Vector)
		}
		if len(r.Vector) != dim || dim == 0 {
			return nil, fmt.Errorf("embeddings %s: row %s has %d dimensions, the first row %d: want the same number, at least 1", folder,
				r.ID, len(r.Vector), dim)
		}
		data = append(data, r.Vector...)
		equal := func(i int) bool { return slices.EqualFunc(data[i*dim:(i+1)*dim], r.Vector, nearlyEqual) }
		if i, ok := ids[r.ID]; !ok {
			ids[r.ID] = row
		} else if !equal(i) {
			return nil, fmt.Errorf("embeddings %s: id %s has two vectors", folder, r.ID)
		}
		if r.Text == "" {
			e.ids[r.ID] = row
		} else {
			if i, ok := e.texts[[2]string{r.Language, r.Text}]; !ok {
				e.texts[[2]string{r.Language, r.Text}] = row
			} else if !equal(i) {
				return nil, fmt.Errorf("embeddings %s: the text of row %s has another vector in an earlier row of language %s", folder,
					r.ID, r.Language)
			}
			if i, ok := e.texts[[2]string{"", r.Text}]; !ok {
				e.texts[[2]string{"", r.Text}] = row
			} else if i != ambiguous && !equal(i) {
				e.texts[[2]string{"", r.Text}] = ambiguous
			}
		}
		row++
	}
	if row == 0 {
		return nil, fmt.Errorf("embeddings %s: the dataset has no row", folder)
	}
	e.vectors, err = NewDense(data, dim)
	return e, err
}

func (e *embeddings) Name() string { return e.name }

func (e *embeddings) Encode(ctx context.Context, texts []Text) (Vectors, error) {
	dim := e.vectors.Dim
	d := Dense{neighbors.Matrix{Data: make([]float32, 0, len(texts)*dim), Dim: dim}}
	missing, first := 0, Text{}
	for _, t := range texts {
		i, ok := e.find(t)
		if !ok {
			if missing == 0 {
				first = t
			}
			missing++
			continue
		}
		if i == ambiguous {
			return nil, fmt.Errorf("embeddings %s: %q has different vectors in different languages, none of them %q", e.name, clip(t.Text),
				t.Language)
		}
		d.Data = append(d.Data, e.vectors.Row(i)...)
	}
	if missing > 0 {
		return nil, fmt.Errorf("embeddings %s: %d of %d texts have no vector, the first is %q (%s): embed the texts of this task", e.name,
			missing, len(texts), clip(first.Text), first.Language)
	}
	return d, ctx.Err()
}

func (e *embeddings) find(t Text) (int, bool) {
	if i, ok := e.texts[[2]string{t.Language, t.Text}]; ok {
		return i, true
	}
	if i, ok := e.ids[t.ID]; ok {
		return i, true
	}
	i, ok := e.texts[[2]string{"", t.Text}]
	return i, ok
}
