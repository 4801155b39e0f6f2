// Forced in ahead of gotch v0.9.1's torch_api.cpp, which was made for libtorch 2.1,
// so that it compiles unedited with libtorch 2.1 to 2.11. What is declared in
// namespace torch itself hides the operator that torch:: sees by its using
// directive, so each function below replaces one operator.
#pragma once
#ifdef __cplusplus
#include <stdexcept>
#include <tuple>

#include <torch/torch.h>
#include <torch/version.h>

namespace torch {

// gotch hands over an undefined tensor for no mask, which libtorch refuses.
inline at::Tensor scaled_dot_product_attention(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                                               const at::Tensor &mask, double dropout, bool causal,
                                               c10::optional<double> scale) {
  c10::optional<at::Tensor> optional_mask;
  if (mask.defined()) optional_mask = mask;
  return at::scaled_dot_product_attention(query, key, value, optional_mask, dropout, causal, scale);
}

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
// These took other arguments in 2.1. Nothing here calls them.
template <class... Arguments> at::Tensor _cslt_sparse_mm(const Arguments &...) {
  throw std::runtime_error("_cslt_sparse_mm: gotch cannot call it on this libtorch");
}
template <class... Arguments> std::tuple<at::Tensor, at::Tensor> _scaled_mm(const Arguments &...) {
  throw std::runtime_error("_scaled_mm: gotch cannot call it on this libtorch");
}
template <class... Arguments> std::tuple<at::Tensor, at::Tensor> _scaled_mm_out(const Arguments &...) {
  throw std::runtime_error("_scaled_mm_out: gotch cannot call it on this libtorch");
}
#endif

} // namespace torch
#endif
