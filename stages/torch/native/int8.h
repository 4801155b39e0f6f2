// Products of whole numbers in 8 bits, for inference on the CPU. A row of x is divided by its greatest absolute value over 127, a
// column of the weight by its own, and both are rounded to the nearest whole number; the sums of products are exact in 32 bits. So
// a row of the result depends on that row of x alone, whatever rows are beside it and however many threads compute.
#pragma once

#include "bridge.h"

namespace int8 {

// Rows are x over the scales of its rows: [rows, size] in 8 bits, and [rows].
struct Rows {
  at::Tensor values, scales;
};

Rows rows(const at::Tensor &x);

// weight returns that of a linear layer, [outputs, inputs], as [inputs, outputs] with a scale for each output.
at::Tensor weight(const at::Tensor &linear);

// linear is x W^T + b in float32, and activated the rows of what an activation makes of it.
at::Tensor linear(const Rows &x, const at::Tensor &weight, const at::Tensor &bias);
Rows activated(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, int activation);

} // namespace int8
