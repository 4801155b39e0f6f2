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

// Has this thread keep track of gradients, or not, and says whether it did before.
int sentweave_record(int on);
// Writes the name of the GPU in use, as its driver gives it, into a buffer; "" on the CPU.
char *sentweave_card(char *name, int size);
// The most memory that tensors had on the GPU at once since the last call; 0 on the CPU, and before libtorch 2.11.
char *sentweave_peak_memory(int64_t *bytes);

// A new tensor of a copy of the data, on the device, and a copy of a tensor's data (of a
// contiguous float32 copy of it, on the CPU).
enum { SENTWEAVE_FLOAT32, SENTWEAVE_FLOAT16, SENTWEAVE_BFLOAT16, SENTWEAVE_INT64, SENTWEAVE_INT32, SENTWEAVE_FLOAT64 };
char *sentweave_tensor(const void *data, const int64_t *shape, int dimensions, int type, void **tensor);
char *sentweave_floats(void *tensor, float *data, int64_t n);
// Whether no element of a tensor of floats is NaN or infinite.
char *sentweave_finite(void *tensor, int *finite);
// Copies the rows of a matrix as sentweave_floats does, to their places among rows that have n numbers in all, and leaves out
// those with other places.
char *sentweave_rows(void *tensor, float *data, int64_t n, const int64_t *places, int64_t count);

// x times a factor, and the rows of x over their norms, which are at least least.
// With gotch's functions of numbers, scalars would be left to finalizers: its
// Scalar.Drop does nothing.
char *sentweave_scale(void *x, double factor, void **y);
char *sentweave_normalize(void *x, double least, void **y);

// What stands between two products: GELU, exact by the error function or with its approximation by tanh, ReLU or tanh.
// gotch's GELU never frees the name of the kind.
enum { SENTWEAVE_GELU, SENTWEAVE_GELU_TANH, SENTWEAVE_RELU, SENTWEAVE_TANH };
char *sentweave_activated(void *x, int activation, void **y);

// The product of two matrices, and x itself, in float32 whatever the precision of
// other products: the scores of a softmax bear no rounding to 8 bits.
char *sentweave_product(void *x, void *y, void **z);
char *sentweave_exact(void *x, void **y);

// LayerNorm in the type of x, with statistics in float32. The bias may be NULL, here and in what follows.
char *sentweave_layer_norm(void *x, void *weight, void *bias, double epsilon, void **y);

// An activation of x W^T + b.
char *sentweave_linear_activated(void *x, void *weight, void *bias, int activation, void **y);

// A weight of a linear layer for products in int8 on the CPU, without gradients: a layer of an encoder, and linear_activated,
// take it in the place of the weight.
char *sentweave_quantized(void *linear, void **weight);
// The message says why products in int8 would be missing, or wrong: without VNNI, oneDNN cuts sums of two products to 16 bits.
char *sentweave_check_quantized(void);

// Likewise, for products on the CPU in the precision that is in use, without gradients: the weight is brought into the order of the
// processor once, not for each product. NULL where this libtorch or this processor has no such products.
char *sentweave_prepacked(void *linear, void **weight);

// A layer of an encoder: scaled dot-product attention inside of each sequence, and what follows it. The tokens of all stand
// in one list, [tokens, hidden]; each of the n groups, pairs of numbers, is a count of
// sequences and their common length. The ends, or NULL, are those of all sequences, with 0
// before them: flash attention takes them all at once, in bfloat16 on a GPU. Without them, a CPU takes
// a group after another, and a GPU pads inside of the call. Keys, or NULL, are those of the tokens in draws of
// dropout. The result has only the rows of an arrangement, as sentweave_arrange has them, unless these are NULL.
// One call for a layer: every handle of gotch costs some 20 us.
// The weights are those of query, key and value, then their biases, and then weight and bias each of the output, its norm, both
// products after it, and the last norm. The bias, or NULL, [heads, longest, longest], is added to the scores of attention: its
// rows are those of the tokens that look, its columns those of the tokens that are looked at, by their places in a sequence.
// The rotary, or NULL, makes it a layer of ModernBERT: [tokens, 2, half of a head's size] are cosines and sines of the angles of the tokens.
// Its weights are the same, but that query's are those of query, key and value together, key's and value's are NULL, norms come before
// attention and before both products, of which the first makes values and then gates, and biases and the first norm may be NULL.
typedef struct {
  int64_t heads;
  int activation; // between the two products after attention
  double epsilon, dropout, attention_dropout;
  double attention_output_dropout; // of what attention adds to x
  int64_t window; // of distances up to which tokens see each other; 0 for all
  int recompute; // keeps only x for the gradients, and computes the layer again for them
} sentweave_layer_settings;
int sentweave_attends_at_once(int64_t head_size);
char *sentweave_layer(void *x, void **weights, void *bias, void *ends, void *keys, void *rotary, const int64_t *groups, int n, void *rows,
                      void *places, sentweave_layer_settings settings, void **y);

// Draws. Dropout drops a share of x and scales the rest; rows have keys, or NULL for their places. Draws are counted from the
// seed on, and redraw goes back to the draw of a number, for a chunk of a list: a GPU, which has no keys, draws each chunk apart.
char *sentweave_dropout(void *x, void *keys, double share, void **y);
uint64_t sentweave_drawn(void);
void sentweave_redraw(uint64_t number, int64_t chunk);

// Sends the gradient of y backward, to all that y was made of.
char *sentweave_backward(void *y, void *gradient);

// The text of the kernels that fuse what stands between products, and whether they are used where they can be. The
// message says why they cannot be for rows as long as those of x; NULL where they can.
void sentweave_kernels(const char *fused, const char *attention);
void sentweave_fuse(int on);
char *sentweave_unfused(void *x);

// Has attention without ends, and pooling, pad on the CPU, too: both ways can be compared there.
void sentweave_pad(int on);

// The mean over the rows of logits of the negative log likelihood of their targets, in float32.
char *sentweave_cross_entropy(void *logits, void *targets, void **loss);

// The normalized sums of the words of n tokens, of their positions and of the first kind, in float32 on the CPU and
// without gradients: the rows of five are those tables, the kinds NULL where there are none, then the weight and the bias of the norm. One pass over memory
// where single operations take four.
char *sentweave_embedded(const int64_t *ids, const int64_t *positions, int64_t n, void **five, double epsilon, void **y);

// Has the C library keep the memory of tensors that are freed for those that follow: giving back and getting
// pages took a fifth of the time of an encoder without layers.
void sentweave_keep_memory(void);

// One vector a sequence of the groups, in their order.
enum { SENTWEAVE_MEAN, SENTWEAVE_MAX, SENTWEAVE_FIRST };
char *sentweave_pool(void *x, const int64_t *groups, int n, int kind, int64_t skipped, void **pooled);

// What sentweave_pool makes of sentweave_embedded, with the same bits, while the vectors of tokens are in the cache.
char *sentweave_embedded_pooled(const int64_t *ids, const int64_t *positions, const int64_t *groups, int n, int kind, int64_t skipped,
                                void **five, double epsilon, void **pooled);

// Rows of x, -1 being zeros. Places are those of x's rows in the result, or -1: gradients are picked,
// too, and never added, which an order would be needed for.
char *sentweave_arrange(void *x, void *rows, void *places, void **y);

// Seeds the generators on which dropout and initial values draw.
void sentweave_seed(uint64_t seed);

// Draws normal numbers, the same ones whatever the device.
char *sentweave_normal(float *data, int64_t n, double deviation);

// Moves each of n tensors by a share of the way to another one, 1 being all of it.
char *sentweave_follow(void **tensors, void **ahead, const double *shares, int n);

// Makes a tensor a parameter, whose gradient is kept.
char *sentweave_require_gradient(void *tensor);

// A copy of a parameter in bfloat16, with a gradient if the parameter has one. Rows are added
// until their number is a multiple of apart, and filled.
int sentweave_reduced(void);
char *sentweave_copy(void *master, int64_t apart, double fill, void **copy);
// Gives n copies the values of their parameters, and these the copies' gradients, which are
// dropped: they are added to what is there, in float32.
char *sentweave_refresh_copies(void **copies, void **masters, int n);
char *sentweave_gather_gradients(void **copies, void **masters, int n);

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
