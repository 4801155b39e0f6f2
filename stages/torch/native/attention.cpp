//go:build libtorch

#include "loops.h"
#include "rows.h"

#include <cmath>
#include <utility>

namespace {

using loops::sixteen;

// lanes is the number of queries that are side by side in a vector, and together that of sums that are added to at once.
const int lanes = 16, together = 8;

// exchange swaps, of each square of 2 n lanes in rows n apart, both quarters beside the diagonal.
template <int n, int... lane> SENTWEAVE_INLINE void exchange(sixteen &a, sixteen &b, std::integer_sequence<int, lane...>) {
#ifdef __clang__
  sixteen first = __builtin_shufflevector(a, b, (lane & n ? lanes + lane - n : lane)...);
  b = __builtin_shufflevector(a, b, (lane & n ? lanes + lane : lane + n)...);
#else
  typedef int places __attribute__((vector_size(64)));
  sixteen first = __builtin_shuffle(a, b, (places){(lane & n ? lanes + lane - n : lane)...});
  b = __builtin_shuffle(a, b, (places){(lane & n ? lanes + lane : lane + n)...});
#endif
  a = first;
}

template <int n> SENTWEAVE_INLINE void exchange(sixteen *rows) {
#pragma GCC unroll 16
  for (int i = 0; i < lanes; i++)
    if (!(i & n)) exchange<n>(rows[i], rows[i + n], std::make_integer_sequence<int, lanes>());
}

// Head is one head of a sequence: rows of apart numbers of queries, keys, values and results, of which size are its own.
struct Head {
  const float *q, *k, *v;
  float *y;
  int64_t length, size, apart;
  float scale;
};

// attend computes a head. Queries has room for size vectors, and scores for as many as the longest sequence has tokens, up to a
// multiple of together.
SENTWEAVE_LOOP void attend(const Head &h, float *__restrict queries, float *__restrict scores) {
  for (int64_t i = 0; i < h.length; i += lanes) {
    for (int64_t c = 0; c < h.size; c += lanes) {
      sixteen rows[lanes];
#pragma GCC unroll 16
      for (int r = 0; r < lanes; r++) // beyond the sequence, again the last one
        rows[r] = *(const sixteen *)(h.q + (i + r < h.length ? i + r : h.length - 1) * h.apart + c) * h.scale;
      exchange<8>(rows), exchange<4>(rows), exchange<2>(rows), exchange<1>(rows);
#pragma GCC unroll 16
      for (int r = 0; r < lanes; r++) *(sixteen *)(queries + (c + r) * lanes) = rows[r];
    }
    for (int64_t j = 0; j < h.length; j += together) {
      const float *k[together];
      for (int r = 0; r < together; r++) k[r] = h.k + (j + r < h.length ? j + r : h.length - 1) * h.apart;
      sixteen sums[together] = {};
      for (int64_t c = 0; c < h.size; c++) {
        sixteen query = *(const sixteen *)(queries + c * lanes);
        for (int r = 0; r < together; r++) sums[r] += k[r][c] * query;
      }
      for (int r = 0; r < together; r++) *(sixteen *)(scores + (j + r) * lanes) = sums[r];
    }
    float shares[lanes] = {};
    sixteen greatest = *(const sixteen *)scores;
    for (int64_t j = 1; j < h.length; j++) {
      sixteen score = *(const sixteen *)(scores + j * lanes);
      greatest = score > greatest ? score : greatest;
    }
    for (int64_t j = 0; j < h.length; j++)
      for (int r = 0; r < lanes; r++) shares[r] += scores[j * lanes + r] = loops::exponential(scores[j * lanes + r] - greatest[r]);
    for (int first = 0; first < lanes && i + first < h.length; first += together)
      for (int64_t c = 0; c < h.size; c += 16) {
        sixteen sums[together] = {};
        for (int64_t j = 0; j < h.length; j++) {
          sixteen value = *(const sixteen *)(h.v + j * h.apart + c);
          for (int r = 0; r < together; r++) sums[r] += scores[j * lanes + first + r] * value;
        }
        for (int r = 0; r < together; r++)
          if (i + first + r < h.length) *(sixteen *)(h.y + (i + first + r) * h.apart + c) = sums[r] * (1 / shares[first + r]);
      }
  }
}

} // namespace

namespace rows {

at::Tensor attention(const at::Tensor *three, const std::vector<int64_t> &groups, int64_t heads) {
  int64_t apart = three[0].size(1), size = apart / heads, place = 0;
  if (size % 16) return {};
  at::Tensor y = at::empty_like(three[0]);
  std::vector<float> queries(size * lanes), scores((longest + together) * lanes);
  const float *q = three[0].data_ptr<float>(), *k = three[1].data_ptr<float>(), *v = three[2].data_ptr<float>();
  float *results = y.data_ptr<float>(), scale = 1 / std::sqrt((float)size);
  for (size_t i = 0; i < groups.size(); i += 2)
    for (int64_t n = 0; n < groups[i]; n++, place += groups[i + 1] * apart)
      for (int64_t c = place; c < place + apart && groups[i + 1] <= longest; c += size)
        attend({q + c, k + c, v + c, results + c, groups[i + 1], size, apart, scale}, queries.data(), scores.data());
  return y;
}

} // namespace rows
