//go:build libtorch

#include "rows.h"
#include "loops.h"

#include <ATen/native/CPUBlas.h>
#ifdef CPUBLAS_BRGEMM_I8I8I32
#include <ATen/cpu/Utils.h>
#endif

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace bridge;

namespace {

// block is the number of rows that are multiplied at once, or twice as many where there are more: libtorch looks for its kernel in each
// call, which took 5 % of the time of an embedding by single blocks. Wide is the number of columns.
const int64_t block = 32, wide = 64;

bool has_tiles() {
#ifdef CPUBLAS_BRGEMM_I8I8I32
  static const bool has = at::cpu::init_amx() && at::native::cpublas::could_pack(at::kChar);
  return has;
#else
  return false;
#endif
}

// tiles says whether a weight, [inputs, outputs], is in the order of tiles.
bool tiles(int64_t inputs, int64_t outputs) { return has_tiles() && inputs % 64 == 0 && outputs % wide == 0; }

// tiled is a weight, [inputs, outputs], in that order.
at::Tensor tiled(const at::Tensor &weight) {
  at::Tensor all = at::empty_like(weight);
#ifdef CPUBLAS_BRGEMM_I8I8I32
  int64_t inputs = weight.size(0), outputs = weight.size(1), size = weight.element_size();
  for (int64_t i = 0; i < outputs; i += wide)
    at::native::cpublas::pack(inputs, wide, outputs, wide, weight.scalar_type(), weight.scalar_type(), (char *)weight.data_ptr() + i * size,
                              (char *)all.data_ptr() + i * inputs * size);
#endif
  return all;
}

// quantize divides a row of n numbers by the scale that it returns, and rounds.
SENTWEAVE_INLINE float quantize(const float *__restrict x, int8_t *__restrict values, int64_t n) {
  float greatest = 0;
  for (int64_t i = 0; i < n; i++) {
    float magnitude = __builtin_fabsf(x[i]);
    greatest = magnitude > greatest ? magnitude : greatest;
  }
  float factor = greatest > 0 ? 127 / greatest : 0;
  for (int64_t i = 0; i < n; i++) values[i] = (int8_t)(loops::bits_of(x[i] * factor + loops::rounding) - loops::bits_of(loops::rounding));
  return greatest / 127;
}

// reduce rounds a row of n numbers, a multiple of 16, to bfloat16, to the even one of two. None is NaN.
SENTWEAVE_INLINE void reduce(const float *__restrict x, uint16_t *__restrict values, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) {
    loops::words bits = *(const loops::words *)(x + i);
    *(loops::halves *)(values + i) = __builtin_convertvector((bits + 0x7fff + (bits >> 16 & 1)) >> 16, loops::halves);
  }
}

SENTWEAVE_LOOP void quantize_rows(const float *x, int8_t *values, float *scales, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++) scales[i] = quantize(x + i * n, values + i * n, n);
}

SENTWEAVE_LOOP void reduce_rows(const float *x, uint16_t *values, int64_t count, int64_t n) { reduce(x, values, count * n); }

// Sums are those of products of count rows with n columns, of the outputs from first on: whole ones with the scales of rows and columns,
// or floats.
struct Sums {
  const int32_t *whole;
  const float *floats, *rows, *scales, *bias;
  int64_t count, n, first;
};

// row sets y to row i of the sums, scaled, and the bias.
SENTWEAVE_INLINE void row(const Sums &s, int64_t i, float *__restrict y) {
  const float *__restrict bias = s.bias + s.first, *__restrict scales = s.scales + s.first, *__restrict floats = s.floats + i * s.n;
  const int32_t *__restrict whole = s.whole + i * s.n;
  if (s.floats) {
    for (int64_t k = 0; k < s.n; k++) y[k] = floats[k] + bias[k];
    return;
  }
  float scale = s.rows[i];
  for (int64_t k = 0; k < s.n; k++) y[k] = whole[k] * (scale * scales[k]) + bias[k];
}

// Rows of what follows are apart numbers from each other.

SENTWEAVE_LOOP void finish(const Sums &s, float *y, int64_t apart) {
  for (int64_t i = 0; i < s.count; i++) row(s, i, y + i * apart);
}

SENTWEAVE_LOOP void finish_gelu(const Sums &s, float *y, int8_t *values, float *results) {
  for (int64_t i = 0; i < s.count; i++) {
    row(s, i, y);
    for (int64_t k = 0; k < s.n; k++) y[k] = loops::gelu(y[k]);
    results[i] = quantize(y, values + i * s.n, s.n);
  }
}

SENTWEAVE_LOOP void finish_gelu_reduced(const Sums &s, float *y, uint16_t *values, int64_t apart) {
  for (int64_t i = 0; i < s.count; i++) {
    row(s, i, y);
    for (int64_t k = 0; k < s.n; k++) y[k] = loops::gelu(y[k]);
    reduce(y, values + i * apart, s.n);
  }
}

// finish_norm adds in lanes, of which a processor has as many as it can.
SENTWEAVE_LOOP void finish_norm(const Sums &s, float *y, const float *residual, const float *weight, const float *bias, float epsilon) {
  for (int64_t i = 0; i < s.count; i++, y += s.n, residual += s.n) {
    row(s, i, y);
    float sums[16] = {}, squares[16] = {};
    int64_t whole = s.n / 16 * 16;
    for (int64_t k = 0; k < whole; k += 16)
      for (int j = 0; j < 16; j++) sums[j] += y[k + j] += residual[k + j];
    float sum = 0, square = 0;
    for (int64_t k = whole; k < s.n; k++) sum += y[k] += residual[k];
    float mean = (sum + loops::total(sums)) / s.n;
    for (int64_t k = 0; k < whole; k += 16)
      for (int j = 0; j < 16; j++) squares[j] += (y[k + j] - mean) * (y[k + j] - mean);
    for (int64_t k = whole; k < s.n; k++) square += (y[k] - mean) * (y[k] - mean);
    float factor = 1 / __builtin_sqrtf((square + loops::total(squares)) / s.n + epsilon);
    for (int64_t k = 0; k < s.n; k++) y[k] = (y[k] - mean) * factor * weight[k] + bias[k];
  }
}

// multiply calls a function with the sums of the rows from some row on, block by block, while they are in the cache: with those of all
// outputs, or with some where the function takes a part of a row.
template <class Finish> void multiply(const rows::Rows &x, const at::Tensor &weight, const at::Tensor &bias, bool parts, Finish finished) {
  at::Tensor scales = weight.is_quantized() ? weight.q_per_channel_scales().to(at::kFloat) : at::Tensor(), b = bias.to(at::kFloat).contiguous();
  int64_t inputs = weight.size(-2), outputs = rows::outputs(weight);
  Sums s{nullptr, nullptr, nullptr, scales.defined() ? scales.data_ptr<float>() : nullptr, b.data_ptr<float>(), x.count, outputs, 0};
  if (!tiles(inputs, outputs)) {
    at::Tensor sums = at::_int_mm(x.values, at::from_blob(weight.data_ptr(), weight.sizes(), at::TensorOptions(at::kChar)));
    s.whole = sums.data_ptr<int32_t>(), s.rows = x.scales.data_ptr<float>();
    finished(0, s);
    return;
  }
#ifdef CPUBLAS_BRGEMM_I8I8I32
  using at::native::cpublas::brgemm;
  s.n = parts ? wide : outputs;
  at::Tensor sums = at::empty({2 * block, s.n}, at::TensorOptions(scales.defined() ? at::kInt : at::kFloat));
  auto blocks = [&](auto *rows, auto *columns, auto *results) {
    for (int64_t i = 0; i < x.count; i += s.count) {
      int64_t multiplied = x.count - i > block ? 2 * block : block;
      s.count = std::min(multiplied, x.count - i);
      if (scales.defined()) s.rows = x.scales.data_ptr<float>() + i;
      for (s.first = 0; s.first < outputs; s.first += s.n) {
        for (int64_t k = 0; k < s.n; k += wide)
          brgemm(multiplied, wide, inputs, inputs, wide, s.n, false, rows + i * inputs, columns + (s.first + k) * inputs, results + k);
        finished(i, s);
      }
    }
  };
  if (scales.defined()) {
    int32_t *results = sums.data_ptr<int32_t>();
    s.whole = results;
    blocks(x.values.data_ptr<int8_t>(), static_cast<const int8_t *>(weight.data_ptr()), results);
  } else {
    float *results = sums.data_ptr<float>();
    s.floats = results;
    blocks(x.values.data_ptr<at::BFloat16>(), weight.data_ptr<at::BFloat16>(), results);
  }
  at::native::cpublas::brgemm_release();
#endif
}

// room is that of count rows of n values like those of a weight.
rows::Rows room(int64_t count, int64_t n, const at::Tensor &weight) {
  int64_t whole = has_tiles() ? (count + block - 1) / block * block : count;
  if (!weight.is_quantized()) return {count, at::empty({whole, n}, at::TensorOptions(at::kBFloat16)), {}};
  return {count, at::empty({whole, n}, at::TensorOptions(at::kChar)), at::empty({count}, at::TensorOptions(at::kFloat))};
}

uint16_t *bits(const at::Tensor &t) { return static_cast<uint16_t *>(t.data_ptr()); }

// set sets count rows of n values, from the first on, to those of x.
void set(rows::Rows &r, int64_t first, const float *x, int64_t count, int64_t n) {
  if (r.scales.defined())
    quantize_rows(x, r.values.data_ptr<int8_t>() + first * n, r.scales.data_ptr<float>() + first, count, n);
  else
    reduce_rows(x, bits(r.values) + first * n, count, n);
}

} // namespace

namespace rows {

bool takes(const at::Tensor &weight) { return weight.is_quantized() || weight.dim() == 3; }

int64_t outputs(const at::Tensor &weight) { return weight.dim() == 3 ? weight.size(0) * wide : weight.size(1); }

Rows of(const at::Tensor &tensor, const at::Tensor &weight) {
  at::Tensor x = tensor.to(at::kFloat).contiguous();
  Rows r = room(x.size(0), x.size(1), weight);
  set(r, 0, x.data_ptr<float>(), r.count, x.size(1));
  return r;
}

at::Tensor quantized(const at::Tensor &linear) {
  at::Tensor x = linear.contiguous(), values = at::empty(x.sizes(), at::TensorOptions(at::kChar)), scales = at::empty({x.size(0)}, at::TensorOptions(at::kFloat));
  quantize_rows(x.data_ptr<float>(), values.data_ptr<int8_t>(), scales.data_ptr<float>(), x.size(0), x.size(1));
  values = values.t().contiguous();
  if (tiles(values.size(0), values.size(1))) values = tiled(values);
  return at::_make_per_channel_quantized_tensor(values, scales.to(at::kDouble), at::zeros_like(scales, at::kLong), 1);
}

at::Tensor reduced(const at::Tensor &linear) {
  if (!tiles(linear.size(1), linear.size(0))) return {};
  return tiled(linear.t().to(at::kBFloat16).contiguous()).view({-1, linear.size(1), wide});
}

at::Tensor linear(const Rows &x, const at::Tensor &weight, const at::Tensor &bias) {
  int64_t n = outputs(weight);
  at::Tensor y = at::empty({x.count, n}, at::TensorOptions(at::kFloat));
  float *results = y.data_ptr<float>();
  multiply(x, weight, bias, true, [&](int64_t i, const Sums &s) { finish(s, results + i * n + s.first, n); });
  return y;
}

Rows activated(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, int activation) {
  if (activation != SENTWEAVE_GELU) return of(bridge::activated(linear(x, weight, bias), activation), weight);
  int64_t n = outputs(weight);
  Rows r = room(x.count, n, weight);
  std::vector<float> y(n);
  if (weight.is_quantized())
    multiply(x, weight, bias, false, [&](int64_t i, const Sums &s) {
      finish_gelu(s, y.data(), r.values.data_ptr<int8_t>() + i * n, r.scales.data_ptr<float>() + i);
    });
  else
    multiply(x, weight, bias, true, [&](int64_t i, const Sums &s) {
      finish_gelu_reduced(s, y.data(), bits(r.values) + i * n + s.first, n);
    });
  return r;
}

at::Tensor normed(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &residual, const Norm &norm, Rows *reduced) {
  at::Tensor y = at::empty({x.count, outputs(weight)}, at::TensorOptions(at::kFloat)), r = residual.contiguous();
  if (reduced) *reduced = room(x.count, outputs(weight), weight);
  multiply(x, weight, bias, false, [&](int64_t i, const Sums &s) {
    float *results = y.data_ptr<float>() + i * s.n;
    finish_norm(s, results, r.data_ptr<float>() + i * s.n, norm.weight.data_ptr<float>(), norm.bias.data_ptr<float>(), norm.epsilon);
    if (reduced) set(*reduced, i, results, s.count, s.n);
  });
  return y;
}

} // namespace rows

char *sentweave_quantized(void *linear, void **weight) {
  return guarded([&] { *weight = new at::Tensor(rows::quantized(of(linear))); });
}

char *sentweave_check_quantized(void) {
  return guarded([&] {
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 7
    throw std::runtime_error("libtorch " TORCH_VERSION " has no products in int8; 2.7 and later have");
#endif
    at::Tensor greatest = at::full({64, 64}, 127, at::TensorOptions(at::kChar));
    if (at::_int_mm(greatest, greatest).ne(64 * 127 * 127).any().item<bool>())
      throw std::runtime_error("this processor adds products in int8 up to 16 bits only: it has no VNNI");
  });
}
