//go:build libtorch

#include "dropout.h"

#include "bridge.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <mutex>

// Integers of 32 bits are multiplied side by side by AVX2, and no result depends on whether they are.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SIDE_BY_SIDE __attribute__((noinline, optimize("O3"), target_clones("avx2", "default")))
#else
#define SIDE_BY_SIDE
#endif

using namespace bridge;

namespace dropout {
namespace {

uint64_t base = 0, drawn = 0;

// mixed are 64 random bits, a function of the seed and the place: splitmix64 (Steele et al. 2014).
uint64_t mixed(uint64_t seed, uint64_t place) {
  uint64_t z = seed + (place + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// factors are those of a row, a function of its bits: 0 where the 32 bits of a column are below drop.
SIDE_BY_SIDE void factors(float *list, int columns, uint64_t bits, uint32_t drop, float scale) {
  uint32_t low = bits, high = bits >> 32;
  for (int j = 0; j < columns; j++) { // as the end of MurmurHash3
    uint32_t h = low + (uint32_t)j * 0x9E3779B9u;
    h = ((h ^ h >> 16) * 0x85EBCA6Bu) ^ high;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    list[j] = (h ^ h >> 16) < drop ? 0.f : scale;
  }
}

SIDE_BY_SIDE void combine(const float *x, const float *factors, const float *residual, float *y, int columns) {
  if (residual)
    for (int j = 0; j < columns; j++) y[j] = residual[j] + x[j] * factors[j];
  else
    for (int j = 0; j < columns; j++) y[j] = x[j] * factors[j];
}

struct Draw {
  at::Tensor keys;
  uint64_t seed;
  double share;

  at::Tensor masked(const at::Tensor &tensor, const at::Tensor &added) const {
    at::Tensor x = tensor.to(at::kFloat).contiguous(), y = at::empty_like(x), r;
    if (added.defined()) r = added.to(at::kFloat).contiguous();
    int64_t columns = x.size(-1), rows = x.numel() / std::max<int64_t>(1, columns);
    int64_t heads = x.dim() == 4 ? x.size(1) : 1, length = x.dim() == 4 ? x.size(2) : rows;
    const int64_t *key = keys.defined() ? keys.data_ptr<int64_t>() : nullptr;
    const float *from = x.data_ptr<float>(), *residual = r.defined() ? r.data_ptr<float>() : nullptr;
    float *to = y.data_ptr<float>(), scale = 1 / (1 - share);
    uint32_t drop = share * 4294967296.;
    at::parallel_for(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns)), [&](int64_t begin, int64_t end) {
      std::vector<float> list(columns);
      for (int64_t row = begin; row < end; row++) {
        int64_t head = row / length % heads, token = row / (length * heads) * length + row % length;
        factors(list.data(), columns, mixed(seed, (uint64_t)(key ? key[token] : token) + ((uint64_t)head << 20)), drop, scale);
        combine(from + row * columns, list.data(), residual ? residual + row * columns : nullptr, to + row * columns, columns);
      }
    });
    return y.to(tensor.scalar_type());
  }
};

// Dropped keeps nothing but keys for its gradient.
struct Dropped : torch::autograd::Function<Dropped> {
  static at::Tensor forward(torch::autograd::AutogradContext *c, at::TensorList terms, const Draw &draw) {
    if (draw.keys.defined()) c->save_for_backward({draw.keys});
    c->saved_data["seed"] = (int64_t)draw.seed;
    c->saved_data["share"] = draw.share;
    c->saved_data["terms"] = (int64_t)terms.size();
    return draw.masked(terms[0], terms.size() > 1 ? terms[1] : at::Tensor());
  }
  static Tensors backward(torch::autograd::AutogradContext *c, Tensors gradients) {
    Tensors saved = c->get_saved_variables();
    Draw draw{saved.empty() ? at::Tensor() : saved[0], (uint64_t)c->saved_data["seed"].toInt(), c->saved_data["share"].toDouble()};
    Tensors results = {draw.masked(gradients[0], at::Tensor())};
    if (c->saved_data["terms"].toInt() > 1) results.push_back(gradients[0]);
    results.push_back(at::Tensor()); // of the draw
    return results;
  }
};

} // namespace

void seed(uint64_t seed) { base = seed * 0xBF58476D1CE4E5B9ull, drawn = 0; }

uint64_t next(double share) { return share > 0 ? base + 0x9E3779B97F4A7C15ull * ++drawn : 0; }

State state() {
  State s{drawn, {}};
  if (device.is_cpu()) return s;
  at::Generator generator = at::globalContext().defaultGenerator(device);
  std::lock_guard<std::mutex> lock(generator.mutex());
  s.generator = generator.get_state();
  return s;
}

void restore(const State &state) {
  drawn = state.drawn;
  if (!state.generator.defined()) return;
  at::Generator generator = at::globalContext().defaultGenerator(device);
  std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state.generator);
}

at::Tensor apply(const at::Tensor &x, const at::Tensor &residual, const at::Tensor &keys, double share, uint64_t seed) {
  if (share <= 0) return residual.defined() ? x + residual : x;
  if (!x.is_cpu()) {
    at::Tensor y = at::dropout(x, share, true);
    return residual.defined() ? y + residual : y;
  }
  Draw draw{keys, seed, share};
  return residual.defined() ? Dropped::apply(at::TensorList({x, residual}), draw) : Dropped::apply(at::TensorList(x), draw);
}

} // namespace dropout

using namespace dropout;

char *sentweave_dropout(void *x, void *keys, double share, void **y) {
  return recorded([&] { *y = new at::Tensor(apply(of(x), {}, keys ? of(keys) : at::Tensor(), share, next(share))); });
}

uint64_t sentweave_drawn(void) { return drawn; }

void sentweave_redraw(uint64_t number, int64_t chunk) {
  drawn = number & 0xFFFFFFFFull;
  if (device.is_cpu()) return;
  drawn |= (uint64_t)chunk << 32;
  at::manual_seed(mixed(base, drawn));
}
