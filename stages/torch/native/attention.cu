// Attention inside sequences of up to MOST tokens, all at once, in bfloat16 with float32 sums; it is compiled behind values.cu. Flash
// attention works in blocks of 64 and 128 tokens, of which sentences leave most empty. A block has a sequence and a head, and each
// of its warps 16 rows: products are of 16 × 16 by 16 × 8 numbers (mma.m16n8k16), where a lane has the rows lane / 4 and
// lane / 4 + 8, and two columns or two numbers of each half of the sum from lane % 4 on. NVRTC compiles it for a HEAD size, 32 or 64.

#define MOST 64

// The words of shared memory of a block, as many as the launch gives.
#ifndef SHARED_WORDS
#define SHARED_WORDS(name) extern __shared__ __align__(16) u32 name[]

// multiply adds the product of 16 rows of a and 8 columns of b to sum.
__device__ __forceinline__ void multiply(float *sum, const u32 *a, u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

// Matrix are rows in shared memory, of so many words; four words between rows keep lanes out of each other's banks.
template <int WORDS> struct Matrix {
  static const int stride = WORDS + 4;
  u32 *words;

  __device__ __forceinline__ u32 pair(int row, int word) const { return words[row * stride + word]; }
  // down are the numbers of a column in a row and in the next one.
  __device__ __forceinline__ u32 down(int row, int column) const {
    const unsigned short *numbers = (const unsigned short *)words + row * 2 * stride + column;
    return numbers[0] | (u32)numbers[2 * stride] << 16;
  }
  // fill has all threads copy n rows, and zeros as the others up to rows.
  __device__ __forceinline__ void fill(const u32 *from, u64 apart, int n, int rows) {
    for (int i = threadIdx.x; i < rows * WORDS / 4; i += blockDim.x) {
      int row = i / (WORDS / 4), word = i % (WORDS / 4) * 4;
      Values<8> v = {{0, 0, 0, 0}};
      if (row < n) v = *(const Values<8> *)(from + row * apart + word);
      *(Values<8> *)(words + row * stride + word) = v;
    }
  }
  // read is a part of 16 rows and of 16 columns, as the left side of a product.
  __device__ __forceinline__ void read(u32 *a, int row, int column) const {
    int lane = threadIdx.x % 32, g = row + lane / 4, t = column / 2 + lane % 4;
    a[0] = pair(g, t), a[1] = pair(g + 8, t), a[2] = pair(g, t + 4), a[3] = pair(g + 8, t + 4);
  }
  // read_across is the same of the matrix whose rows are the columns.
  __device__ __forceinline__ void read_across(u32 *a, int row, int column) const {
    int lane = threadIdx.x % 32, g = row + lane / 4, t = column + lane % 4 * 2;
    a[0] = down(t, g), a[1] = down(t, g + 8), a[2] = down(t + 8, g), a[3] = down(t + 8, g + 8);
  }
};

typedef Matrix<HEAD / 2> Rows;
typedef Matrix<MOST / 2> Weights;

// left makes two neighbors of sums the left side of a product.
__device__ __forceinline__ void left(u32 *a, const float *first, const float *second) {
  a[0] = pair_of(first[0], first[1]), a[1] = pair_of(first[2], first[3]);
  a[2] = pair_of(second[0], second[1]), a[3] = pair_of(second[2], second[3]);
}

// Dropout keeps or drops the weights of two neighboring keys.
struct Dropout {
  u64 seed;
  u32 drop;
  float scale;

  __device__ __forceinline__ void factors(float *two, u64 place) const {
    two[0] = two[1] = 1;
    if (!drop) return;
    u64 bits = mixed(seed, place);
    two[0] = (u32)bits < drop ? 0.f : scale;
    two[1] = (u32)(bits >> 32) < drop ? 0.f : scale;
  }
};

// Place are the rows of a sequence and the words of a head in lists of tokens: queries, keys and values are beside each other.
struct Place {
  int start, n, rows, heads, head, hidden, tile, g, t;

  __device__ __forceinline__ Place(const int *ends, int of_hidden)
      : start(ends[blockIdx.x]), n(ends[blockIdx.x + 1] - ends[blockIdx.x]), rows(blockDim.x / 2), heads(of_hidden / HEAD), head(blockIdx.y), hidden(of_hidden),
        tile(threadIdx.x / 32 * 16), g(threadIdx.x % 32 / 4), t(threadIdx.x % 4) {}
  __device__ __forceinline__ u64 apart() const { return 3 * hidden / 2; }
  __device__ __forceinline__ u64 of_three(int part) const { return start * apart() + (part * hidden + head * HEAD) / 2; }
  __device__ __forceinline__ u64 of_one() const { return ((u64)start * hidden + head * HEAD) / 2; }
  __device__ __forceinline__ u64 of_row(int row) const { return (u64)(start + row) * heads + head; }
  // write are the sums of 16 rows as rows of a list.
  __device__ __forceinline__ void write(u32 *list, u64 apart, float (*sums)[4]) const {
    for (int half = 0; half < 2; half++) {
      int row = tile + g + 8 * half;
      if (row >= n) continue;
#pragma unroll
      for (int j = 0; j < HEAD / 8; j++) list[row * apart + j * 4 + t] = pair_of(sums[j][2 * half], sums[j][2 * half + 1]);
    }
  }
};

// The scores of 16 queries with all keys, not yet scaled.
__device__ __forceinline__ void score(float (*s)[4], u32 (*a)[4], const Rows &keys, const Place &p) {
#pragma unroll
  for (int j = 0; j < MOST / 8; j++) {
    s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0;
    if (j * 8 >= p.n) continue;
#pragma unroll
    for (int k = 0; k < HEAD / 16; k++) multiply(s[j], a[k], keys.pair(j * 8 + p.g, k * 8 + p.t), keys.pair(j * 8 + p.g, k * 8 + p.t + 4));
  }
}

// sums += a times 16 rows of b.
__device__ __forceinline__ void add_product(float (*sums)[4], const u32 *a, const Rows &b, int row, const Place &p) {
#pragma unroll
  for (int j = 0; j < HEAD / 8; j++) multiply(sums[j], a, b.down(row + 2 * p.t, j * 8 + p.g), b.down(row + 2 * p.t + 8, j * 8 + p.g));
}

__device__ __forceinline__ float sum_of_four(float v) {
  v += __shfl_xor_sync(~0u, v, 1);
  return v + __shfl_xor_sync(~0u, v, 2);
}

// out are the values, weighted by softmax of the scores; log_sums are the logarithms of the sums of their exponentials, [rows, heads].
extern "C" __global__ void attend_forward(const u32 *all, const int *ends, u32 *out, float *log_sums, int hidden, u64 seed, u32 drop, float kept) {
  SHARED_WORDS(shared);
  Place p(ends, hidden);
  Dropout dropout = {seed, drop, kept};
  Rows keys = {shared}, values = {shared + p.rows * Rows::stride};
  keys.fill(all + p.of_three(1), p.apart(), p.n, p.rows);
  values.fill(all + p.of_three(2), p.apart(), p.n, p.rows);
  __syncthreads();
  if (p.tile >= p.n) return;
  const float scale = rsqrtf(HEAD);
  u32 a[HEAD / 16][4];
  float s[MOST / 8][4], o[HEAD / 8][4], most[2] = {-INFINITY_, -INFINITY_}, sum[2] = {0, 0};
  const u32 *queries = all + p.of_three(0);
#pragma unroll
  for (int k = 0; k < HEAD / 16; k++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int row = p.tile + p.g + i % 2 * 8;
      a[k][i] = row < p.n ? queries[row * p.apart() + k * 8 + p.t + i / 2 * 4] : 0;
    }
  score(s, a, keys, p);
#pragma unroll
  for (int j = 0; j < MOST / 8; j++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (j * 8 + 2 * p.t + i % 2 < p.n) most[i / 2] = fmaxf(most[i / 2], s[j][i]);
#pragma unroll
  for (int half = 0; half < 2; half++) {
    most[half] = fmaxf(most[half], __shfl_xor_sync(~0u, most[half], 1));
    most[half] = fmaxf(most[half], __shfl_xor_sync(~0u, most[half], 2));
  }
#pragma unroll
  for (int j = 0; j < MOST / 8; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      s[j][i] = j * 8 + 2 * p.t + i % 2 < p.n ? __expf((s[j][i] - most[i / 2]) * scale) : 0.f;
      sum[i / 2] += s[j][i];
    }
#pragma unroll
  for (int half = 0; half < 2; half++) {
    int row = p.tile + p.g + 8 * half;
    sum[half] = sum_of_four(sum[half]);
    if (p.t == 0 && row < p.n) log_sums[p.of_row(row)] = most[half] * scale + logf(sum[half]);
#pragma unroll
    for (int j = 0; j < MOST / 8; j++) {
      float two[2];
      dropout.factors(two, p.of_row(row) * (MOST / 2) + j * 4 + p.t);
      s[j][2 * half] *= two[0] / sum[half];
      s[j][2 * half + 1] *= two[1] / sum[half];
    }
  }
#pragma unroll
  for (int j = 0; j < HEAD / 8; j++) o[j][0] = o[j][1] = o[j][2] = o[j][3] = 0;
#pragma unroll
  for (int k = 0; k < MOST / 16; k++) {
    if (k * 16 >= p.n) continue;
    u32 weights[4];
    left(weights, s[2 * k], s[2 * k + 1]);
    add_product(o, weights, values, k * 16, p);
  }
  p.write(out + p.of_one(), hidden / 2, o);
}

// add_columns leaves the sums over 16 rows in shared memory, [parts, warps, HEAD].
__device__ __forceinline__ void add_columns(float *columns, int part, float (*sums)[4], const Place &p) {
#pragma unroll
  for (int j = 0; j < HEAD / 8; j++)
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float v = sums[j][i] + sums[j][i + 2];
      for (int offset = 4; offset < 32; offset *= 2) v += __shfl_xor_sync(~0u, v, offset);
      if (p.g == 0) columns[(part * (MOST / 16) + p.tile / 16) * HEAD + j * 8 + 2 * p.t + i] = v;
    }
}

// The gradients of queries, keys and values, and their sums over each sequence: sums is [sequences, 3, hidden].
extern "C" __global__ void attend_backward(const u32 *all, const int *ends, const u32 *out, const u32 *gradient, const float *log_sums, u32 *of_all, float *sums, int hidden,
                                           u64 seed, u32 drop, float kept) {
  SHARED_WORDS(shared);
  Place p(ends, hidden);
  Dropout dropout = {seed, drop, kept};
  const int stride = Rows::stride;
  Rows queries = {shared}, keys = {shared + p.rows * stride}, gradients = {shared + 2 * p.rows * stride};
  Weights weights = {shared + 3 * p.rows * stride}, of_scores = {weights.words + p.rows * Weights::stride};
  float *columns = (float *)(of_scores.words + p.rows * Weights::stride);
  queries.fill(all + p.of_three(0), p.apart(), p.n, p.rows);
  keys.fill(all + p.of_three(1), p.apart(), p.n, p.rows);
  gradients.fill(gradient + p.of_one(), hidden / 2, p.n, p.rows);
  __syncthreads();
  const float scale = rsqrtf(HEAD);
  float result[HEAD / 8][4];
  if (p.tile < p.n) {
    u32 a[HEAD / 16][4];
    float s[MOST / 8][4], of_weights[MOST / 8][4], both[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < HEAD / 16; k++) queries.read(a[k], p.tile, k * 16);
    score(s, a, keys, p);
#pragma unroll
    for (int k = 0; k < HEAD / 16; k++) {
      gradients.read(a[k], p.tile, k * 16);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        int row = p.tile + p.g + i % 2 * 8;
        u32 o = row < p.n ? out[p.of_one() + (u64)row * (hidden / 2) + k * 8 + p.t + i / 2 * 4] : 0;
        both[i % 2] += lower(a[k][i]) * lower(o) + upper(a[k][i]) * upper(o);
      }
    }
    both[0] = sum_of_four(both[0]), both[1] = sum_of_four(both[1]);
    const u32 *values = all + p.of_three(2);
#pragma unroll
    for (int j = 0; j < MOST / 8; j++) {
      of_weights[j][0] = of_weights[j][1] = of_weights[j][2] = of_weights[j][3] = 0;
      if (j * 8 >= p.n) continue;
      int row = j * 8 + p.g;
#pragma unroll
      for (int k = 0; k < HEAD / 16; k++) {
        u32 b0 = row < p.n ? values[row * p.apart() + k * 8 + p.t] : 0, b1 = row < p.n ? values[row * p.apart() + k * 8 + p.t + 4] : 0;
        multiply(of_weights[j], a[k], b0, b1);
      }
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int row = p.tile + p.g + 8 * half;
      float log_sum = row < p.n ? log_sums[p.of_row(row)] : 0;
#pragma unroll
      for (int j = 0; j < MOST / 8; j++) {
        if (j * 8 >= p.rows) continue;
        float two[2], w[2];
        dropout.factors(two, p.of_row(row) * (MOST / 2) + j * 4 + p.t);
#pragma unroll
        for (int i = 0; i < 2; i++) {
          float &score = s[j][2 * half + i];
          float weight = row < p.n && j * 8 + 2 * p.t + i < p.n ? __expf(score * scale - log_sum) : 0.f;
          w[i] = weight * two[i];
          score = weight * (of_weights[j][2 * half + i] * two[i] - both[half]) * scale;
        }
        int word = row * Weights::stride + j * 4 + p.t;
        weights.words[word] = pair_of(w[0], w[1]);
        of_scores.words[word] = pair_of(s[j][2 * half], s[j][2 * half + 1]);
      }
    }
#pragma unroll
    for (int j = 0; j < HEAD / 8; j++) result[j][0] = result[j][1] = result[j][2] = result[j][3] = 0;
#pragma unroll
    for (int k = 0; k < MOST / 16; k++) {
      if (k * 16 >= p.n) continue;
      left(a[0], s[2 * k], s[2 * k + 1]);
      add_product(result, a[0], keys, k * 16, p);
    }
    p.write(of_all + p.of_three(0), p.apart(), result);
    add_columns(columns, 0, result, p);
  }
  __syncthreads();
  if (p.tile < p.n) {
#pragma unroll 1
    for (int part = 1; part < 3; part++) {
#pragma unroll
      for (int j = 0; j < HEAD / 8; j++) result[j][0] = result[j][1] = result[j][2] = result[j][3] = 0;
      for (int k = 0; k * 16 < p.n; k++) {
        u32 a[4];
        (part == 1 ? of_scores : weights).read_across(a, p.tile, k * 16);
        add_product(result, a, part == 1 ? queries : gradients, k * 16, p);
      }
      p.write(of_all + p.of_three(part), p.apart(), result);
      add_columns(columns, part, result, p);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 3 * HEAD; i += blockDim.x) {
    float v = 0;
    for (int w = 0; w * 16 < p.n; w++) v += columns[(i / HEAD * (MOST / 16) + w) * HEAD + i % HEAD];
    sums[((u64)blockIdx.x * 3 + i / HEAD) * hidden + p.head * HEAD + i % HEAD] = v;
  }
}
