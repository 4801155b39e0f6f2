// Numbers in bfloat16, and random bits, as the kernels of fused.cu and of attention.cu read them.

typedef unsigned int u32;
typedef unsigned long long u64;

#define INFINITY_ __uint_as_float(0x7f800000u)

// Values are N numbers in bfloat16, read and written at once.
template <int N> struct alignas(2 * N) Values {
  u32 pairs[N / 2];
};

__device__ __forceinline__ float lower(u32 pair) { return __uint_as_float(pair << 16); }
__device__ __forceinline__ float upper(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }

// rounded is x in bfloat16: to the nearest, ties to even. NaN stays NaN.
__device__ __forceinline__ u32 rounded(float x) {
  u32 bits = __float_as_uint(x);
  return x != x ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
}
__device__ __forceinline__ u32 pair_of(float low, float high) { return rounded(low) | (rounded(high) << 16); }

template <int N> __device__ __forceinline__ float value(const Values<N> &v, int k) { return k % 2 ? upper(v.pairs[k / 2]) : lower(v.pairs[k / 2]); }

// mixed are 64 random bits, a function of the seed and the place: splitmix64 (Steele et al. 2014).
__device__ __forceinline__ u64 mixed(u64 seed, u64 place) {
  u64 z = seed + (place + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
