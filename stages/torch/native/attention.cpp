//go:build libtorch

#include "loops.h"
#include "rows.h"

#include <algorithm>
#include <cmath>

namespace {

// longest is the number of tokens up to which sequences are attended to here: libtorch's flash attention has more to set up for each
// sequence, and less to do for each token.
const int64_t longest = 128;

typedef float sixteen __attribute__((vector_size(64), aligned(4), may_alias));

// together is the number of queries that share what is read of keys and values.
const int together = 4;

// Head is one head of a sequence: rows of apart numbers of queries, keys, values and results, of which size are its own.
struct Head {
  const float *q, *k, *v;
  float *y;
  int64_t length, size, apart;
  float scale;
};

// attend computes a head. Keys has size rows, and scores has together, of longest numbers.
SENTWEAVE_LOOP void attend(const Head &h, float *__restrict keys, float *__restrict scores) {
  int64_t padded = (h.length + 15) / 16 * 16;
  for (int64_t j = 0; j < padded; j++)
    for (int64_t c = 0; c < h.size; c++) keys[c * longest + j] = j < h.length ? h.k[j * h.apart + c] * h.scale : 0;
  for (int64_t i = 0; i < h.length; i += together) {
    const float *q[together];
    for (int r = 0; r < together; r++) q[r] = h.q + (i + r < h.length ? i + r : i) * h.apart;
    for (int64_t j = 0; j < padded; j += 16) {
      sixteen sums[together] = {};
      for (int64_t c = 0; c < h.size; c++) {
        sixteen key = *(const sixteen *)(keys + c * longest + j);
        for (int r = 0; r < together; r++) sums[r] += q[r][c] * key;
      }
      for (int r = 0; r < together; r++) *(sixteen *)(scores + r * longest + j) = sums[r];
    }
    float shares[together];
    for (int r = 0; r < together; r++) {
      float *__restrict row = scores + r * longest, greatest = row[0], lanes[16] = {}, sum = 0;
      for (int64_t j = 1; j < h.length; j++) greatest = row[j] > greatest ? row[j] : greatest;
      for (int64_t j = h.length; j < padded; j++) row[j] = -1e9f;
      for (int64_t j = 0; j < padded; j += 16)
        for (int c = 0; c < 16; c++) lanes[c] += row[j + c] = loops::exponential(row[j + c] - greatest);
      for (int c = 0; c < 16; c++) sum += lanes[c];
      shares[r] = 1 / sum;
    }
    for (int64_t c = 0; c < h.size; c += 16) {
      sixteen sums[together] = {};
      for (int64_t j = 0; j < h.length; j++) {
        sixteen value = *(const sixteen *)(h.v + j * h.apart + c);
        for (int r = 0; r < together; r++) sums[r] += scores[r * longest + j] * value;
      }
      for (int r = 0; r < together && i + r < h.length; r++) *(sixteen *)(h.y + (i + r) * h.apart + c) = sums[r] * shares[r];
    }
  }
}

} // namespace

namespace rows {

at::Tensor attention(const at::Tensor *three, const std::vector<int64_t> &groups, int64_t heads) {
  int64_t apart = three[0].size(1), size = apart / heads;
  for (size_t i = 1; i < groups.size(); i += 2)
    if (groups[i] > longest) return {};
  if (size % 16) return {};
  at::Tensor y = at::empty_like(three[0]);
  std::vector<float> keys(size * longest), scores(together * longest);
  int64_t place = 0;
  for (size_t i = 0; i < groups.size(); i += 2)
    for (int64_t k = 0; k < groups[i]; k++, place += groups[i + 1] * apart)
      for (int64_t c = 0; c < apart; c += size) {
        auto part = [&](const at::Tensor &t) { return t.data_ptr<float>() + place + c; };
        attend({part(three[0]), part(three[1]), part(three[2]), part(y), groups[i + 1], size, apart, 1 / std::sqrt((float)size)}, keys.data(), scores.data());
      }
  return y;
}

} // namespace rows
