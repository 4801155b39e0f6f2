// The kernels of fused.cu and attention.cu, built for the host, beside the same arithmetic in float64:
//   c++ -std=c++17 -O2 -DHIDDEN=768 -DHEAD=64 fused.cpp && ./a.out
// prints a line for each result: its name, and how far it is from that of float64, relative to the norm of that. The
// threads of a block are contexts that take turns; a turn ends where they wait for each other.
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

struct Index {
  unsigned x = 0, y = 0;
};
static Index threadIdx, blockIdx, blockDim, gridDim;
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static

static std::vector<ucontext_t> contexts;
static ucontext_t scheduler;
static std::vector<bool> ended;
static unsigned running, waiting, generation;
static float slots[1024];

static void yield() { swapcontext(&contexts[running], &scheduler); }
static void __syncthreads() {
  unsigned now = generation;
  if (++waiting == blockDim.x) {
    waiting = 0;
    generation++;
    yield(); // goes on when the others do: they take turns within a warp
  }
  while (generation == now) yield();
}
static float __shfl_xor_sync(unsigned, float v, int offset) {
  unsigned self = running;
  slots[self] = v;
  yield();
  float other = slots[self ^ offset];
  yield();
  return other;
}
static float __uint_as_float(unsigned bits) { float x; memcpy(&x, &bits, 4); return x; }
static unsigned __float_as_uint(float x) { unsigned bits; memcpy(&bits, &x, 4); return bits; }
static float rsqrtf(float x) { return 1 / std::sqrt(x); }
static float __fdividef(float a, float b) { return a / b; }
#define __expf expf

#include "../values.cu"
#include "../fused.cu"

#define SHARED_WORDS(name) alignas(16) static u32 name[12288]
static u32 sides[1024][6];
static void multiply(float *sum, const u32 *a, u32 b0, u32 b1) {
  u32 *own = sides[running], all[6] = {a[0], a[1], a[2], a[3], b0, b1};
  memcpy(own, all, sizeof all);
  yield();
  unsigned warp = running / 32 * 32, g = running % 32 / 4, t = running % 4;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 16; k++) { // number k of row g or g + 8, and of column 2 t or 2 t + 1
      u32 x = sides[warp + g * 4 + k % 8 / 2][i / 2 + k / 8 * 2], y = sides[warp + (2 * t + i % 2) * 4 + k % 8 / 2][4 + k / 8];
      sum[i] += k % 2 ? upper(x) * upper(y) : lower(x) * lower(y);
    }
  yield();
}
#include "../attention.cu"

static std::function<void()> body;
static void enter() {
  body();
  ended[running] = true;
  swapcontext(&contexts[running], &scheduler);
}

// launch runs a kernel, one block after another.
static void launch(Index grid, unsigned threads, std::function<void()> kernel) {
  static std::vector<std::vector<char>> stacks;
  gridDim = grid, blockDim = {threads, 1}, body = kernel;
  contexts.resize(threads);
  stacks.resize(std::max<size_t>(stacks.size(), threads));
  for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) {
      ended.assign(threads, false);
      waiting = generation = 0;
      for (unsigned i = 0; i < threads; i++) {
        stacks[i].resize(1 << 16);
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i].data();
        contexts[i].uc_stack.ss_size = stacks[i].size();
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], enter, 0);
      }
      for (bool more = true; more;) {
        more = false;
        for (running = 0; running < threads; running++)
          if (!ended[running]) {
            more = true;
            threadIdx.x = running;
            swapcontext(&scheduler, &contexts[running]);
          }
      }
    }
}

using Half = std::vector<uint16_t>;
static std::mt19937 generator(7);
static float number(uint16_t x) { return __uint_as_float((unsigned)x << 16); }
static Half drawn(size_t n, float scale) {
  std::normal_distribution<float> normal(0, scale);
  Half list(n);
  for (auto &x : list) x = rounded(normal(generator));
  return list;
}
static const Half poisoned(size_t n) { return Half(n, 0x7fc0); }
template <int N> static Values<N> *of(const Half &x) { return (Values<N> *)x.data(); }

template <class A> static double far(const A &got, const std::vector<double> &want) {
  double d = 0, n = 0;
  for (size_t i = 0; i < want.size(); i++) {
    double x;
    if constexpr (sizeof(got[0]) == 2) x = number(got[i]);
    else x = got[i];
    if (std::isnan(want[i]) != std::isnan(x)) return NAN;
    if (std::isnan(x)) continue;
    if (x != want[i]) d += (x - want[i]) * (x - want[i]);
    if (!std::isinf(want[i])) n += want[i] * want[i];
  }
  return std::sqrt(d / n);
}
static std::vector<double> summed(const std::vector<float> &sums, int blocks, size_t stride, size_t offset, size_t n) {
  std::vector<double> list(n);
  for (int b = 0; b < blocks; b++)
    for (size_t i = 0; i < n; i++) list[i] += sums[b * stride + offset + i];
  return list;
}
static void say(const char *name, double error) { printf("%s %.3g\n", name, error); }

static void add_norm(int rows, double p) {
  const int h = HIDDEN, blocks = 3;
  Half x = drawn((size_t)rows * h, 1), bias = drawn(h, .1), residual = drawn((size_t)rows * h, 1), g = drawn((size_t)rows * h, 1);
  std::vector<float> weight(h), shift(h), means(rows), factors(rows), sums(blocks * 3 * h, NAN);
  for (int i = 0; i < h; i++) weight[i] = 1 + .1f * number(bias[i]), shift[i] = number(bias[h - 1 - i]);
  Half y = poisoned(x.size()), out = poisoned(x.size()), of_x = poisoned(x.size()), of_residual = poisoned(x.size());
  u32 drop = (u32)(p * 4294967296.);
  float scale = 1 / (1 - p);
  launch({blocks, 1}, 32 * NORM_WARPS, [&] {
    add_norm_forward(of<WIDE>(x), of<WIDE>(bias), of<WIDE>(residual), weight.data(), shift.data(), of<WIDE>(y), of<WIDE>(out), means.data(), factors.data(), rows, 1e-12f, 5, drop, scale);
  });
  launch({blocks, 1}, 32 * NORM_WARPS, [&] {
    add_norm_backward(of<WIDE>(g), of<WIDE>(y), means.data(), factors.data(), weight.data(), of<WIDE>(of_x), of<WIDE>(of_residual), sums.data(), rows, 5, drop, scale);
  });
  std::vector<double> w_out, w_x, w_residual, w_weight(h), w_shift(h), w_bias(h);
  size_t dropped = 0;
  for (int row = 0; row < rows; row++) {
    std::vector<double> v(h), kept(h);
    double mean = 0, variance = 0, a = 0, q = 0;
    for (int i = 0; i < h; i++) {
      size_t at = (size_t)row * h + i;
      u64 bits = mixed(5, at / 2);
      kept[i] = drop && (u32)(at % 2 ? bits >> 32 : bits) < drop ? 0 : scale;
      dropped += kept[i] == 0;
      v[i] = (number(x[at]) + (double)number(bias[i])) * kept[i] + number(residual[at]);
      mean += v[i] / h;
    }
    for (double z : v) variance += (z - mean) * (z - mean) / h;
    double factor = 1 / std::sqrt(variance + 1e-12);
    for (int i = 0; i < h; i++) {
      double go = number(g[(size_t)row * h + i]), normal = (v[i] - mean) * factor;
      w_out.push_back(normal * weight[i] + shift[i]);
      a += go * weight[i] / h;
      q += go * weight[i] * normal / h;
      w_weight[i] += go * normal;
      w_shift[i] += go;
    }
    for (int i = 0; i < h; i++) {
      double go = number(g[(size_t)row * h + i]), normal = (v[i] - mean) * factor, d = (go * weight[i] - a - normal * q) * factor;
      w_residual.push_back(d);
      w_x.push_back(d * kept[i]);
      w_bias[i] += d * kept[i];
    }
  }
  say("norm", far(out, w_out));
  say("norm.x", far(of_x, w_x));
  say("norm.residual", far(of_residual, w_residual));
  say("norm.weight", far(summed(sums, blocks, 3 * h, 0, h), w_weight));
  say("norm.shift", far(summed(sums, blocks, 3 * h, h, h), w_shift));
  say("norm.bias", far(summed(sums, blocks, 3 * h, 2 * h, h), w_bias));
  if (p > 0) say("dropped", std::fabs((double)dropped / x.size() / p - 1));
}

static void gelu(int rows, int columns) {
  const int high = 2;
  Half x = drawn((size_t)rows * columns, 2), bias = drawn(columns, .5), g = drawn(x.size(), 1), y = poisoned(x.size()), of_x = poisoned(x.size());
  x[3] = 0x7f80, x[4] = 0xff80, x[5] = 0x7fc0; // Inf, -Inf, NaN
  std::vector<float> sums(high * columns, NAN);
  Index grid = {(unsigned)(columns + TILE - 1) / TILE, high};
  launch(grid, 32 * WARPS, [&] { gelu_forward(of<8>(x), of<8>(bias), of<8>(y), rows, columns); });
  launch(grid, 32 * WARPS, [&] { gelu_backward(of<8>(g), of<8>(x), of<8>(bias), of<8>(of_x), sums.data(), rows, columns); });
  std::vector<double> w_y, w_x, w_bias(columns);
  for (size_t i = 0; i < x.size(); i++) {
    double v = (double)number(x[i]) + number(bias[i % columns]), below = .5 * std::erfc(-v / std::sqrt(2.)), d = below + v * std::exp(-.5 * v * v) / std::sqrt(2 * M_PI);
    w_y.push_back(v * below);
    w_x.push_back(number(g[i]) * d);
    w_bias[i % columns] += w_x.back();
  }
  say("gelu", far(y, w_y));
  say("gelu.x", far(of_x, w_x));
  say("gelu.bias", far(summed(sums, high, columns, 0, columns), w_bias));
}

static void join_and_pick(int rows) {
  const int h = HIDDEN, high = 3;
  Half all = poisoned((size_t)rows * 3 * h), parts[3];
  for (auto &part : parts) part = drawn((size_t)rows * h, 1);
  std::vector<float> sums(high * 3 * h, NAN);
  launch({(3 * h + TILE - 1) / TILE, high}, 32 * WARPS, [&] { join(of<8>(parts[0]), of<8>(parts[1]), of<8>(parts[2]), of<8>(all), sums.data(), rows); });
  std::vector<double> want, w_sums(3 * h);
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < 3 * h; i++) {
      want.push_back(number(parts[i / h][(size_t)row * h + i % h]));
      w_sums[i] += want.back();
    }
  say("join", far(all, want));
  say("join.sums", far(summed(sums, high, 3 * h, 0, 3 * h), w_sums));
  std::vector<long long> chosen = {rows - 1, -1, 0, 2};
  Half y = poisoned(chosen.size() * h);
  launch({1, 1}, 32 * WARPS, [&] { pick(of<8>(parts[0]), chosen.data(), of<8>(y), chosen.size(), h / 8); });
  want.clear();
  for (long long row : chosen)
    for (int i = 0; i < h; i++) want.push_back(row < 0 ? 0 : number(parts[0][row * h + i]));
  say("pick", far(y, want));
}

static void cross_entropy(int rows, int columns, double spread) {
  Half logits = drawn((size_t)rows * columns, spread), of_logits = poisoned(logits.size());
  for (int row = 0; row < rows; row++) // columns that are not there
    for (int i = 1; i <= 6; i++) logits[(size_t)(row + 1) * columns - i] = 0xff80;
  std::vector<long long> targets(rows);
  for (int row = 0; row < rows; row++) targets[row] = row * 37 % (columns - 6);
  std::vector<float> losses(rows, NAN), log_sums(rows, NAN);
  float gradient = 2;
  launch({(unsigned)rows, 1}, 32 * WARPS, [&] { cross_entropy_forward(of<8>(logits), targets.data(), losses.data(), log_sums.data(), columns); });
  launch({(unsigned)rows, 1}, 32 * WARPS, [&] { cross_entropy_backward(of<8>(logits), targets.data(), log_sums.data(), &gradient, of<8>(of_logits), columns, 1.f / rows); });
  std::vector<double> want, w_logits;
  for (int row = 0; row < rows; row++) {
    double sum = 0;
    for (int i = 0; i < columns; i++) sum += std::exp((double)number(logits[(size_t)row * columns + i]));
    want.push_back(std::log(sum) - number(logits[(size_t)row * columns + targets[row]]));
    for (int i = 0; i < columns; i++) w_logits.push_back((std::exp((double)number(logits[(size_t)row * columns + i])) / sum - (i == targets[row])) * gradient / rows);
  }
  say("entropy", far(losses, want));
  say("entropy.logits", far(of_logits, w_logits));
}

// lamb is a step over parameters of some sizes.
static void lamb(std::vector<size_t> sizes) {
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> lists[4];
  std::vector<Part> parts;
  std::vector<int> part_of_block;
  for (size_t n : sizes) {
    for (auto &list : lists) {
      list.push_back({});
      for (size_t i = 0; i < n; i++) list.back().push_back(normal(generator));
    }
    for (float &v : lists[3].back()) v *= v;
    if (n == 1) lists[0].back()[0] = 0; // no norm, so no ratio
  }
  std::vector<double> want, w_first, w_second;
  std::vector<float> got, first, second;
  const double beta1 = .9, beta2 = .999, epsilon = 1e-6, rate = .1, first_share = 1 / (1 - beta1 * beta1), second_share = 1 / std::sqrt(1 - beta2 * beta2);
  for (size_t k = 0; k < sizes.size(); k++) {
    auto of = [&](int list) { return lists[list][k].data(); };
    parts.push_back({of(0), of(1), of(2), of(3), k % 2 ? .1f : 0.f, k % 3 ? 1.f : .5f, k != 2, (int)part_of_block.size(), sizes[k]});
    part_of_block.resize(part_of_block.size() + (sizes[k] + STEP_NUMBERS - 1) / STEP_NUMBERS, k);
    std::vector<double> updates;
    double weights = 0, squares = 0;
    for (size_t i = 0; i < sizes[k]; i++) {
      double w = of(0)[i], g = of(1)[i], m = of(2)[i] * beta1 + g * (1 - beta1), v = of(3)[i] * beta2 + g * g * (1 - beta2);
      updates.push_back(m * first_share / (std::sqrt(v) * second_share + epsilon) + (k % 2 ? .1 : 0) * w);
      weights += w * w, squares += updates[i] * updates[i];
      w_first.push_back(m), w_second.push_back(v);
    }
    double ratio = k != 2 && weights > 0 ? std::sqrt(weights / squares) : 1;
    for (size_t i = 0; i < sizes[k]; i++) want.push_back(of(0)[i] - rate * (k % 3 ? 1 : .5) * ratio * updates[i]);
  }
  std::vector<float> squares(2 * part_of_block.size(), NAN);
  unsigned blocks = part_of_block.size();
  launch({blocks, 1}, 32 * WARPS, [&] { lamb_moments(parts.data(), part_of_block.data(), squares.data(), 1 - beta1, beta2, 1 - beta2, epsilon, first_share, second_share); });
  launch({blocks, 1}, 32 * WARPS, [&] { lamb_step(parts.data(), part_of_block.data(), squares.data(), rate); });
  auto all = [](const std::vector<std::vector<float>> &list) {
    std::vector<float> flat;
    for (auto &x : list) flat.insert(flat.end(), x.begin(), x.end());
    return flat;
  };
  say("lamb", far(all(lists[0]), want));
  say("lamb.first", far(all(lists[2]), w_first));
  say("lamb.second", far(all(lists[3]), w_second));
}

// attention is that of sequences of some lengths, with two heads.
static void attention(std::vector<int> lengths, double p) {
  const int head = HEAD, heads = 2, hidden = heads * head, sequences = lengths.size();
  std::vector<int> ends = {0};
  int longest = 0;
  for (int n : lengths) ends.push_back(ends.back() + n), longest = std::max(longest, n);
  int rows = ends.back();
  Half all = drawn((size_t)rows * 3 * hidden, 1.5), g = drawn((size_t)rows * hidden, 1), out = poisoned(g.size()), of_all = poisoned(all.size());
  std::vector<float> log_sums(rows * heads, NAN), sums(sequences * 3 * hidden, NAN);
  u32 drop = (u32)(p * 4294967296.);
  float scale = 1 / (1 - p);
  unsigned threads = (longest + 15) / 16 * 32;
  auto words = [](const Half &x) { return (u32 *)x.data(); };
  launch({(unsigned)sequences, heads}, threads, [&] { attend_forward(words(all), ends.data(), words(out), log_sums.data(), hidden, 5, drop, scale); });
  launch({(unsigned)sequences, heads}, threads,
         [&] { attend_backward(words(all), ends.data(), words(out), words(g), log_sums.data(), words(of_all), sums.data(), hidden, 5, drop, scale); });
  std::vector<double> w_out(g.size()), w_all(all.size()), w_sums(sums.size());
  for (int i = 0; i < sequences; i++)
    for (int h = 0; h < heads; h++) {
      int n = lengths[i];
      auto in = [&](int row, int part, int d) { return (size_t)(ends[i] + row) * 3 * hidden + part * hidden + h * head + d; };
      auto at = [&](int row, int d) { return (size_t)(ends[i] + row) * hidden + h * head + d; };
      for (int q = 0; q < n; q++) {
        std::vector<double> weight(n), kept(n), of_weight(n);
        double sum = 0, both = 0;
        for (int k = 0; k < n; k++) {
          double s = 0;
          for (int d = 0; d < head; d++) s += (double)number(all[in(q, 0, d)]) * number(all[in(k, 1, d)]);
          sum += weight[k] = std::exp(s / std::sqrt((double)head));
          u64 bits = mixed(5, ((u64)(ends[i] + q) * heads + h) * (MOST / 2) + k / 2);
          kept[k] = drop && (u32)(k % 2 ? bits >> 32 : bits) < drop ? 0 : scale;
        }
        for (int k = 0; k < n; k++) {
          weight[k] /= sum;
          for (int d = 0; d < head; d++) {
            w_out[at(q, d)] += weight[k] * kept[k] * number(all[in(k, 2, d)]);
            of_weight[k] += (double)number(g[at(q, d)]) * number(all[in(k, 2, d)]) * kept[k];
          }
          both += of_weight[k] * weight[k];
        }
        for (int k = 0; k < n; k++)
          for (int d = 0; d < head; d++) {
            double of_score = weight[k] * (of_weight[k] - both) / std::sqrt((double)head);
            w_all[in(q, 0, d)] += of_score * number(all[in(k, 1, d)]);
            w_all[in(k, 1, d)] += of_score * number(all[in(q, 0, d)]);
            w_all[in(k, 2, d)] += weight[k] * kept[k] * number(g[at(q, d)]);
          }
      }
      for (int row = 0; row < n; row++)
        for (int part = 0; part < 3; part++)
          for (int d = 0; d < head; d++) w_sums[(i * 3 + part) * hidden + h * head + d] += w_all[in(row, part, d)];
    }
  say("attention", far(out, w_out));
  say("attention.gradients", far(of_all, w_all));
  say("attention.sums", far(sums, w_sums));
}

int main() {
  lamb({1, 3 * STEP_NUMBERS + 5, 300, STEP_NUMBERS});
  for (double p : {0., .2}) {
    attention({5, 1, 33, 16}, p);
    attention({64, 17, 8}, p);
  }
  cross_entropy(3, 4096, 1);
  cross_entropy(2, 64, 9);
  add_norm(29, 0);
  add_norm(29, .1);
  gelu(37, 3 * TILE + 8);
  gelu(5, 64);
  join_and_pick(21);
}
