//go:build libtorch

#include "int8.h"

#include <cmath>
#include <stdexcept>

using namespace bridge;

// The loops are compiled for several processors, of which the one at hand takes its own.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define SENTWEAVE_LOOP __attribute__((optimize("O3,no-trapping-math,no-math-errno"), target_clones("avx512f", "avx2,fma", "default")))
#else
#define SENTWEAVE_LOOP
#endif
#define SENTWEAVE_INLINE static inline __attribute__((always_inline))

namespace {

// To this, numbers below 2^22 are added to be rounded to the nearest whole number, the even one of two. The last bits are that number.
const float rounding = 12582912;

SENTWEAVE_INLINE int32_t bits_of(float x) {
  int32_t i;
  __builtin_memcpy(&i, &x, 4);
  return i;
}

SENTWEAVE_INLINE float float_of(int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

// gelu is x Φ(x), the error function by Abramowitz and Stegun, 7.1.26, whose greatest error is 1.5e-7, and the exponential by
// Taylor's polynomial between two powers of 2.
SENTWEAVE_INLINE float gelu(float x) {
  float z = __builtin_fabsf(x) * .70710678f, t = 1 / (1 + .3275911f * z);
  float power = z * z * -1.44269504f;
  power = power < -126 ? -126 : power;
  float whole = power + rounding, rest = (power - (whole - rounding)) * .69314718f;
  float exponential = 1 + rest * (1 + rest * (.5f + rest * (.16666667f + rest * (.041666667f + rest * .0083333333f))));
  exponential *= float_of((bits_of(whole) - bits_of(rounding) + 127) << 23);
  float tail = t * (.254829592f + t * (-.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))) * exponential;
  return .5f * (x + __builtin_fabsf(x) * (1 - tail));
}

// quantize divides a row of n numbers by the scale that it returns, and rounds.
SENTWEAVE_INLINE float quantize(const float *__restrict x, int8_t *__restrict values, int64_t n) {
  float greatest = 0;
  for (int64_t i = 0; i < n; i++) {
    float magnitude = __builtin_fabsf(x[i]);
    greatest = magnitude > greatest ? magnitude : greatest;
  }
  float factor = greatest > 0 ? 127 / greatest : 0;
  for (int64_t i = 0; i < n; i++) values[i] = (int8_t)(bits_of(x[i] * factor + rounding) - bits_of(rounding));
  return greatest / 127;
}

// scaled sets y to the sums of a row, times both scales, and the bias.
SENTWEAVE_INLINE void scaled(float *__restrict y, const int32_t *__restrict sums, float scale, const float *__restrict scales, const float *__restrict bias, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] = sums[i] * (scale * scales[i]) + bias[i];
}

SENTWEAVE_LOOP void quantize_rows(const float *x, int8_t *values, float *scales, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++) scales[i] = quantize(x + i * n, values + i * n, n);
}

SENTWEAVE_LOOP void scale_rows(float *y, const int32_t *sums, const float *rows, const float *scales, const float *bias, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++) scaled(y + i * n, sums + i * n, rows[i], scales, bias, n);
}

SENTWEAVE_LOOP void gelu_rows(float *row, int8_t *values, float *results, const int32_t *sums, const float *rows, const float *scales, const float *bias,
                              int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++) {
    scaled(row, sums + i * n, rows[i], scales, bias, n);
    for (int64_t k = 0; k < n; k++) row[k] = gelu(row[k]);
    results[i] = quantize(row, values + i * n, n);
  }
}

// Product is what linear and activated begin with.
struct Product {
  at::Tensor sums, scales;

  Product(const int8::Rows &x, const at::Tensor &weight)
      : sums(at::_int_mm(x.values, at::from_blob(weight.data_ptr(), weight.sizes(), at::TensorOptions(at::kChar)))),
        scales(weight.q_per_channel_scales().to(at::kFloat)) {}
};

} // namespace

namespace int8 {

Rows rows(const at::Tensor &tensor) {
  at::Tensor x = tensor.contiguous();
  Rows r{at::empty(x.sizes(), at::TensorOptions(at::kChar)), at::empty({x.size(0)}, at::TensorOptions(at::kFloat))};
  quantize_rows(x.data_ptr<float>(), r.values.data_ptr<int8_t>(), r.scales.data_ptr<float>(), x.size(0), x.size(1));
  return r;
}

at::Tensor weight(const at::Tensor &linear) {
  Rows r = rows(linear);
  return at::_make_per_channel_quantized_tensor(r.values.t().contiguous(), r.scales.to(at::kDouble), at::zeros_like(r.scales, at::kLong), 1);
}

at::Tensor linear(const Rows &x, const at::Tensor &weight, const at::Tensor &bias) {
  Product p(x, weight);
  at::Tensor y = at::empty(p.sums.sizes(), at::TensorOptions(at::kFloat));
  scale_rows(y.data_ptr<float>(), p.sums.data_ptr<int32_t>(), x.scales.data_ptr<float>(), p.scales.data_ptr<float>(), bias.data_ptr<float>(), y.size(0), y.size(1));
  return y;
}

Rows activated(const Rows &x, const at::Tensor &weight, const at::Tensor &bias, int activation) {
  if (activation != SENTWEAVE_GELU) return rows(bridge::activated(linear(x, weight, bias), activation));
  Product p(x, weight);
  int64_t count = p.sums.size(0), n = p.sums.size(1);
  Rows r{at::empty({count, n}, at::TensorOptions(at::kChar)), at::empty({count}, at::TensorOptions(at::kFloat))};
  std::vector<float> row(n);
  gelu_rows(row.data(), r.values.data_ptr<int8_t>(), r.scales.data_ptr<float>(), p.sums.data_ptr<int32_t>(), x.scales.data_ptr<float>(),
            p.scales.data_ptr<float>(), bias.data_ptr<float>(), count, n);
  return r;
}

} // namespace int8

char *sentweave_quantized(void *linear, void **weight) {
  return guarded([&] { *weight = new at::Tensor(int8::weight(of(linear))); });
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
