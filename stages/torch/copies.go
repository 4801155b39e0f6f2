//go:build libtorch

package torch

// #include "native.h"
import "C"

import (
	"math"
	"runtime"
	"strings"
	"unsafe"

	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// copies are weights as losses read them: where products are in bfloat16, those of encoders and of
// the head of a masked language model are copies of that type, and have its gradients. The weights
// themselves, which an optimizer steps over, stay float32, as all others and those of norms do.
type copies struct {
	view            *weights
	copied, masters *pointers
}

// rowsApart is a number of which that of the rows of a copied table of words is a multiple: products
// with 30,522 rows take three times as long on a GPU as those with 30,528.
const rowsApart = 64

func newCopies(w *weights) (*copies, error) {
	c := &copies{view: newWeights()}
	var copied, masters []*ts.Tensor
	for _, name := range w.names {
		master := w.tensors[name]
		c.view.put(name, master)
		if C.sentweave_reduced() == 0 || !isCopied(name) {
			continue
		}
		// Ids are never those of the added rows, and their logits are -Inf.
		apart, fill := C.int64_t(1), C.double(0)
		switch {
		case strings.HasSuffix(name, "word_embeddings.weight"):
			apart = rowsApart
		case strings.HasSuffix(name, vocabularyBias):
			apart, fill = rowsApart, C.double(math.Inf(-1))
		}
		var pointer unsafe.Pointer
		if err := failure(C.sentweave_copy(master.Ctensor(), apart, fill, &pointer)); err != nil {
			c.copied, c.masters = newPointers(copied), newPointers(nil)
			c.free()
			return nil, err
		}
		c.view.tensors[name] = ts.FromCtensor(pointer)
		copied, masters = append(copied, c.view.tensors[name]), append(masters, master)
	}
	c.copied, c.masters = newPointers(copied), newPointers(masters)
	return c, nil
}

// isCopied says of a name that its parameter is one of an encoder's, or of a head's, and no norm's.
func isCopied(name string) bool {
	inEncoder := strings.Contains(name, "embeddings.") || strings.Contains(name, "encoder.layer.")
	return (inEncoder || strings.Contains(name, model.HeadName)) && !strings.Contains(name, "Norm.")
}

// refresh follows a change of the weights.
func (c *copies) refresh() error {
	defer lockThread()()
	defer runtime.KeepAlive(c)
	return failure(C.sentweave_refresh_copies(c.copied.list, c.masters.list, c.copied.n()))
}

// gather adds the gradients of copies to those of the weights, in float32.
func (c *copies) gather() error {
	defer runtime.KeepAlive(c)
	return failure(C.sentweave_gather_gradients(c.copied.list, c.masters.list, c.copied.n()))
}

func (c *copies) free() {
	for _, t := range c.copied.tensors {
		t.MustDrop()
	}
	c.copied.free()
	c.masters.free()
}
