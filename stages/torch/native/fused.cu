// Kernels that fuse what stands between the products of a layer, in bfloat16 with sums in float32. NVRTC
// compiles them at run time, for a HIDDEN size, behind values.cu; a test builds them for the host, too. A warp has 32 lanes.
// Sums are over a fixed number of blocks, and have one order: the bits are the same each time.

__device__ __forceinline__ float sum_of_warp(float v) {
  for (int offset = 16; offset; offset >>= 1) v += __shfl_xor_sync(~0u, v, offset);
  return v;
}

#if HIDDEN % 256 == 0
#define WIDE 8
#elif HIDDEN % 128 == 0
#define WIDE 4
#else
#define WIDE 2
#endif
#define CHUNKS (HIDDEN / (32 * WIDE))
#define NORM_WARPS 4

// out = the norm of y, y = residual + dropout(x + bias): a warp has a row. A number is dropped if its
// 32 bits are below drop; the others are multiplied by scale.
extern "C" __global__ void add_norm_forward(const Values<WIDE> *x, const Values<WIDE> *bias, const Values<WIDE> *residual, const float *weight, const float *shift, Values<WIDE> *y,
                                            Values<WIDE> *out, float *means, float *factors, int rows, float epsilon, u64 seed, u32 drop, float scale) {
  int lane = threadIdx.x % 32;
  for (int row = blockIdx.x * NORM_WARPS + threadIdx.x / 32; row < rows; row += gridDim.x * NORM_WARPS) {
    float v[CHUNKS * WIDE], sum = 0, squares = 0;
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      u64 at = (u64)row * (CHUNKS * 32) + c * 32 + lane;
      Values<WIDE> a = x[at], r = residual[at], b = bias[c * 32 + lane], s;
#pragma unroll
      for (int k = 0; k < WIDE; k += 2) {
        float low = value(a, k) + value(b, k), high = value(a, k + 1) + value(b, k + 1);
        if (drop) {
          u64 bits = mixed(seed, at * (WIDE / 2) + k / 2);
          low = (u32)bits < drop ? 0.f : low * scale;
          high = (u32)(bits >> 32) < drop ? 0.f : high * scale;
        }
        s.pairs[k / 2] = pair_of(low + value(r, k), high + value(r, k + 1));
        v[c * WIDE + k] = value(s, k);
        v[c * WIDE + k + 1] = value(s, k + 1);
        sum += v[c * WIDE + k] + v[c * WIDE + k + 1];
      }
      y[at] = s;
    }
    float mean = sum_of_warp(sum) / HIDDEN;
#pragma unroll
    for (int k = 0; k < CHUNKS * WIDE; k++) squares += (v[k] - mean) * (v[k] - mean);
    float factor = rsqrtf(sum_of_warp(squares) / HIDDEN + epsilon);
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      int column = (c * 32 + lane) * WIDE;
      Values<WIDE> o;
#pragma unroll
      for (int k = 0; k < WIDE; k += 2) {
        float low = (v[c * WIDE + k] - mean) * factor * weight[column + k] + shift[column + k];
        float high = (v[c * WIDE + k + 1] - mean) * factor * weight[column + k + 1] + shift[column + k + 1];
        o.pairs[k / 2] = pair_of(low, high);
      }
      out[(u64)row * (CHUNKS * 32) + c * 32 + lane] = o;
    }
    if (lane == 0) {
      means[row] = mean;
      factors[row] = factor;
    }
  }
}

// The gradients of x and of the residual, and those of the weight, the shift and the bias as one sum a
// block: sums is [blocks, 3, HIDDEN].
extern "C" __global__ void add_norm_backward(const Values<WIDE> *gradient, const Values<WIDE> *y, const float *means, const float *factors, const float *weight, Values<WIDE> *of_x,
                                             Values<WIDE> *of_residual, float *sums, int rows, u64 seed, u32 drop, float scale) {
  __shared__ float shared[NORM_WARPS * HIDDEN];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float of_weight[CHUNKS * WIDE], of_shift[CHUNKS * WIDE], of_bias[CHUNKS * WIDE];
#pragma unroll
  for (int k = 0; k < CHUNKS * WIDE; k++) of_weight[k] = of_shift[k] = of_bias[k] = 0;
  for (int row = blockIdx.x * NORM_WARPS + warp; row < rows; row += gridDim.x * NORM_WARPS) {
    float mean = means[row], factor = factors[row], a = 0, q = 0;
    Values<WIDE> g[CHUNKS], v[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      u64 at = (u64)row * (CHUNKS * 32) + c * 32 + lane;
      g[c] = gradient[at];
      v[c] = y[at];
    }
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
#pragma unroll
      for (int k = 0; k < WIDE; k++) {
        float go = value(g[c], k), normal = (value(v[c], k) - mean) * factor, e = go * weight[(c * 32 + lane) * WIDE + k];
        a += e;
        q += e * normal;
        of_weight[c * WIDE + k] += go * normal;
        of_shift[c * WIDE + k] += go;
      }
    }
    a = sum_of_warp(a) / HIDDEN;
    q = sum_of_warp(q) / HIDDEN;
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      u64 at = (u64)row * (CHUNKS * 32) + c * 32 + lane;
      Values<WIDE> gx, gr;
#pragma unroll
      for (int k = 0; k < WIDE; k += 2) {
        float d[2];
#pragma unroll
        for (int z = 0; z < 2; z++) {
          float normal = (value(v[c], k + z) - mean) * factor, e = value(g[c], k + z) * weight[(c * 32 + lane) * WIDE + k + z];
          d[z] = (e - a - normal * q) * factor;
        }
        gr.pairs[k / 2] = pair_of(d[0], d[1]);
        if (drop) {
          u64 bits = mixed(seed, at * (WIDE / 2) + k / 2);
          d[0] = (u32)bits < drop ? 0.f : d[0] * scale;
          d[1] = (u32)(bits >> 32) < drop ? 0.f : d[1] * scale;
        }
        of_bias[c * WIDE + k] += d[0];
        of_bias[c * WIDE + k + 1] += d[1];
        gx.pairs[k / 2] = pair_of(d[0], d[1]);
      }
      of_residual[at] = gr;
      of_x[at] = gx;
    }
  }
#pragma unroll
  for (int part = 0; part < 3; part++) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < CHUNKS * WIDE; k++) {
      float v = part == 0 ? of_weight[k] : part == 1 ? of_shift[k] : of_bias[k];
      shared[warp * HIDDEN + (k / WIDE * 32 + lane) * WIDE + k % WIDE] = v;
    }
    __syncthreads();
    for (int column = threadIdx.x; column < HIDDEN; column += 32 * NORM_WARPS) {
      float v = 0;
      for (int w = 0; w < NORM_WARPS; w++) v += shared[w * HIDDEN + column];
      sums[(blockIdx.x * 3 + part) * HIDDEN + column] = v;
    }
  }
}

#define WARPS 8
#define TILE 256 // columns of a block, 8 a lane

// normal is the standard normal distribution up to x, and its density at x: Abramowitz and Stegun
// 7.1.26, of which the error is below 1e-7.
__device__ __forceinline__ float normal(float x, float &density) {
  float t = __fdividef(1.f, 1.f + .3275911f * .70710678f * fabsf(x)), e = __expf(-.5f * x * x);
  float tail = .5f * e * t * (.254829592f + t * (-.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  density = .39894228f * e;
  return x < 0 ? tail : 1.f - tail;
}

// y = GELU(x + bias). A block has the columns of a tile and some of the rows.
extern "C" __global__ void gelu_forward(const Values<8> *x, const Values<8> *bias, Values<8> *y, int rows, int columns) {
  int lane = threadIdx.x % 32, column = blockIdx.x * TILE + lane * 8;
  if (column >= columns) return;
  Values<8> b = bias[column / 8];
#pragma unroll 2
  for (int row = blockIdx.y * WARPS + threadIdx.x / 32; row < rows; row += gridDim.y * WARPS) {
    u64 at = ((u64)row * columns + column) / 8;
    Values<8> v = x[at], o;
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      float density, low = value(v, k) + value(b, k), high = value(v, k + 1) + value(b, k + 1);
      o.pairs[k / 2] = pair_of(low * normal(low, density), high * normal(high, density));
    }
    y[at] = o;
  }
}

// write_sums adds those of a block's warps: sums is [rows of blocks, columns].
__device__ __forceinline__ void write_sums(const float *sum, float *sums, int columns) {
  __shared__ float shared[WARPS * TILE];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < 8; k++) shared[warp * TILE + lane * 8 + k] = sum[k];
  __syncthreads();
  int column = blockIdx.x * TILE + threadIdx.x;
  if (column < columns) {
    float v = 0;
    for (int w = 0; w < WARPS; w++) v += shared[w * TILE + threadIdx.x];
    sums[(u64)blockIdx.y * columns + column] = v;
  }
}

// The gradient of x, and that of the bias as one sum a block.
extern "C" __global__ void gelu_backward(const Values<8> *gradient, const Values<8> *x, const Values<8> *bias, Values<8> *of_x, float *sums, int rows, int columns) {
  int lane = threadIdx.x % 32, column = blockIdx.x * TILE + lane * 8;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  if (column < columns) {
    Values<8> b = bias[column / 8];
#pragma unroll 2
    for (int row = blockIdx.y * WARPS + threadIdx.x / 32; row < rows; row += gridDim.y * WARPS) {
      u64 at = ((u64)row * columns + column) / 8;
      Values<8> v = x[at], g = gradient[at], o;
#pragma unroll
      for (int k = 0; k < 8; k += 2) {
        float density, low = value(v, k) + value(b, k), high = value(v, k + 1) + value(b, k + 1);
        float below = normal(low, density);
        low = value(g, k) * (below + low * density);
        below = normal(high, density);
        high = value(g, k + 1) * (below + high * density);
        sum[k] += low;
        sum[k + 1] += high;
        o.pairs[k / 2] = pair_of(low, high);
      }
      of_x[at] = o;
    }
  }
  write_sums(sum, sums, columns);
}

// The rows of three matrices of HIDDEN columns beside each other, and the sums of the columns, one a block.
extern "C" __global__ void join(const Values<8> *first, const Values<8> *second, const Values<8> *third, Values<8> *all, float *sums, int rows) {
  int lane = threadIdx.x % 32, column = blockIdx.x * TILE + lane * 8;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  if (column < 3 * HIDDEN) {
    const Values<8> *from = column < HIDDEN ? first : column < 2 * HIDDEN ? second : third;
#pragma unroll 4
    for (int row = blockIdx.y * WARPS + threadIdx.x / 32; row < rows; row += gridDim.y * WARPS) {
      Values<8> v = from[((u64)row * HIDDEN + column % HIDDEN) / 8];
#pragma unroll
      for (int k = 0; k < 8; k++) sum[k] += value(v, k);
      all[((u64)row * 3 * HIDDEN + column) / 8] = v;
    }
  }
  write_sums(sum, sums, 3 * HIDDEN);
}

// Rows of x, of so many times 16 bytes; -1 are zeros. A warp has a row.
extern "C" __global__ void pick(const Values<8> *x, const long long *rows, Values<8> *y, int n, int wide) {
  int row = blockIdx.x * WARPS + threadIdx.x / 32;
  if (row >= n) return;
  long long from = rows[row];
  for (int k = threadIdx.x % 32; k < wide; k += 32) {
    Values<8> v = {{0, 0, 0, 0}};
    if (from >= 0) v = x[(u64)from * wide + k];
    y[(u64)row * wide + k] = v;
  }
}

// combine adds the sums of exponentials of two parts of a row, each over the exponential of its maximum.
__device__ __forceinline__ void combine(float &most, float &sum, float other_most, float other_sum) {
  float m = fmaxf(most, other_most);
  if (m > -INFINITY_) sum = sum * __expf(most - m) + other_sum * __expf(other_most - m);
  else sum += other_sum; // NaN stays
  most = m;
}

// The negative log likelihood of the targets, and the logarithms of the sums of the exponentials of rows. A block has a row.
extern "C" __global__ void cross_entropy_forward(const Values<8> *logits, const long long *targets, float *losses, float *log_sums, int columns) {
  __shared__ float maxima[WARPS], sums[WARPS];
  const Values<8> *row = logits + (u64)blockIdx.x * (columns / 8);
  float most = -INFINITY_, sum = 0;
  for (int i = threadIdx.x; i < columns / 8; i += 32 * WARPS) {
    Values<8> v = row[i];
    float m = value(v, 0), s = 0;
#pragma unroll
    for (int k = 1; k < 8; k++) m = fmaxf(m, value(v, k));
#pragma unroll
    for (int k = 0; k < 8; k++) s += m > -INFINITY_ ? __expf(value(v, k) - m) : value(v, k) != value(v, k) ? value(v, k) : 0.f;
    combine(most, sum, m, s);
  }
  for (int offset = 16; offset; offset >>= 1) {
    float other_most = __shfl_xor_sync(~0u, most, offset), other_sum = __shfl_xor_sync(~0u, sum, offset);
    combine(most, sum, other_most, other_sum);
  }
  if (threadIdx.x % 32 == 0) {
    maxima[threadIdx.x / 32] = most;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < WARPS; w++) combine(most, sum, maxima[w], sums[w]);
    long long target = targets[blockIdx.x];
    float log_sum = most + logf(sum);
    log_sums[blockIdx.x] = log_sum;
    losses[blockIdx.x] = log_sum - value(row[target / 8], target % 8);
  }
}

// The gradient of the mean of the losses.
extern "C" __global__ void cross_entropy_backward(const Values<8> *logits, const long long *targets, const float *log_sums, const float *gradient, Values<8> *of_logits, int columns,
                                                  float share) {
  u64 start = (u64)blockIdx.x * (columns / 8);
  float log_sum = log_sums[blockIdx.x], factor = gradient[0] * share;
  int target = (int)targets[blockIdx.x];
  for (int i = threadIdx.x; i < columns / 8; i += 32 * WARPS) {
    Values<8> v = logits[start + i], o;
#pragma unroll
    for (int k = 0; k < 8; k += 2) {
      float low = __expf(value(v, k) - log_sum) - (8 * i + k == target), high = __expf(value(v, k + 1) - log_sum) - (8 * i + k + 1 == target);
      o.pairs[k / 2] = pair_of(low * factor, high * factor);
    }
    of_logits[start + i] = o;
  }
}

// Part is a parameter with its gradient and its moments; block is the first of its blocks, of STEP_NUMBERS each.
struct Part {
  float *parameter, *gradient, *first, *second;
  float decay, rate;
  int adapts, block;
  u64 n;
};

#define STEP_NUMBERS 8192

// numbers_of gives the part of this block, and from where to where it has its numbers.
__device__ __forceinline__ Part numbers_of(const Part *parts, const int *part_of_block, u64 &start, u64 &end) {
  Part p = parts[part_of_block[blockIdx.x]];
  start = (u64)(blockIdx.x - p.block) * STEP_NUMBERS;
  end = start + STEP_NUMBERS < p.n ? start + STEP_NUMBERS : p.n;
  return p;
}

// sum_of_block is the sum over the threads of a block, which all get it.
__device__ __forceinline__ float sum_of_block(float v, float *shared) {
  v = sum_of_warp(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int w = 0; w < WARPS; w++) v += shared[w];
  return v;
}

// The moments, and LAMB's update before it is adapted in the place of the gradient (You et al. 2020, algorithm 2); first_share and
// second_share correct the moments, and newer1 and newer2 are what is left of 1: a beta in float32 would leave too few digits of it.
// squares are the sums of squares of a block's parameters and updates.
extern "C" __global__ void lamb_moments(const Part *parts, const int *part_of_block, float *squares, float newer1, float beta2, float newer2, float epsilon,
                                        float first_share, float second_share) {
  __shared__ float shared[WARPS];
  u64 start, end;
  Part p = numbers_of(parts, part_of_block, start, end);
  float weights = 0, updates = 0;
#pragma unroll 4
  for (u64 i = start + threadIdx.x; i < end; i += 32 * WARPS) {
    float g = p.gradient[i], w = p.parameter[i], m = p.first[i], v = p.second[i];
    m += (g - m) * newer1;
    v = v * beta2 + newer2 * g * g;
    float u = m * first_share / (sqrtf(v) * second_share + epsilon) + p.decay * w;
    p.first[i] = m;
    p.second[i] = v;
    p.gradient[i] = u;
    weights += w * w;
    updates += u * u;
  }
  weights = sum_of_block(weights, shared);
  updates = sum_of_block(updates, shared);
  if (threadIdx.x == 0) squares[2 * blockIdx.x] = weights, squares[2 * blockIdx.x + 1] = updates;
}

// The step by the updates, adapted by the norms of the parameter and of its update.
extern "C" __global__ void lamb_step(const Part *parts, const int *part_of_block, const float *squares, float rate) {
  __shared__ float shared[WARPS];
  u64 start, end;
  Part p = numbers_of(parts, part_of_block, start, end);
  float weights = 0, updates = 0, factor = rate * p.rate;
  if (p.adapts) {
    for (u64 b = threadIdx.x; b * STEP_NUMBERS < p.n; b += 32 * WARPS) {
      weights += squares[2 * (p.block + b)];
      updates += squares[2 * (p.block + b) + 1];
    }
    weights = sum_of_block(weights, shared);
    updates = sum_of_block(updates, shared);
    if (weights > 0 && updates > 0) factor *= sqrtf(weights) / sqrtf(updates);
  }
#pragma unroll 4
  for (u64 i = start + threadIdx.x; i < end; i += 32 * WARPS) p.parameter[i] -= factor * p.gradient[i];
}
