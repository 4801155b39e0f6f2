//go:build libtorch

package native

// #include "native.h"
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Arrangement says which rows of a tensor are in another one.
type Arrangement struct {
	rows *ts.Tensor
	// places are those of the rows there, -1 for rows that are not; nil if a row is there twice, or
	// nobody asks for gradients.
	places *ts.Tensor
}

// Arrangement is that of rows of a tensor of n, -1 for zeros. Without n it has no gradients.
func (s *Scope) Arrangement(rows []int64, n int) Arrangement {
	a := Arrangement{rows: s.Integers(rows, int64(len(rows)))}
	places := make([]int64, n)
	for i := range places {
		places[i] = -1
	}
	unique := n > 0
	for k, row := range rows {
		if row < 0 || !unique {
			continue
		}
		unique = places[row] < 0
		places[row] = int64(k)
	}
	if unique {
		a.places = s.Integers(places, int64(n))
	}
	return a
}

// Arrange returns rows of x.
func (s *Scope) Arrange(x *ts.Tensor, a Arrangement) *ts.Tensor {
	if a.places == nil {
		return s.Rows(x, a.rows)
	}
	if s.Err != nil {
		return nil
	}
	defer runtime.KeepAlive([]*ts.Tensor{x, a.rows, a.places})
	var y unsafe.Pointer
	return s.keepTensor(&y, C.sentweave_arrange(x.Ctensor(), a.rows.Ctensor(), a.places.Ctensor(), &y))
}
