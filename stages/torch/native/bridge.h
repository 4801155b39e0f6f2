// What the files of C++ here share: the device, errors as messages, and handles of tensors.
#pragma once

#include "native.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/version.h>

#include <cstring>
#include <vector>

namespace bridge {

using Tensors = std::vector<at::Tensor>;

// device is that of new tensors. Products are in bfloat16 between begin and end if they are reduced.
inline at::Device device = at::kCPU;
inline bool reduced = false;

// recorded runs a body whose operations have gradients.
template <class Body> char *recorded(Body body) {
  try {
    body();
    return nullptr;
  } catch (const c10::Error &e) {
    return strdup(e.what_without_backtrace());
  } catch (const std::exception &e) {
    return strdup(e.what());
  }
}

// guarded runs a body without gradients.
template <class Body> char *guarded(Body body) {
  return recorded([&] {
    at::NoGradGuard no_grad;
    body();
  });
}

// uploaded returns a tensor on the device that was filled on the host. A GPU copies small
// ones, those of batches, from pinned memory while it computes.
template <class Make, class Fill> at::Tensor uploaded(Make make, Fill fill) {
  at::Tensor host = make(at::TensorOptions());
  if (device.is_cuda() && host.nbytes() <= 64 << 20) host = make(at::TensorOptions().pinned_memory(true));
  fill(host);
  return host.to(device, /*non_blocking=*/true);
}

// over pools tokens, [count, length, size], by a kind of native.h.
inline at::Tensor over(const at::Tensor &tokens, int kind) {
  if (kind == SENTWEAVE_MAX) return tokens.amax(1);
  if (kind == SENTWEAVE_FIRST) return tokens.select(1, 0);
  return tokens.mean(1, false, at::kFloat);
}

// activated is what an activation of native.h makes of x.
inline at::Tensor activated(const at::Tensor &x, int activation) {
  switch (activation) {
  case SENTWEAVE_GELU_TANH: return at::gelu(x, "tanh");
  case SENTWEAVE_RELU: return at::relu(x);
  case SENTWEAVE_TANH: return at::tanh(x);
  }
  return at::gelu(x);
}

inline at::Tensor &of(void *tensor) { return *static_cast<at::Tensor *>(tensor); }

// given is a tensor that is not defined where there is none.
inline at::Tensor given(void *tensor) { return tensor ? of(tensor) : at::Tensor(); }

} // namespace bridge
