//go:build libtorch

#include "bridge.h"

#include <algorithm>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace bridge;

void sentweave_keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20); // the greatest that it takes
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

// sum sets x to a + b + c, or to a + b where c is NULL. Vectors of eight compile to what each processor has.
static void sum(float *__restrict x, const float *__restrict a, const float *__restrict b, const float *__restrict c, int64_t n) {
  typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
  int64_t i = 0;
  if (!c) {
    for (; i + 8 <= n; i += 8) *(eight *)(x + i) = *(const eight *)(a + i) + *(const eight *)(b + i);
    for (; i < n; i++) x[i] = a[i] + b[i];
    return;
  }
  for (; i + 8 <= n; i += 8) *(eight *)(x + i) = (*(const eight *)(a + i) + *(const eight *)(b + i)) + *(const eight *)(c + i);
  for (; i < n; i++) x[i] = (a[i] + b[i]) + c[i];
}

// Tables are those of sentweave_embedded.
struct Tables {
  const at::Tensor &words, &weight, &bias;
  int64_t size;
  const float *word, *place, *kind;
  double epsilon;

  Tables(void **five, double epsilon) : words(of(five[0])), weight(of(five[3])), bias(of(five[4])), size(words.size(1)),
    word(words.data_ptr<float>()), place(of(five[1]).data_ptr<float>()), kind(five[2] ? of(five[2]).data_ptr<float>() : nullptr),
    epsilon(epsilon) {}

  // embedded returns the vectors of tokens. Their sums are in x.
  at::Tensor embedded(const int64_t *ids, const int64_t *positions, int64_t n, const at::Tensor &x) const {
    float *row = x.data_ptr<float>();
    for (int64_t i = 0; i < n; i++, row += size) sum(row, word + ids[i] * size, place + positions[i] * size, kind, size);
    return at::layer_norm(x, weight.sizes(), weight, bias, epsilon);
  }
};

char *sentweave_embedded(const int64_t *ids, const int64_t *positions, int64_t n, void **five, double epsilon, void **y) {
  return guarded([&] {
    Tables t(five, epsilon);
    *y = new at::Tensor(t.embedded(ids, positions, n, at::empty({n, t.size}, t.words.options())));
  });
}

char *sentweave_embedded_pooled(const int64_t *ids, const int64_t *positions, const int64_t *groups, int n, int kind, int64_t skipped,
                                void **five, double epsilon, void **pooled) {
  return guarded([&] {
    Tables t(five, epsilon);
    int64_t block = std::max<int64_t>(1, (256 << 10) / (t.size * sizeof(float))), count = 0; // a part of the cache of a core
    for (int i = 0; i < n; i++) count += groups[2 * i], block = std::max(block, groups[2 * i + 1]);
    at::Tensor x = at::empty({block, t.size}, t.words.options()), all = at::empty({count, t.size}, t.words.options());
    float *row = all.data_ptr<float>();
    for (int i = 0; i < n; i++) {
      int64_t length = groups[2 * i + 1], without = std::min(skipped, length - 1);
      for (int64_t rest = groups[2 * i]; rest > 0;) {
        int64_t sequences = std::min(rest, block / length), tokens = sequences * length;
        at::Tensor y = t.embedded(ids, positions, tokens, x.narrow(0, 0, tokens)).view({sequences, length, t.size});
        at::Tensor vectors = over(y.narrow(1, without, length - without), kind).contiguous();
        std::memcpy(row, vectors.data_ptr<float>(), vectors.nbytes());
        row += sequences * t.size, ids += tokens, positions += tokens, rest -= sequences;
      }
    }
    *pooled = new at::Tensor(all);
  });
}
