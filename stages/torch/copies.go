//go:build libtorch

package torch

import (
	"math"
	"strings"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
	"sentweave/stages/torch/native"
	"sentweave/stages/torch/transformer"
)

// copies are weights as losses read them: where products are in bfloat16, those of encoders and of
// the head of a masked language model are copies of that type, and have its gradients. The weights
// themselves, which an optimizer steps over, stay float32, as all others and those of norms do.
type copies struct {
	view            *transformer.Weights
	copied, masters *native.Pointers
	// changed are those of copied that steps change, and changing their weights.
	changed, changing *native.Pointers
}

// rowsApart is a number of which that of the rows of a copied table of words is a multiple: products
// with 30,522 rows take three times as long on a GPU as those with 30,528.
const rowsApart = 64

// newCopies takes the weights, and which of them training changes.
func newCopies(w *transformer.Weights, changes map[*ts.Tensor]bool) (*copies, error) {
	c := &copies{view: transformer.NewWeights()}
	var copied, masters, changed, changing []*ts.Tensor
	for _, name := range w.Names {
		master := w.Tensors[name]
		c.view.Put(name, master)
		if !native.ReducesProducts() || !isCopied(name) {
			continue
		}
		// Ids are never those of the added rows, and their logits are -Inf.
		apart, fill := int64(1), 0.
		switch {
		case strings.HasSuffix(name, "word_embeddings.weight"):
			apart = rowsApart
		case strings.HasSuffix(name, transformer.VocabularyBias):
			apart, fill = rowsApart, math.Inf(-1)
		}
		reduced, err := native.CopyReduced(master, apart, fill)
		if err != nil {
			for _, t := range copied {
				t.MustDrop()
			}
			return nil, err
		}
		c.view.Tensors[name] = reduced
		copied, masters = append(copied, reduced), append(masters, master)
		if changes[master] {
			changed, changing = append(changed, reduced), append(changing, master)
		}
	}
	c.copied, c.masters = native.NewPointers(copied), native.NewPointers(masters)
	c.changed, c.changing = native.NewPointers(changed), native.NewPointers(changing)
	return c, nil
}

// isCopied says of a name that its parameter is one of an encoder's, or of a head's, and no norm's.
func isCopied(name string) bool {
	inEncoder := strings.Contains(name, "embeddings.") || strings.Contains(name, "encoder.layer.")
	return (inEncoder || strings.Contains(name, model.HeadName)) && !strings.Contains(name, "Norm.")
}

// refresh follows a change of all weights, and step one of those that are trained.
func (c *copies) refresh() error { return c.copied.RefreshFrom(c.masters) }
func (c *copies) step() error    { return c.changed.RefreshFrom(c.changing) }

// gather adds the gradients of copies to those of the weights, in float32.
func (c *copies) gather() error { return c.copied.GatherInto(c.masters) }

func (c *copies) free() {
	for _, t := range c.copied.Tensors {
		t.MustDrop()
	}
	for _, p := range []*native.Pointers{c.copied, c.masters, c.changed, c.changing} {
		p.Free()
	}
}
