//go:build libtorch

package native

import "github.com/sugarme/gotch/ts"

// Linear are the weight and the bias of a linear layer or of a LayerNorm.
type Linear struct{ Weight, Bias *ts.Tensor }
