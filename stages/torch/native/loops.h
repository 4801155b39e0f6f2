// Loops over rows of numbers on the CPU, compiled for several processors, of which the one at hand takes its own.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define SENTWEAVE_LOOP __attribute__((optimize("O3,no-trapping-math,no-math-errno"), target_clones("avx512f", "avx2,fma", "default")))
#else
#define SENTWEAVE_LOOP
#endif
#define SENTWEAVE_INLINE static inline __attribute__((always_inline))

namespace loops {

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

// exponential is e^x for x up to 0, by Taylor's polynomial between two powers of 2; its relative error is below 3e-6.
SENTWEAVE_INLINE float exponential(float x) {
  float power = x * 1.44269504f;
  power = power < -126 ? -126 : power;
  float whole = power + rounding, rest = (power - (whole - rounding)) * .69314718f;
  float y = 1 + rest * (1 + rest * (.5f + rest * (.16666667f + rest * (.041666667f + rest * .0083333333f))));
  return y * float_of((bits_of(whole) - bits_of(rounding) + 127) << 23);
}

// gelu is x Φ(x), the error function by Abramowitz and Stegun, 7.1.26, whose greatest error is 1.5e-7.
SENTWEAVE_INLINE float gelu(float x) {
  float z = __builtin_fabsf(x) * .70710678f, t = 1 / (1 + .3275911f * z);
  float tail = t * (.254829592f + t * (-.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f)))) * exponential(-z * z);
  return .5f * (x + __builtin_fabsf(x) * (1 - tail));
}

} // namespace loops
