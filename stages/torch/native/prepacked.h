// Products with weights in the order in which oneDNN reads them, for inference on the CPU. The order depends on the processor, and
// weights that are in it are not brought into it again for each product.
#pragma once

#include "bridge.h"

namespace prepacked {

// weight returns that of a linear layer in such an order, in bfloat16 where products are reduced; an undefined tensor where this
// libtorch or this processor has no such products.
at::Tensor weight(const at::Tensor &linear);

// linear is what an activation of native.h, or none below 0, makes of x W^T + b, in the type of the weight.
at::Tensor linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, int activation = -1);

} // namespace prepacked
