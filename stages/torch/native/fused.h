// The kernels of fused.cu on tensors of libtorch, as operations that have gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace fused {

// source are the kernels; NVRTC compiles them for a hidden size when they are first wanted.
void source(const char *text);

// ready says whether the kernels run for tensors as x, [rows, hidden] in bfloat16 on a GPU, and so many
// values in the rows between the two products of a layer. Where NVRTC or the driver lacks, or the size is no
// multiple of 64, it is false, and why says so.
bool ready(const at::Tensor &x, int64_t hidden);
std::string why();

// The norm of residual + dropout(x W^T + b).
at::Tensor add_norm(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &residual, const at::Tensor &norm_weight,
                    const at::Tensor &norm_bias, double epsilon, double dropout);

// GELU(x W^T + b).
at::Tensor linear_gelu(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias);

// Attention of all sequences at once, of which query, key and value are products of x. The six are the weights
// and the biases of these.
at::Tensor attention(const at::Tensor &x, const at::Tensor *six, const at::Tensor &ends, int64_t longest, int64_t heads, double dropout);

// The mean negative log likelihood of targets, given logits in bfloat16, in float32. Whether it is there says ready_for.
bool ready_for(const at::Tensor &logits);
at::Tensor cross_entropy(const at::Tensor &logits, const at::Tensor &targets);

// Rows of x, -1 being zeros.
at::Tensor pick(const at::Tensor &x, const at::Tensor &rows);

} // namespace fused
