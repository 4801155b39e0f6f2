//go:build libtorch

package native

import (
	"cmp"
	"unsafe"

	"github.com/sugarme/gotch/ts"
)

// Scope owns the tensors of a piece of work: a layer without gradients, a step
// with them. Its methods are the operations of libtorch; each adds its result to
// the scope and returns it. After the first error they do nothing, so that a
// forward pass reads as a formula and Err is looked at once.
type Scope struct {
	Tensors []*ts.Tensor
	Err     error
}

// Free drops every tensor of the scope.
func (s *Scope) Free() {
	for _, t := range s.Tensors {
		t.MustDrop()
	}
	s.Tensors = s.Tensors[:0]
}

// Take removes the scope's last result, for its caller to own.
func (s *Scope) Take(t *ts.Tensor) *ts.Tensor {
	for i := len(s.Tensors) - 1; i >= 0; i-- {
		if s.Tensors[i] == t {
			s.Tensors = append(s.Tensors[:i], s.Tensors[i+1:]...)
			break
		}
	}
	return t
}

// Keep adds the result of an operation of gotch, or its error.
func (s *Scope) Keep(t *ts.Tensor, err error) *ts.Tensor {
	if err != nil {
		s.Err = err
		return nil
	}
	s.Tensors = append(s.Tensors, t)
	return t
}

// Integers returns a tensor of the numbers in the shape.
func (s *Scope) Integers(data []int64, shape ...int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(NewTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, int64s))
}

// Integers32 returns a tensor of the numbers in the shape.
func (s *Scope) Integers32(data []int32, shape ...int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(NewTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, int32s))
}

// Floats returns a tensor of the numbers in the shape.
func (s *Scope) Floats(data []float32, shape ...int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(NewTensor(unsafe.Pointer(unsafe.SliceData(data)), shape, Float32s))
}

// Embedding returns the rows of a table at indices.
func (s *Scope) Embedding(table, indices *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(ts.Embedding(table, indices, -1, false, false))
}

// Linear returns x W^T + b.
func (s *Scope) Linear(x *ts.Tensor, l Linear) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(ts.Linear(x, l.Weight, cmp.Or(l.Bias, &ts.Tensor{}))) // one that is not defined
}

// Add returns x + y.
func (s *Scope) Add(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Add(y, false))
}

// Subtract returns x − y.
func (s *Scope) Subtract(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Sub(y, false))
}

// Absolute returns |x|.
func (s *Scope) Absolute(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Abs(false))
}

// Multiply returns the product of each two elements.
func (s *Scope) Multiply(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Mul(y, false))
}

// ReLU returns max(0, x).
func (s *Scope) ReLU(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Relu(false))
}

// Tanh returns the hyperbolic tangent of x.
func (s *Scope) Tanh(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Tanh(false))
}

// Sigmoid returns 1 / (1 + exp(−x)).
func (s *Scope) Sigmoid(x *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Sigmoid(false))
}

// Reshape returns x in another shape of as many elements.
func (s *Scope) Reshape(x *ts.Tensor, shape ...int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Reshape(shape, false))
}

// Spread repeats x along a new first dimension, [count, …], and returns the rows of
// all, [count × length, size].
func (s *Scope) Spread(x *ts.Tensor, count, length, size int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Reshape(s.Keep(x.Expand([]int64{count, length, size}, false, false)), count*length, size)
}

// Transpose swaps two dimensions.
func (s *Scope) Transpose(x *ts.Tensor, a, b int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Transpose(a, b, false))
}

// Narrow returns the slice [start, start+length) of a dimension.
func (s *Scope) Narrow(x *ts.Tensor, dimension, start, length int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Narrow(dimension, start, length, false))
}

// Pick returns the slice at an index of a dimension, without that dimension.
func (s *Scope) Pick(x *ts.Tensor, dimension, index int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Select(dimension, index, false))
}

// Concatenate joins tensors along a dimension. A single one is returned as it is.
func (s *Scope) Concatenate(dimension int64, list ...*ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	if len(list) == 1 {
		return list[0]
	}
	return s.Keep(ts.Cat(list, dimension))
}

// Rows returns the rows of x at the indices.
func (s *Scope) Rows(x, indices *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.IndexSelect(0, indices, false))
}

// Top returns the k greatest numbers of each row, and where they are in it, the
// greatest first.
func (s *Scope) Top(x *ts.Tensor, k int) (values, indices *ts.Tensor) {
	if s.Err != nil {
		return nil, nil
	}
	values, indices, err := x.Topk(int64(k), 1, true, true, false)
	if err != nil {
		s.Err = err
		return nil, nil
	}
	return s.Keep(values, nil), s.Keep(indices, nil)
}

// Mean returns the mean along a dimension.
func (s *Scope) Mean(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.MeanDim([]int64{dimension}, false, x.DType(), false))
}

// Sum returns the sum along a dimension, which is kept with the length 1 or dropped.
func (s *Scope) Sum(x *ts.Tensor, dimension int64, keep bool) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.SumDimIntlist([]int64{dimension}, keep, x.DType(), false))
}

// LogSumExp returns the logarithm of the sum of the exponentials along a dimension.
func (s *Scope) LogSumExp(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Logsumexp([]int64{dimension}, false, false))
}

// Cosines returns those of the rows of x and y, in float32.
func (s *Scope) Cosines(x, y *ts.Tensor) *ts.Tensor {
	return s.Sum(s.Multiply(s.Normalize(x), s.Normalize(y)), 1, false)
}

// Like returns x in the type of y.
func (s *Scope) Like(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil || x.DType() == y.DType() {
		return x
	}
	return s.Keep(x.Totype(y.DType(), false))
}

// SquaredError is the mean of the squared differences of x and y.
func (s *Scope) SquaredError(x, y *ts.Tensor) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	const mean = 1
	return s.Keep(x.MseLoss(y, mean, false))
}

// Maximum returns the greatest values along a dimension.
func (s *Scope) Maximum(x *ts.Tensor, dimension int64) *ts.Tensor {
	if s.Err != nil {
		return nil
	}
	return s.Keep(x.Amax([]int64{dimension}, false, false))
}

// Classes returns labels as a tensor.
func (s *Scope) Classes(labels []int32) *ts.Tensor {
	list := make([]int64, len(labels))
	for i, l := range labels {
		list[i] = int64(l)
	}
	return s.Integers(list, int64(len(list)))
}
