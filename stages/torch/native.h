// What gotch lacks, as plain C. Tensors are pointers to torch::Tensor, as gotch
// hands them out. A function that can fail returns a message to be freed, or NULL.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void sentweave_set_threads(int threads);
int sentweave_threads(void);
const char *sentweave_version(void);

// Chooses the device of new tensors, "cpu", "cuda" or "cuda:N", and whether matrix
// products are in bfloat16 between sentweave_begin and sentweave_end. CUDA's half of
// libtorch is loaded here, since a program must run without it, too; libtorch looks
// for it only once, so this comes before any other call.
char *sentweave_use(const char *device, int reduced);
void sentweave_begin(void);
void sentweave_end(void);
int sentweave_on_cpu(void);

// A new tensor of a copy of the data, on the device, and a copy of a tensor's data (of a
// contiguous float32 copy of it, on the CPU).
enum { SENTWEAVE_FLOAT32, SENTWEAVE_FLOAT16, SENTWEAVE_BFLOAT16, SENTWEAVE_INT64 };
char *sentweave_tensor(const void *data, const int64_t *shape, int dimensions, int type, void **tensor);
char *sentweave_floats(void *tensor, float *data, int64_t n);

// x times a factor, and the rows of x over their norms, which are at least least.
// With gotch's functions of numbers, scalars would be left to finalizers: its
// Scalar.Drop does nothing.
char *sentweave_scale(void *x, double factor, void **y);
char *sentweave_normalize(void *x, double least, void **y);

// The exact one, by the error function. gotch's never frees the name of the kind.
char *sentweave_gelu(void *x, void **y);

// The product of two matrices, and x itself, in float32 whatever the precision of
// other products: the scores of a softmax bear no rounding to 8 bits.
char *sentweave_product(void *x, void *y, void **z);
char *sentweave_exact(void *x, void **y);

// Scaled dot-product attention inside of each sentence. The tokens of all stand in
// one list, [tokens, hidden]; each of the n groups, pairs of numbers, is a count of
// sentences and their common length. The mask, or NULL, is added to the scores. One
// call for all heads and groups: every handle of gotch costs some 20 us.
char *sentweave_attention(void *query, void *key, void *value, void *mask, const int64_t *groups, int n, int64_t heads,
                          double dropout, void **mixed);

// Seeds the generators on which dropout and initial values draw.
void sentweave_seed(uint64_t seed);

// Draws normal numbers, the same ones whatever the device.
char *sentweave_normal(float *data, int64_t n, double deviation);

// Moves each of n tensors by a share of the way to another one, 1 being all of it.
char *sentweave_follow(void **tensors, void **ahead, const double *shares, int n);

// Makes a tensor a parameter, whose gradient is kept.
char *sentweave_require_gradient(void *tensor);

// Gradients of n parameters: those without one count as zero.
char *sentweave_zero_gradients(void **parameters, int n);
char *sentweave_gradient_norm(void **parameters, int n, double *norm);
char *sentweave_scale_gradients(void **parameters, int n, double factor);

// One step of an optimizer over n parameters with their two moments. The step
// counts from 1. Each parameter has its own decay, and in rates a factor of the rate.
// Adam's decay is a part of the gradient, and changes it, or decoupled from it, as in
// AdamW. LAMB adapts those for which adapt is not 0.
char *sentweave_adam(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     int decoupled, int n, double rate, double beta1, double beta2, double epsilon, int64_t step);
char *sentweave_lamb(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     const uint8_t *adapt, int n, double rate, double beta1, double beta2, double epsilon, int64_t step);

#ifdef __cplusplus
}
#endif
