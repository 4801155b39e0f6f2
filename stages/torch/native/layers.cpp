//go:build libtorch

#include "bridge.h"
#include "fused.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace bridge;

namespace {

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

} // namespace

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

void sentweave_kernels(const char *text) { fused::source(text); }
void sentweave_fuse(int on) { fuse = on; }

char *sentweave_unfused(void *x) {
  return recorded([&] {
    at::Tensor t = at::zeros({1, of(x).size(1)}, at::TensorOptions(device).dtype(at::kBFloat16));
    if (device.is_cuda() && !fused::ready(t, t.size(1)))
      throw std::runtime_error(fused::why().empty() ? "rows of " + std::to_string(t.size(1)) + " values are no multiple of 64 up to 2,048" : fused::why());
  });
}
