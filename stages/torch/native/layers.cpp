//go:build libtorch

#include "bridge.h"
#include "dropout.h"
#include "fused.h"
#include "prepacked.h"
#include "rows.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <array>
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

// fuses says whether own kernels do what stands between products of the rows of x.
bool fuses(const at::Tensor &x, int64_t hidden) { return fused::enabled && fused::ready(x, hidden); }

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

// linear is x W^T + b for a weight of any kind.
at::Tensor linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias) {
  bool reduces = rows::takes(weight);
  if (!reduces && !weight.is_mkldnn()) return at::linear(x, weight, bias);
  at::Tensor b = bias.defined() ? bias : at::zeros({reduces ? rows::outputs(weight) : weight.size(0)}, x.options());
  return reduces ? rows::linear(rows::of(x, weight), weight, b) : prepacked::linear(x, weight, b);
}

at::Tensor linear_activated(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, int activation) {
  if (weight.is_mkldnn()) return prepacked::linear(x, weight, bias, activation);
  bool own = bias.defined() && activation == SENTWEAVE_GELU && weight.scalar_type() == at::kBFloat16 && weight.size(0) % 8 == 0 && fuses(x, x.size(1));
  return own ? fused::linear_gelu(x, weight, bias) : activated(linear(x, weight, bias), activation);
}

// pieces_of are the rows of the groups of a list. The gradient of all pieces is one concatenation, where that of a
// narrow for each group would be a list of zeros as long as the whole one.
Tensors pieces_of(const at::Tensor &list, const int64_t *groups, int n) {
  std::vector<int64_t> rows;
  for (int i = 0; i < n; i++) rows.push_back(groups[2 * i] * groups[2 * i + 1]);
  return list.split_with_sizes(rows, 0);
}

// Layer is a layer of an encoder over sequences in one list, of which each of the groups, pairs of numbers, is a count and a
// common length. Its weights are those of query, key and value, then their biases, and then weight and bias of the output,
// of its norm, of both products after it, and of the last norm. Where biased, [heads, longest, longest] follow, which are added to
// the scores of attention. They have a gradient where learns. Where there is a rotary, the layer is one of ModernBERT, whose
// weights are those of query, key and value together in the place of query's; biases, and the norm before attention, may be undefined.
struct Layer {
  sentweave_layer_settings settings;
  std::vector<int64_t> groups;
  at::Tensor ends, keys, rotary, rows, places;
  bool biased, learns;

  // narrows says whether tokens of a sequence of a length do not see all others.
  bool narrows(int64_t length) const { return settings.window > 0 && length > settings.window + 1; }

  at::Tensor add_norm(const at::Tensor &x, const at::Tensor *weights, const at::Tensor &residual, const at::Tensor &residual_keys, double share) const {
    if (fuses(residual, residual.size(1)) && weights[0].scalar_type() == at::kBFloat16)
      return fused::add_norm(x, weights[0], weights[1], residual, weights[2], weights[3], settings.epsilon, share);
    return norm(linear(x, weights[0], weights[1]), weights + 2, residual, residual_keys, share);
  }

  at::Tensor norm(const at::Tensor &product, const at::Tensor *weights, const at::Tensor &residual, const at::Tensor &residual_keys, double share) const {
    at::Tensor h = product.to(residual.scalar_type());
    uint64_t seed = dropout::next(share);
    return layer_norm(dropout::apply(h, residual, residual_keys, share, seed), weights[0], weights[1], settings.epsilon);
  }

  // bias is what is added to the scores of sequences of a length, [1, heads or 1, length, length]; not defined where nothing is. Beyond a
  // window that is finite: tokens of padding, which see none within it, would be NaN.
  at::Tensor bias(const at::Tensor *weights, int64_t length, at::ScalarType type) const {
    if (narrows(length)) {
      at::Tensor band = at::ones({1, 1, length, length}, at::TensorOptions(device));
      return band.tril_(settings.window).triu_(-settings.window).sub_(1).mul_(1e9).to(type);
    }
    if (!biased) return {};
    return weights[16].narrow(1, 0, length).narrow(2, 0, length).unsqueeze(0).to(type);
  }

  // rotated has two values of each head, one of its first half and one of the second, turned by an angle of the token (Su et al. 2021).
  at::Tensor rotated(const at::Tensor &x) const {
    Tensors halves = x.to(at::kFloat).view({x.size(0), settings.heads, 2, -1}).unbind(2);
    at::Tensor cosines = rotary.select(1, 0).unsqueeze(1), sines = rotary.select(1, 1).unsqueeze(1);
    return at::stack({halves[0] * cosines - halves[1] * sines, halves[1] * cosines + halves[0] * sines}, 2).view(x.sizes()).to(x.scalar_type());
  }

  // projected are the queries, keys and values of the tokens.
  std::array<at::Tensor, 3> projected(const at::Tensor &list, const at::Tensor *weights) const {
    if (rotary.defined()) {
      Tensors all = linear(list, weights[0], weights[3]).chunk(3, 1);
      return {rotated(all[0]), rotated(all[1]), all[2]};
    }
    std::array<at::Tensor, 3> products;
    if (rows::takes(weights[0])) {
      rows::Rows x = rows::of(list, weights[0]);
      for (int i = 0; i < 3; i++) products[i] = rows::linear(x, weights[i], weights[i + 3]);
      return products;
    }
    for (int i = 0; i < 3; i++) products[i] = linear(list, weights[i], weights[i + 3]);
    return products;
  }

  // attend is scaled dot-product attention inside of each sequence.
  at::Tensor attend(const at::Tensor &list, const at::Tensor *weights) const {
    int n = groups.size() / 2;
    int64_t tokens = list.size(0), longest = 0, heads = settings.heads;
    double share = settings.attention_dropout;
    for (int i = 0; i < n; i++) longest = std::max(longest, groups[2 * i + 1]);
    if (ends.defined() && !rotary.defined() && fuses(list, list.size(1)) && weights[0].scalar_type() == at::kBFloat16)
      return fused::attention(list, weights, ends, longest, heads, share);
    uint64_t seed = dropout::next(share); // one for all groups, of which a part of a list has fewer
    auto products = projected(list, weights);
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
    if (ends.defined() && !narrows(longest)) {
      auto split = [&](int i) { return products[i].view({tokens, heads, -1}); };
      at::Tensor o = std::get<0>(at::_flash_attention_forward(split(0), split(1), split(2), ends, ends, longest, longest, share, false, false));
      return o.reshape({tokens, -1});
    }
#endif
    if (pads() && n > 1) {
      Grid grid(groups.data(), n, longest, 0);
      auto split = [&](int i) { return grid.padded(products[i]).view({grid.count, longest, heads, -1}).transpose(1, 2); };
      at::Tensor q = split(0), mask = at::where(grid.real.view({grid.count, 1, 1, longest}), 0., -INFINITY).to(q.scalar_type());
      if (at::Tensor added = bias(weights, longest, q.scalar_type()); added.defined()) mask = mask + added;
      at::Tensor padded_keys = keys.defined() ? keys.index_select(0, grid.rows.clamp_min(0)) : keys;
      return grid.packed(mix({q, split(1), split(2)}, mask, padded_keys, seed).transpose(1, 2).reshape({grid.count * longest, -1}));
    }
    at::Tensor own;
    if (rows::takes(weights[0]) && !rotary.defined() && !biased) own = rows::attention(products.data(), groups, heads);
    if (own.defined() && longest <= rows::longest) return own;
    Tensors parts, pieces[3];
    for (int i = 0; i < 3; i++) pieces[i] = pieces_of(products[i], groups.data(), n);
    int64_t token = 0;
    for (int k = 0; k < n; k++) {
      int64_t count = groups[2 * k], length = groups[2 * k + 1], first = token;
      token += count * length;
      if (own.defined() && length <= rows::longest) {
        parts.push_back(own.narrow(0, first, count * length));
        continue;
      }
      auto split = [&](int i) { return pieces[i][k].view({count, length, heads, -1}).transpose(1, 2); };
      at::Tensor own_keys = keys.defined() ? keys.narrow(0, first, count * length) : keys;
      parts.push_back(mix({split(0), split(1), split(2)}, bias(weights, length, products[0].scalar_type()), own_keys, seed).transpose(1, 2).reshape({count * length, -1}));
    }
    return n == 1 ? parts[0] : at::cat(parts);
  }

  // mix is attention of sequences side by side, [count, heads, length, size]. What libtorch takes for it on the CPU where
  // there is dropout, or where a mask is to have a gradient, is the same but for the draws.
  at::Tensor mix(const std::array<at::Tensor, 3> &products, const at::Tensor &mask, const at::Tensor &own_keys, uint64_t seed) const {
    auto &[q, k, v] = products;
    double share = settings.attention_dropout;
    if (!learns && (share <= 0 || !q.is_cpu()))
      return mask.defined() ? at::scaled_dot_product_attention(q, k, v, mask, share) : at::scaled_dot_product_attention(q, k, v, {}, share);
    at::Tensor scores = at::matmul(q * (1 / std::sqrt((double)q.size(3))), k.transpose(2, 3));
    if (mask.defined()) scores = scores + mask;
    return at::matmul(dropout::apply(at::softmax(scores, -1), {}, own_keys, share, seed), v);
  }

  // arrange leaves only the rows of an arrangement: after attention, tokens do not see each other.
  void arrange(at::Tensor &o, at::Tensor &x, at::Tensor &own_keys) const {
    if (!rows.defined()) return;
    auto arranged = [&](const at::Tensor &t) { return places.defined() ? Arranged::apply(t, rows, places) : t.index_select(0, rows); };
    o = arranged(o), x = arranged(x);
    if (keys.defined()) own_keys = keys.index_select(0, rows);
  }

  // gated is forward of ModernBERT (Warner et al. 2024): norms come before what is added to the list, and the first product after
  // attention makes values and as many gates, which they are multiplied by.
  at::Tensor gated(const at::Tensor &list, const at::Tensor *weights) const {
    auto normed = [&](const at::Tensor &x, const at::Tensor *pair) { return pair[0].defined() ? layer_norm(x, pair[0], pair[1], settings.epsilon) : x; };
    at::Tensor x = list, o = attend(normed(x, weights + 8), weights), own_keys = keys;
    arrange(o, x, own_keys);
    double share = settings.attention_output_dropout;
    x = dropout::apply(linear(o, weights[6], weights[7]).to(x.scalar_type()), x, own_keys, share, dropout::next(share));
    Tensors halves = linear(normed(x, weights + 14), weights[10], weights[11]).chunk(2, 1);
    at::Tensor inner = activated(halves[0], settings.activation) * halves[1];
    inner = dropout::apply(inner, {}, own_keys, settings.dropout, dropout::next(settings.dropout));
    return x + linear(inner, weights[12], weights[13]).to(x.scalar_type());
  }

  // forward is the output of the layer, or only the rows of an arrangement.
  at::Tensor forward(const at::Tensor &list, const at::Tensor *weights) const {
    if (rotary.defined()) return gated(list, weights);
    at::Tensor x = list, o = attend(x, weights), own_keys = keys;
    arrange(o, x, own_keys);
    if (rows::takes(weights[6]) && rows::takes(weights[10]) && rows::takes(weights[12])) { // for inference, without dropout
      rows::Rows h;
      x = rows::normed(rows::of(o, weights[6]), weights[6], weights[7], x, {weights[8], weights[9], settings.epsilon}, &h);
      h = rows::activated(h, weights[10], weights[11], settings.activation);
      return rows::normed(h, weights[12], weights[13], x, {weights[14], weights[15], settings.epsilon});
    }
    x = add_norm(o, weights + 6, x, own_keys, settings.attention_output_dropout);
    return add_norm(linear_activated(x, weights[10], weights[11], settings.activation), weights + 12, x, own_keys, settings.dropout);
  }
};

// Recomputed is a layer of which only the input is kept: the gradients take the layer again, with the same dropout (activation
// checkpointing, Chen et al. 2016, section 3). They have the bits of those of the layer that is kept.
// An input that is not defined is an empty one here.
struct Recomputed : torch::autograd::Function<Recomputed> {
  struct Retained : torch::CustomClassHolder {
    Layer layer;
    dropout::State state;
  };
  static at::Tensor run(const Layer &layer, Tensors inputs) {
    for (at::Tensor &t : inputs)
      if (!t.numel()) t = at::Tensor();
    return layer.forward(inputs[0], inputs.data() + 1);
  }
  static at::Tensor forward(torch::autograd::AutogradContext *c, at::TensorList inputs, const Layer &layer) {
    auto retained = c10::make_intrusive<Retained>();
    retained->layer = layer, retained->state = dropout::state();
    c->save_for_backward(inputs.vec());
    c->saved_data["layer"] = at::IValue::make_capsule(retained);
    return run(layer, inputs.vec());
  }
  static Tensors backward(torch::autograd::AutogradContext *c, Tensors gradients) {
    auto retained = c10::static_intrusive_pointer_cast<Retained>(c->saved_data["layer"].toCapsule());
    Tensors inputs = c->get_saved_variables(), wanted, results(inputs.size() + 1);
    inputs[0] = inputs[0].detach().requires_grad_(inputs[0].requires_grad());
    for (const at::Tensor &t : inputs)
      if (t.requires_grad()) wanted.push_back(t);
    dropout::State later = dropout::state();
    dropout::restore(retained->state);
    at::Tensor y;
    {
      at::AutoGradMode records(true);
      sentweave_begin(); // as the first time
      y = run(retained->layer, inputs);
      sentweave_end();
    }
    dropout::restore(later);
    Tensors found = torch::autograd::grad({y}, wanted, {gradients[0]});
    for (size_t i = 0, k = 0; i < inputs.size(); i++)
      if (inputs[i].requires_grad()) results[i] = found[k++];
    return results;
  }
};

} // namespace

char *sentweave_layer_norm(void *x, void *weight, void *bias, double epsilon, void **y) {
  return recorded([&] { *y = new at::Tensor(layer_norm(of(x), of(weight), given(bias), epsilon)); });
}

char *sentweave_activated(void *x, int activation, void **y) {
  return recorded([&] { *y = new at::Tensor(activated(of(x), activation)); });
}

char *sentweave_linear_activated(void *x, void *weight, void *bias, int activation, void **y) {
  return recorded([&] { *y = new at::Tensor(linear_activated(of(x), of(weight), given(bias), activation)); });
}

int sentweave_attends_at_once(int64_t head_size) { return has_flash && device.is_cuda() && reduced && head_size % 8 == 0 && head_size <= 256; }

void sentweave_pad(int on) { always_pads = on; }

char *sentweave_layer(void *x, void **weights, void *bias, void *ends, void *keys, void *rotary, const int64_t *groups, int n, void *rows,
                      void *places, sentweave_layer_settings settings, void **y) {
  return recorded([&] {
    bool learns = bias && at::GradMode::is_enabled() && of(bias).requires_grad();
    Layer layer{settings, {groups, groups + 2 * n}, given(ends), given(keys), given(rotary), given(rows), given(places), bias != nullptr,
                learns};
    Tensors inputs = {of(x)};
    bool recomputes = settings.recompute && at::GradMode::is_enabled();
    for (int i = 0; i < 16; i++) inputs.push_back(weights[i] || !recomputes ? given(weights[i]) : at::empty({0}));
    if (bias) inputs.push_back(of(bias));
    *y = new at::Tensor(recomputes ? Recomputed::apply(at::TensorList(inputs), layer) : layer.forward(inputs[0], inputs.data() + 1));
  });
}

char *sentweave_cross_entropy(void *logits, void *targets, void **loss) {
  return recorded([&] {
    const at::Tensor &l = of(logits), &t = of(targets);
    *loss = new at::Tensor(fused::enabled && fused::ready_for(l) ? fused::cross_entropy(l, t) : at::cross_entropy_loss(l.to(at::kFloat), t));
  });
}

char *sentweave_pool(void *x, const int64_t *groups, int n, int kind, int64_t skipped, void **pooled) {
  return recorded([&] {
    at::Tensor t = of(x);
    int64_t longest = 0;
    for (int i = 0; i < n; i++) longest = std::max(longest, groups[2 * i + 1]);
    if (pads() && n > 1) {
      Grid grid(groups, n, kind == SENTWEAVE_FIRST ? std::min(longest, skipped + 1) : longest, skipped);
      at::Tensor tokens = grid.padded(t).view({grid.count, grid.width, t.size(1)});
      if (kind == SENTWEAVE_MAX) tokens = tokens.masked_fill(grid.real.logical_not().unsqueeze(2), -INFINITY);
      *pooled = new at::Tensor(kind == SENTWEAVE_MEAN ? tokens.sum(1, false, at::kFloat) / grid.lengths.unsqueeze(1) : over(tokens, kind));
      return;
    }
    Tensors parts, pieces = pieces_of(t, groups, n);
    for (int i = 0; i < n; i++) {
      int64_t count = groups[2 * i], length = groups[2 * i + 1], without = std::min(skipped, length - 1);
      at::Tensor tokens = pieces[i].view({count, length, t.size(1)});
      parts.push_back(over(without > 0 ? tokens.narrow(1, without, length - without) : tokens, kind));
    }
    *pooled = new at::Tensor(n == 1 ? parts[0] : at::cat(parts));
  });
}

char *sentweave_arrange(void *x, void *rows, void *places, void **y) {
  return recorded([&] { *y = new at::Tensor(Arranged::apply(of(x), of(rows), of(places))); });
}

void sentweave_kernels(const char *fused, const char *attention) { fused::source(fused, attention); }
void sentweave_fuse(int on) { fused::enabled = on; }

char *sentweave_unfused(void *x) {
  return recorded([&] {
    at::Tensor t = at::zeros({1, of(x).size(1)}, at::TensorOptions(device).dtype(at::kBFloat16));
    if (device.is_cuda() && !fused::ready(t, t.size(1)))
      throw std::runtime_error(fused::why().empty() ? "rows of " + std::to_string(t.size(1)) + " values are not a multiple of 64 up to 2,048" : fused::why());
  });
}
