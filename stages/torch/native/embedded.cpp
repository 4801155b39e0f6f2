//go:build libtorch

#include "bridge.h"

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

char *sentweave_embedded(const int64_t *ids, const int64_t *positions, int64_t n, void **five, double epsilon, void **y) {
  return guarded([&] {
    const at::Tensor &words = of(five[0]), &places = of(five[1]), &weight = of(five[3]);
    int64_t size = words.size(1);
    at::Tensor x = at::empty({n, size}, words.options());
    float *row = x.data_ptr<float>();
    const float *w = words.data_ptr<float>(), *p = places.data_ptr<float>(), *k = five[2] ? of(five[2]).data_ptr<float>() : nullptr;
    for (int64_t i = 0; i < n; i++, row += size) sum(row, w + ids[i] * size, p + positions[i] * size, k, size);
    *y = new at::Tensor(at::layer_norm(x, weight.sizes(), weight, of(five[4]), epsilon));
  });
}
