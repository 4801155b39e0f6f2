// Products of both sides' reduced numbers, row by row, for inference on the CPU: in bfloat16, or in whole numbers of 8 bits. There a
// row of x is divided by its greatest absolute value over 127, a column of the weight by its own, and both are rounded to the nearest
// whole number; the sums of products are exact in 32 bits. With AMX rows are multiplied in blocks of 32 or 64, which add
// products in one order. So a row of the result depends on that row of x alone, whatever rows are beside it and however many threads
// compute.
#pragma once

#include "bridge.h"

namespace rows {

// Rows are count rows in 8 bits over their scales, or in bfloat16 without scales. Values have rows up to a multiple of a block's.
struct Rows {
  int64_t count;
  at::Tensor values, scales;
};

// Norm is that of what a layer adds to a list.
struct Norm {
  const at::Tensor &weight, &bias;
  double epsilon;
};

// quantized and reduced return the weight of a linear layer, [outputs, inputs], in 8 bits with a scale for each output, and in bfloat16,
// in the order of AMX's tiles where this processor has them. Without, reduced is undefined; else it is [outputs / 64, inputs, 64].
at::Tensor quantized(const at::Tensor &linear);
at::Tensor reduced(const at::Tensor &linear);

// takes says whether a weight is one of the above, and outputs how many outputs it has.
bool takes(const at::Tensor &weight);
int64_t outputs(const at::Tensor &weight);

// of returns the rows of x, as a weight has them.
Rows of(const at::Tensor &x, const at::Tensor &weight);

// linear is x W^T + b in float32, activated the rows of what an activation makes of it, and normed the norm of its sum with residual, of
// which reduced, unless it is null, becomes the rows for a weight of the same kind.
at::Tensor linear(const Rows &x, const at::Tensor &weight, const at::Tensor &bias);
Rows activated(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, int activation);
at::Tensor normed(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &residual, const Norm &norm,
                  Rows *reduced = nullptr);

// longest is the number of tokens up to which sequences are attended to here: libtorch's flash attention has more to set up for each
// sequence, and less to do for each token.
const int64_t longest = 128;

// attention is scaled dot-product attention inside of each sequence of the groups, in float32; what is not that of sequences up to the
// longest is not set. It is an undefined tensor where heads have other sizes than multiples of 16.
at::Tensor attention(const at::Tensor *queries_keys_values, const std::vector<int64_t> &groups, int64_t heads);

} // namespace rows
