//go:build libtorch

package torch

import (
	"unsafe"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"sentweave/stages/model"
)

// scope owns the tensors of a piece of work: a layer without gradients, a step
// with them. Its methods are the operations of libtorch; each adds its result to
// the scope and returns it. After the first error they do nothing, so that a
// forward pass reads as a formula and err is looked at once.
type scope struct {
	tensors []*ts.Tensor
	err     error
}

// free drops every tensor of the scope.
func (s *scope) free() {
	for _, t := range s.tensors {
		t.MustDrop()
	}
	s.tensors = s.tensors[:0]
}

// take removes the scope's last result, for its caller to own.
func (s *scope) take(t *ts.Tensor) *ts.Tensor {
	for i := len(s.tensors) - 1; i >= 0; i-- {
		if s.tensors[i] == t {
			s.tensors = append(s.tensors[:i], s.tensors[i+1:]...)
			break
		}
	}
	return t
}

func (s *scope) keep(t *ts.Tensor, err error) *ts.Tensor {
	if err != nil {
		s.err = err
		return nil
	}
	s.tensors = append(s.tensors, t)
	return t
}

// integers returns a tensor of the numbers in the shape.
func (s *scope) integers(data []int64, shape ...int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(newTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, int64s))
}

// integers32 returns a tensor of the numbers in the shape.
func (s *scope) integers32(data []int32, shape ...int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(newTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, int32s))
}

// floats returns a tensor of the numbers in the shape.
func (s *scope) floats(data []float32, shape ...int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(newTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, float32s))
}

func (s *scope) embedding(table, indices *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(ts.Embedding(table, indices, -1, false, false))
}

// linear returns x W^T + b.
func (s *scope) linear(x *ts.Tensor, l linear) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(ts.Linear(x, l.weight, l.bias))
}

// layerNorm has the type of x. Its statistics are in float32.
func (s *scope) layerNorm(x *ts.Tensor, n linear, epsilon float64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(layerNorm(x, n, epsilon))
}

// addNorm is the norm of residual + dropout(x W^T + b). It draws from the generator if the
// dropout is above 0.
func (s *scope) addNorm(x *ts.Tensor, l linear, residual *ts.Tensor, n linear, epsilon, dropout float64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(addNorm(x, l, residual, n, epsilon, dropout))
}

// linearGELU is the exact GELU, by the error function, of x W^T + b.
func (s *scope) linearGELU(x *ts.Tensor, l linear) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(linearGELU(x, l))
}

// dropout draws from the generator if p is above 0, and returns x otherwise.
func (s *scope) dropout(x *ts.Tensor, p float64) *ts.Tensor {
	if s.err != nil || p == 0 {
		return x
	}
	return s.keep(ts.Dropout(x, p, true))
}

func (s *scope) add(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Add(y, false))
}

func (s *scope) subtract(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Sub(y, false))
}

func (s *scope) absolute(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Abs(false))
}

func (s *scope) multiply(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Mul(y, false))
}

func (s *scope) divide(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Div(y, false))
}

// scale returns x times a number.
func (s *scope) scale(x *ts.Tensor, factor float64) *ts.Tensor {
	if s.err != nil || factor == 1 {
		return x
	}
	return s.keep(scaled(x, factor))
}

// gelu is the exact one, by the error function.
func (s *scope) gelu(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(gelu(x))
}

func (s *scope) relu(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Relu(false))
}

func (s *scope) tanh(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Tanh(false))
}

func (s *scope) sigmoid(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Sigmoid(false))
}

// product is the product of two matrices, in float32.
func (s *scope) product(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(product(x, y))
}

func (s *scope) reshape(x *ts.Tensor, shape ...int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Reshape(shape, false))
}

// spread repeats x along a new first dimension, [count, …], and returns the rows of
// all, [count × length, size].
func (s *scope) spread(x *ts.Tensor, count, length, size int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.reshape(s.keep(x.Expand([]int64{count, length, size}, false, false)), count*length, size)
}

func (s *scope) transpose(x *ts.Tensor, a, b int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Transpose(a, b, false))
}

// narrow returns the slice [start, start+length) of a dimension.
func (s *scope) narrow(x *ts.Tensor, dimension, start, length int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Narrow(dimension, start, length, false))
}

// pick returns the slice at an index of a dimension, without that dimension.
func (s *scope) pick(x *ts.Tensor, dimension, index int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Select(dimension, index, false))
}

func (s *scope) concatenate(dimension int64, list ...*ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	if len(list) == 1 {
		return list[0]
	}
	return s.keep(ts.Cat(list, dimension))
}

// rows returns the rows of x at the indices.
func (s *scope) rows(x, indices *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.IndexSelect(0, indices, false))
}

// arrangement says which rows of a tensor stand in another one.
type arrangement struct {
	rows *ts.Tensor
	// places are those of the rows there, -1 for rows that are not; nil if a row is there twice, or
	// nobody asks for gradients.
	places *ts.Tensor
}

// arrangement is that of rows of a tensor of n, -1 for zeros. Without n it has no gradients.
func (s *scope) arrangement(rows []int64, n int) arrangement {
	a := arrangement{rows: s.integers(rows, int64(len(rows)))}
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
		a.places = s.integers(places, int64(n))
	}
	return a
}

// arrange returns rows of x.
func (s *scope) arrange(x *ts.Tensor, a arrangement) *ts.Tensor {
	if a.places == nil {
		return s.rows(x, a.rows)
	}
	if s.err != nil {
		return nil
	}
	return s.keep(arrange(x, a))
}

// top returns the k greatest numbers of each row, and where they stand in it, the
// greatest first.
func (s *scope) top(x *ts.Tensor, k int) (values, indices *ts.Tensor) {
	if s.err != nil {
		return nil, nil
	}
	values, indices, err := x.Topk(int64(k), 1, true, true, false)
	if err != nil {
		s.err = err
		return nil, nil
	}
	return s.keep(values, nil), s.keep(indices, nil)
}

func (s *scope) mean(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.MeanDim([]int64{dimension}, false, x.DType(), false))
}

func (s *scope) sum(x *ts.Tensor, dimension int64, keep bool) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.SumDimIntlist([]int64{dimension}, keep, x.DType(), false))
}

// logSumExp returns the logarithm of the sum of the exponentials along a dimension.
func (s *scope) logSumExp(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Logsumexp([]int64{dimension}, false, false))
}

// cosines returns those of the rows of x and y, in float32.
func (s *scope) cosines(x, y *ts.Tensor) *ts.Tensor {
	return s.sum(s.multiply(s.normalize(x), s.normalize(y)), 1, false)
}

// float32 returns x as float32, whatever the precision of products.
func (s *scope) float32(x *ts.Tensor) *ts.Tensor {
	if s.err != nil || x.DType() == gotch.Float {
		return x
	}
	return s.keep(exact(x))
}

// like returns x in the type of y.
func (s *scope) like(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil || x.DType() == y.DType() {
		return x
	}
	return s.keep(x.Totype(y.DType(), false))
}

// squaredError is the mean of the squared differences of x and y.
func (s *scope) squaredError(x, y *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	const mean = 1
	return s.keep(x.MseLoss(y, mean, false))
}

func (s *scope) maximum(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(x.Amax([]int64{dimension}, false, false))
}

// normalize returns the rows of x divided by their norms.
func (s *scope) normalize(x *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(normalized(x, 1e-12))
}

// attention is scaled dot-product attention inside of each sequence of the layout,
// whose tokens stand in one list, [tokens, hidden]: query, key and value are products of x.
func (s *scope) attention(x *ts.Tensor, query, key, value linear, sequences layout, heads int, dropout float64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(attention(x, query, key, value, sequences, heads, dropout))
}

// pool returns one vector a sequence of the groups, [count, size], from those of their tokens,
// [tokens, size]: means, the greatest values, or those of the first tokens. The first tokens of
// a sequence may be left out, but never the last one. Means are float32.
func (s *scope) pool(x *ts.Tensor, groups []group, pooling model.Pooling, skipped int64) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(pool(x, groups, pooling, skipped))
}

// crossEntropy is the mean over the rows of logits of the negative log
// likelihood of their targets, in float32.
func (s *scope) crossEntropy(logits, targets *ts.Tensor) *ts.Tensor {
	if s.err != nil {
		return nil
	}
	return s.keep(crossEntropy(logits, targets))
}
