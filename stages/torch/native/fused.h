// The kernels of fused.cu and attention.cu on tensors of libtorch, as operations that have gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fused {

// enabled is off where operations of libtorch are wanted in the place of kernels.
inline bool enabled = true;

// source are the kernels; NVRTC compiles the first ones for a hidden size and the others for a head size when they are first wanted.
void source(const char *fused, const char *attention);

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

// Updated is a parameter with its gradient and its moments, all of them float32 on a GPU, its decay and its factor of the rate, and
// whether LAMB adapts its step.
struct Updated {
  at::Tensor parameter, gradient, first, second;
  double decay, rate;
  bool adapts;
};

// Step is the number of a step, from 1, and what it has for all parameters.
struct Step {
  int64_t number;
  double rate, beta1, beta2, epsilon;
};

// lamb takes a step of LAMB over all parameters at once, and leaves updates where gradients were. Whether it is there says
// ready_to_step: where kernels of an encoder run.
bool ready_to_step();
void lamb(const std::vector<Updated> &list, const Step &step);

// Rows of x, -1 being zeros.
at::Tensor pick(const at::Tensor &x, const at::Tensor &rows);

} // namespace fused
