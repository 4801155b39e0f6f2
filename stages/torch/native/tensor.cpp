//go:build libtorch

#include "bridge.h"
#include "dropout.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <stdexcept>

using namespace bridge;

char *sentweave_tensor(const void *data, const int64_t *shape, int dimensions, int type, void **tensor) {
  static const at::ScalarType types[] = {at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kDouble};
  return guarded([&] {
    at::Tensor t = uploaded([&](at::TensorOptions where) { return at::empty(at::IntArrayRef(shape, dimensions), where.dtype(types[type])); },
                            [&](at::Tensor &host) { std::memcpy(host.data_ptr(), data, host.nbytes()); });
    *tensor = new at::Tensor(t);
  });
}

char *sentweave_floats(void *tensor, float *data, int64_t n) {
  return guarded([&] {
    at::Tensor t = of(tensor).detach().to(at::kCPU, at::kFloat).contiguous();
    if (t.numel() != n) throw std::runtime_error("the tensor has another number of elements");
    std::memcpy(data, t.data_ptr<float>(), n * sizeof(float));
  });
}

char *sentweave_finite(void *tensor, int *finite) {
  return guarded([&] {
    const at::Tensor &t = of(tensor);
    *finite = 1;
    if (!t.numel()) return;
    auto [least, greatest] = at::aminmax(t); // both are NaN where one number is
    *finite = std::isfinite(least.item<double>()) && std::isfinite(greatest.item<double>());
  });
}

char *sentweave_rows(void *tensor, float *data, int64_t n, const int64_t *places, int64_t count) {
  return guarded([&] {
    at::Tensor t = of(tensor).detach().to(at::kCPU, at::kFloat).contiguous();
    if (t.dim() != 2 || t.size(0) != count) throw std::runtime_error("the tensor has another number of rows");
    int64_t size = t.size(1);
    const float *row = t.data_ptr<float>();
    for (int64_t i = 0; i < count; i++, row += size)
      if ((places[i] + 1) * size <= n) std::memcpy(data + places[i] * size, row, size * sizeof(float));
  });
}

char *sentweave_scale(void *x, double factor, void **y) {
  return recorded([&] { *y = new at::Tensor(of(x) * factor); });
}

char *sentweave_normalize(void *x, double least, void **y) {
  return recorded([&] {
    at::Tensor t = of(x).to(at::kFloat);
    *y = new at::Tensor(t / t.norm(2, {-1}, true).clamp_min(least));
  });
}

char *sentweave_product(void *x, void *y, void **z) {
  return recorded([&] {
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKeySet({c10::DispatchKey::AutocastCPU, c10::DispatchKey::AutocastCUDA}));
    *z = new at::Tensor(at::matmul(of(x).to(at::kFloat), of(y).to(at::kFloat)));
  });
}

char *sentweave_exact(void *x, void **y) {
  return recorded([&] { *y = new at::Tensor(of(x).to(at::kFloat)); });
}

void sentweave_seed(uint64_t seed) {
  at::manual_seed(seed);
  dropout::seed(seed);
}

char *sentweave_normal(float *data, int64_t n, double deviation) {
  return guarded([&] { at::from_blob(data, {n}, at::kFloat).normal_(0, deviation); });
}

char *sentweave_require_gradient(void *tensor) {
  return guarded([&] { of(tensor).requires_grad_(true); });
}

char *sentweave_backward(void *y, void *gradient) {
  return recorded([&] { torch::autograd::backward({of(y)}, {of(gradient)}); });
}
