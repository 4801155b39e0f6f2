//go:build libtorch

#include "native.h"

#include <ATen/autocast_mode.h>
#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Tensors = std::vector<at::Tensor>;

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
    torch::NoGradGuard no_grad;
    body();
  });
}

at::Device device = at::kCPU;
bool reduced = false;

// autocast turns libtorch's choice of bfloat16 for matrix products on or off, for
// the thread.
void autocast(bool on) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 4
  at::autocast::set_autocast_dtype(device.type(), at::kBFloat16);
  at::autocast::set_autocast_enabled(device.type(), on);
#else
  if (device.is_cuda()) {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
#endif
  if (!on) at::autocast::clear_cache(); // of weights, which the next step changes
}

at::Tensor &of(void *tensor) { return *static_cast<at::Tensor *>(tensor); }

// with_gradients collects the parameters that have a gradient, their gradients and
// their places in the list.
struct Gradients {
  Tensors parameters, gradients;
  std::vector<int> places;

  Gradients(void **list, int n) {
    for (int i = 0; i < n; i++) {
      at::Tensor &p = of(list[i]);
      if (!p.grad().defined()) continue;
      parameters.push_back(p);
      gradients.push_back(p.mutable_grad());
      places.push_back(i);
    }
  }

  Tensors of_places(void **list) const {
    Tensors tensors;
    for (int i : places) tensors.push_back(of(list[i]));
    return tensors;
  }
};

// moments updates both moments by the gradients.
void moments(const Tensors &first, const Tensors &second, const Tensors &gradients, double beta1, double beta2) {
  at::_foreach_lerp_(first, gradients, 1 - beta1);
  at::_foreach_mul_(second, beta2);
  at::_foreach_addcmul_(second, gradients, gradients, 1 - beta2);
}

// denominators returns sqrt(second / (1 - beta2^step)) + epsilon.
Tensors denominators(const Tensors &second, double beta2, double epsilon, int64_t step) {
  Tensors d = at::_foreach_sqrt(second);
  at::_foreach_div_(d, std::sqrt(1 - std::pow(beta2, step)));
  at::_foreach_add_(d, epsilon);
  return d;
}

} // namespace

void sentweave_set_threads(int threads) { at::set_num_threads(threads); }
int sentweave_threads(void) { return at::get_num_threads(); }
const char *sentweave_version(void) { return TORCH_VERSION; }

char *sentweave_use(const char *name, int bfloat16) {
  return guarded([&] {
    at::Device wanted(name);
    if (wanted.is_cuda()) {
      setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0); // without it cuBLAS may add in any order
      if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) throw std::runtime_error(dlerror());
      if (!torch::cuda::is_available()) throw std::runtime_error("no GPU and driver that this libtorch can use");
      if (wanted.has_index() && wanted.index() >= (int)torch::cuda::device_count())
        throw std::runtime_error("there are only " + std::to_string(torch::cuda::device_count()) + " GPUs");
      // Attention gives the same bits only where that is required: where a warning is enough, it adds in any order.
      at::globalContext().setDeterministicAlgorithms(true, false);
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 2
      at::globalContext().setDeterministicFillUninitializedMemory(false); // nothing reads it
#endif
    }
    device = wanted;
    reduced = bfloat16;
  });
}

void sentweave_begin(void) {
  if (reduced) autocast(true);
}

void sentweave_end(void) {
  if (reduced) autocast(false);
}

int sentweave_on_cpu(void) { return device.is_cpu(); }

char *sentweave_tensor(const void *data, const int64_t *shape, int dimensions, int type, void **tensor) {
  static const at::ScalarType types[] = {at::kFloat, at::kHalf, at::kBFloat16, at::kLong};
  return guarded([&] {
    at::Tensor t = at::empty(at::IntArrayRef(shape, dimensions), types[type]);
    std::memcpy(t.data_ptr(), data, t.nbytes());
    *tensor = new at::Tensor(t.to(device));
  });
}

char *sentweave_floats(void *tensor, float *data, int64_t n) {
  return guarded([&] {
    at::Tensor t = of(tensor).detach().to(at::kCPU, at::kFloat).contiguous();
    if (t.numel() != n) throw std::runtime_error("the tensor has another number of elements");
    std::memcpy(data, t.data_ptr<float>(), n * sizeof(float));
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

char *sentweave_gelu(void *x, void **y) {
  return recorded([&] { *y = new at::Tensor(at::gelu(of(x))); });
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

char *sentweave_attention(void *query, void *key, void *value, void *mask, const int64_t *groups, int n, int64_t heads,
                          double dropout, void **mixed) {
  return recorded([&] {
    Tensors parts;
    int64_t offset = 0;
    for (int i = 0; i < n; i++) {
      int64_t count = groups[2 * i], length = groups[2 * i + 1];
      auto split = [&](void *x) {
        return of(x).narrow(0, offset, count * length).view({count, length, heads, -1}).transpose(1, 2);
      };
      at::Tensor q = split(query), k = split(key), v = split(value);
      at::Tensor o = mask ? at::scaled_dot_product_attention(q, k, v, of(mask).to(q.scalar_type()), dropout)
                          : at::scaled_dot_product_attention(q, k, v, {}, dropout);
      parts.push_back(o.transpose(1, 2).reshape({count * length, -1}));
      offset += count * length;
    }
    *mixed = new at::Tensor(n == 1 ? parts[0] : at::cat(parts));
  });
}

void sentweave_seed(uint64_t seed) { torch::manual_seed(seed); }

char *sentweave_normal(float *data, int64_t n, double deviation) {
  return guarded([&] { at::from_blob(data, {n}, at::kFloat).normal_(0, deviation); });
}

char *sentweave_follow(void **tensors, void **ahead, const double *shares, int n) {
  return guarded([&] {
    for (int i = 0; i < n; i++) of(tensors[i]).lerp_(of(ahead[i]), shares[i]);
  });
}

char *sentweave_require_gradient(void *tensor) {
  return guarded([&] { of(tensor).requires_grad_(true); });
}

char *sentweave_zero_gradients(void **parameters, int n) {
  return guarded([&] {
    for (int i = 0; i < n; i++) of(parameters[i]).mutable_grad().reset(); // freed, not zeroed: less memory
  });
}

char *sentweave_gradient_norm(void **parameters, int n, double *norm) {
  return guarded([&] {
    Gradients g(parameters, n);
    *norm = 0;
    if (g.gradients.empty()) return;
    *norm = at::stack(at::_foreach_norm(g.gradients)).to(at::kDouble).norm().item<double>();
  });
}

char *sentweave_scale_gradients(void **parameters, int n, double factor) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (!g.gradients.empty()) at::_foreach_mul_(g.gradients, factor);
  });
}

char *sentweave_adam(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     int decoupled, int n, double rate, double beta1, double beta2, double epsilon, int64_t step) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (g.gradients.empty()) return;
    Tensors m = g.of_places(first), v = g.of_places(second);
    for (size_t i = 0; i < g.places.size(); i++) {
      double d = decay[g.places[i]];
      if (d == 0) continue;
      if (decoupled) g.parameters[i].mul_(1 - rate * rates[g.places[i]] * d);
      else g.gradients[i].add_(g.parameters[i], d);
    }
    moments(m, v, g.gradients, beta1, beta2);
    std::vector<at::Scalar> factors;
    for (size_t place : g.places) factors.push_back(-rate * rates[place] / (1 - std::pow(beta1, step)));
    at::_foreach_addcdiv_(g.parameters, m, denominators(v, beta2, epsilon, step), factors);
  });
}

char *sentweave_lamb(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     const uint8_t *adapt, int n, double rate, double beta1, double beta2, double epsilon, int64_t step) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (g.gradients.empty()) return;
    Tensors m = g.of_places(first), v = g.of_places(second);
    moments(m, v, g.gradients, beta1, beta2);
    Tensors update = at::_foreach_div(m, 1 - std::pow(beta1, step));
    at::_foreach_div_(update, denominators(v, beta2, epsilon, step));
    for (size_t i = 0; i < update.size(); i++) {
      double d = decay[g.places[i]];
      if (d != 0) update[i].add_(g.parameters[i], d);
    }
    Tensors weights = at::_foreach_norm(g.parameters), updates = at::_foreach_norm(update);
    // The ratios stay tensors, so that a device is not waited for.
    for (size_t i = 0; i < update.size(); i++) {
      if (adapt[g.places[i]]) {
        at::Tensor both = weights[i].gt(0).logical_and(updates[i].gt(0));
        update[i].mul_(at::where(both, weights[i] / updates[i], at::ones_like(weights[i])));
      }
      double factor = rates[g.places[i]];
      if (factor != 1) update[i].mul_(factor);
    }
    at::_foreach_add_(g.parameters, update, -rate);
  });
}
