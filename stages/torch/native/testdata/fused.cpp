// The kernels of fused.cu, built for the host, beside the same arithmetic in float64:
//   c++ -std=c++17 -O2 -DHIDDEN=768 fused.cpp && ./a.out
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

#include "../fused.cu"

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

int main() {
  cross_entropy(3, 4096, 1);
  cross_entropy(2, 64, 9);
  add_norm(29, 0);
  add_norm(29, .1);
  gelu(37, 3 * TILE + 8);
  gelu(5, 64);
  join_and_pick(21);
}
