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

// Vectors of sixteen numbers: a register of AVX-512, or several smaller ones.
typedef float sixteen __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t words __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint16_t halves __attribute__((vector_size(32), aligned(2), may_alias));

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

// gelu is x Φ(x), for results that are rounded to bfloat16 or 8 bits. Between -4.25 and 4.25, Φ is a polynomial whose greatest error of
// x Φ(x), 4e-6, is the least of its degree; beyond, Φ is that of the ends, and the error is 1.2e-5 x.
SENTWEAVE_INLINE float gelu(float x) {
  const float factors[] = {.16593663f,    -.080783404f, .05565301f,   -.03902818f,   .02586688f,
                           -.015373102f, .008095212f,  -.004600797f, .0027274347f, -.000849309f};
  float z = x < -4.25f ? -4.25f : x, y = factors[9];
  z = z > 4.25f ? 4.25f : z;
  float t = z * z * (2 / (4.25f * 4.25f)) - 1;
#pragma GCC unroll 9
  for (int i = 8; i >= 0; i--) y = y * t + factors[i];
  return x * (.5f + z * y);
}

// total adds sixteen lanes.
SENTWEAVE_INLINE float total(float *lanes) {
  for (int half = 8; half; half /= 2)
    for (int j = 0; j < half; j++) lanes[j] += lanes[j + half];
  return lanes[0];
}

} // namespace loops
