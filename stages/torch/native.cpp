//go:build libtorch

#include "native.h"
#include "fused.h"

#include <ATen/autocast_mode.h>
#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
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

// uploaded returns a tensor on the device that was filled on the host. A GPU copies small
// ones, those of batches, from pinned memory while it computes.
template <class Make, class Fill> at::Tensor uploaded(Make make, Fill fill) {
  at::Tensor host = make(at::TensorOptions());
  if (device.is_cuda() && host.nbytes() <= 64 << 20) host = make(at::TensorOptions().pinned_memory(true));
  fill(host);
  return host.to(device, /*non_blocking=*/true);
}

at::Tensor &of(void *tensor) { return *static_cast<at::Tensor *>(tensor); }

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
const bool has_flash = true;
#else
const bool has_flash = false; // its gradients are added in any order there
#endif

bool always_pads = false;

// pads says whether sequences of several lengths are padded where something needs them side by side: a
// GPU is faster with one large piece of work than with many small ones.
bool pads() { return !device.is_cpu() || always_pads; }

bool fuse = true;

// fuses says whether own kernels do what stands between products of the rows of x.
bool fuses(const at::Tensor &x, int64_t hidden) { return fuse && fused::ready(x, hidden); }

// layer_norm has the type of x, and statistics and factors in float32.
at::Tensor layer_norm(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, double epsilon) {
  c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKeySet({c10::DispatchKey::AutocastCPU, c10::DispatchKey::AutocastCUDA}));
  return at::layer_norm(x.to(at::kFloat), weight.sizes(), weight, bias, epsilon).to(x.scalar_type());
}

// Arranged has rows of a tensor in another order, -1 being zeros. No row is there twice.
struct Arranged : torch::autograd::Function<Arranged> {
  static at::Tensor pick(const at::Tensor &x, const at::Tensor &rows) {
    if (fuses(x, x.size(1))) return fused::pick(x, rows);
    return x.index_select(0, rows.clamp_min(0)).masked_fill_(rows.lt(0).unsqueeze(1), 0);
  }
  static at::Tensor forward(torch::autograd::AutogradContext *c, const at::Tensor &x, const at::Tensor &rows, const at::Tensor &places) {
    c->save_for_backward({places});
    return pick(x, rows);
  }
  static Tensors backward(torch::autograd::AutogradContext *c, Tensors gradients) {
    return {pick(gradients[0], c->get_saved_variables()[0]), at::Tensor(), at::Tensor()};
  }
};

// Grid is where the tokens of a list stand when its sequences are padded, each without its first
// tokens but for the last one.
struct Grid {
  int64_t count = 0, width;
  at::Tensor rows, places, real, lengths;

  Grid(const int64_t *groups, int n, int64_t longest, int64_t skipped) : width(std::max<int64_t>(1, longest - skipped)) {
    std::vector<int64_t> from, to;
    std::vector<float> kept;
    int64_t token = 0;
    for (int i = 0; i < n; i++) {
      int64_t length = groups[2 * i + 1], without = std::min(skipped, length - 1);
      for (int64_t k = 0; k < groups[2 * i]; k++, count++) {
        for (int64_t j = 0; j < without; j++) to.push_back(-1);
        for (int64_t j = without; j < length; j++) to.push_back(j - without < width ? count * width + j - without : -1);
        for (int64_t j = 0; j < width; j++) from.push_back(without + j < length ? token + without + j : -1);
        kept.push_back(length - without);
        token += length;
      }
    }
    auto tensor = [&](auto &list, at::ScalarType type) {
      return uploaded([&](at::TensorOptions options) { return at::empty({(int64_t)list.size()}, options.dtype(type)); },
                      [&](at::Tensor &host) { std::memcpy(host.data_ptr(), list.data(), host.nbytes()); });
    };
    rows = tensor(from, at::kLong);
    places = tensor(to, at::kLong);
    lengths = tensor(kept, at::kFloat);
    real = rows.ge(0).view({count, width});
  }
  at::Tensor padded(const at::Tensor &x) const { return Arranged::apply(x, rows, places); }
  at::Tensor packed(const at::Tensor &x) const { return Arranged::apply(x, places, rows); }
};

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
  static const at::ScalarType types[] = {at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt};
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

char *sentweave_layer_norm(void *x, void *weight, void *bias, double epsilon, void **y) {
  return recorded([&] { *y = new at::Tensor(layer_norm(of(x), of(weight), of(bias), epsilon)); });
}

char *sentweave_add_norm(void *x, void *weight, void *bias, void *residual, void *norm_weight, void *norm_bias, double epsilon,
                         double dropout, void **y) {
  return recorded([&] {
    at::Tensor r = of(residual);
    if (fuses(r, r.size(1)) && of(weight).scalar_type() == at::kBFloat16) {
      *y = new at::Tensor(fused::add_norm(of(x), of(weight), of(bias), r, of(norm_weight), of(norm_bias), epsilon, dropout));
      return;
    }
    at::Tensor h = at::linear(of(x), of(weight), of(bias));
    if (dropout > 0) h = at::dropout(h, dropout, true);
    *y = new at::Tensor(layer_norm(h.to(r.scalar_type()) + r, of(norm_weight), of(norm_bias), epsilon));
  });
}

char *sentweave_linear_gelu(void *x, void *weight, void *bias, void **y) {
  return recorded([&] {
    const at::Tensor &w = of(weight);
    bool own = w.scalar_type() == at::kBFloat16 && w.size(0) % 8 == 0 && fuses(of(x), of(x).size(1));
    *y = new at::Tensor(own ? fused::linear_gelu(of(x), w, of(bias)) : at::gelu(at::linear(of(x), w, of(bias))));
  });
}

int sentweave_attends_at_once(int64_t head_size) { return has_flash && device.is_cuda() && reduced && head_size % 8 == 0 && head_size <= 256; }

void sentweave_pad(int on) { always_pads = on; }

// pieces_of are the rows of the groups of a list. The gradient of all pieces is one concatenation, where that of a
// narrow for each group would be a list of zeros as long as the whole one.
static Tensors pieces_of(const at::Tensor &list, const int64_t *groups, int n) {
  std::vector<int64_t> rows;
  for (int i = 0; i < n; i++) rows.push_back(groups[2 * i] * groups[2 * i + 1]);
  return list.split_with_sizes(rows, 0);
}

char *sentweave_attention(void *x, void **six, void *ends, const int64_t *groups, int n, int64_t heads, double dropout, void **mixed) {
  return recorded([&] {
    at::Tensor list = of(x), parameters[6], products[3];
    int64_t tokens = list.size(0), longest = 0;
    for (int i = 0; i < n; i++) longest = std::max(longest, groups[2 * i + 1]);
    for (int i = 0; i < 6; i++) parameters[i] = of(six[i]);
    if (ends && fuses(list, list.size(1)) && parameters[0].scalar_type() == at::kBFloat16) {
      *mixed = new at::Tensor(fused::attention(list, parameters, of(ends), longest, heads, dropout));
      return;
    }
    for (int i = 0; i < 3; i++) products[i] = at::linear(list, parameters[i], parameters[i + 3]);
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
    if (ends) {
      auto split = [&](int i) { return products[i].view({tokens, heads, -1}); };
      at::Tensor o = std::get<0>(at::_flash_attention_forward(split(0), split(1), split(2), of(ends), of(ends), longest, longest, dropout, false, false));
      *mixed = new at::Tensor(o.reshape({tokens, -1}));
      return;
    }
#endif
    if (pads() && n > 1) {
      Grid grid(groups, n, longest, 0);
      auto split = [&](int i) { return grid.padded(products[i]).view({grid.count, longest, heads, -1}).transpose(1, 2); };
      at::Tensor q = split(0), mask = at::where(grid.real.view({grid.count, 1, 1, longest}), 0., -INFINITY).to(q.scalar_type());
      at::Tensor o = at::scaled_dot_product_attention(q, split(1), split(2), mask, dropout);
      *mixed = new at::Tensor(grid.packed(o.transpose(1, 2).reshape({grid.count * longest, -1})));
      return;
    }
    Tensors parts;
    Tensors pieces[3];
    for (int i = 0; i < 3; i++) pieces[i] = pieces_of(products[i], groups, n);
    for (int k = 0; k < n; k++) {
      int64_t count = groups[2 * k], length = groups[2 * k + 1];
      auto split = [&](int i) { return pieces[i][k].view({count, length, heads, -1}).transpose(1, 2); };
      at::Tensor o = at::scaled_dot_product_attention(split(0), split(1), split(2), {}, dropout);
      parts.push_back(o.transpose(1, 2).reshape({count * length, -1}));
    }
    *mixed = new at::Tensor(n == 1 ? parts[0] : at::cat(parts));
  });
}

char *sentweave_cross_entropy(void *logits, void *targets, void **loss) {
  return recorded([&] {
    const at::Tensor &l = of(logits), &t = of(targets);
    *loss = new at::Tensor(fuse && fused::ready_for(l) ? fused::cross_entropy(l, t) : at::cross_entropy_loss(l.to(at::kFloat), t));
  });
}

char *sentweave_pool(void *x, const int64_t *groups, int n, int kind, int64_t skipped, void **pooled) {
  return recorded([&] {
    auto over = [&](const at::Tensor &tokens) { // [count, length, size]
      if (kind == SENTWEAVE_MAX) return tokens.amax(1);
      if (kind == SENTWEAVE_FIRST) return tokens.select(1, 0);
      return tokens.mean(1, false, at::kFloat);
    };
    at::Tensor t = of(x);
    int64_t longest = 0;
    for (int i = 0; i < n; i++) longest = std::max(longest, groups[2 * i + 1]);
    if (pads() && n > 1) {
      Grid grid(groups, n, kind == SENTWEAVE_FIRST ? std::min(longest, skipped + 1) : longest, skipped);
      at::Tensor tokens = grid.padded(t).view({grid.count, grid.width, t.size(1)});
      if (kind == SENTWEAVE_MAX) tokens = tokens.masked_fill(grid.real.logical_not().unsqueeze(2), -INFINITY);
      *pooled = new at::Tensor(kind == SENTWEAVE_MEAN ? tokens.sum(1, false, at::kFloat) / grid.lengths.unsqueeze(1) : over(tokens));
      return;
    }
    Tensors parts, pieces = pieces_of(t, groups, n);
    for (int i = 0; i < n; i++) {
      int64_t count = groups[2 * i], length = groups[2 * i + 1], without = std::min(skipped, length - 1);
      at::Tensor tokens = pieces[i].view({count, length, t.size(1)});
      parts.push_back(over(without > 0 ? tokens.narrow(1, without, length - without) : tokens));
    }
    *pooled = new at::Tensor(n == 1 ? parts[0] : at::cat(parts));
  });
}

char *sentweave_arrange(void *x, void *rows, void *places, void **y) {
  return recorded([&] { *y = new at::Tensor(Arranged::apply(of(x), of(rows), of(places))); });
}

void sentweave_seed(uint64_t seed) {
  torch::manual_seed(seed);
  fused::seed(seed);
}

void sentweave_kernels(const char *text) { fused::source(text); }
void sentweave_fuse(int on) { fuse = on; }

char *sentweave_unfused(void *x) {
  return recorded([&] {
    at::Tensor t = at::zeros({1, of(x).size(1)}, at::TensorOptions(device).dtype(at::kBFloat16));
    if (device.is_cuda() && !fused::ready(t, t.size(1))) throw std::runtime_error(fused::why());
  });
}

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

int sentweave_reduced(void) { return reduced; }

char *sentweave_copy(void *master, int64_t apart, double fill, void **copy) {
  return guarded([&] {
    at::Tensor &m = of(master);
    std::vector<int64_t> sizes = m.sizes().vec();
    sizes[0] = (sizes[0] + apart - 1) / apart * apart;
    at::Tensor c = at::full(sizes, fill, m.options().dtype(at::kBFloat16));
    c.narrow(0, 0, m.size(0)).copy_(m);
    c.requires_grad_(m.requires_grad());
    *copy = new at::Tensor(c);
  });
}

char *sentweave_refresh_copies(void **copies, void **masters, int n) {
  return guarded([&] {
    Tensors to, from;
    for (int i = 0; i < n; i++) {
      to.push_back(of(copies[i]).detach().narrow(0, 0, of(masters[i]).size(0)));
      from.push_back(of(masters[i]).detach());
    }
    if (n > 0) at::_foreach_copy_(to, from);
  });
}

char *sentweave_gather_gradients(void **copies, void **masters, int n) {
  return guarded([&] {
    for (int i = 0; i < n; i++) {
      at::Tensor &copy = of(copies[i]), &master = of(masters[i]);
      if (!copy.grad().defined()) continue;
      at::Tensor g = copy.grad().narrow(0, 0, master.size(0));
      if (master.grad().defined()) master.mutable_grad().add_(g);
      else master.mutable_grad() = g.to(at::kFloat);
      copy.mutable_grad().reset();
    }
  });
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
    if (!device.is_cpu()) { // one kernel for all parameters of a decay and a rate
      at::Tensor steps = at::full({}, (double)step, g.parameters[0].options());
      std::map<std::pair<double, double>, std::vector<size_t>> alike;
      for (size_t i = 0; i < g.places.size(); i++) alike[{decay[g.places[i]], rates[g.places[i]]}].push_back(i);
      for (auto &[settings, list] : alike) {
        auto some = [&](const Tensors &all) {
          Tensors chosen;
          for (size_t i : list) chosen.push_back(all[i]);
          return chosen;
        };
        auto update = [&](auto adam) {
          adam(some(g.parameters), some(g.gradients), some(m), some(v), at::TensorList{}, Tensors(list.size(), steps), rate * settings.second, beta1, beta2, settings.first, epsilon,
               false, false);
        };
        if (decoupled) update([](auto &&...a) { at::_fused_adamw_(a...); });
        else update([](auto &&...a) { at::_fused_adam_(a...); });
      }
      return;
    }
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
