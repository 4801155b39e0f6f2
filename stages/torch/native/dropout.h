// Dropout whose masks are functions of a seed and of places. They are made again where they are needed again, and a row's
// does not depend on which rows are beside it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dropout {

// seed is that of the draws to come, which are counted from 0.
void seed(uint64_t seed);

// next is the seed of the next draw. Where nothing is dropped there is none, and several threads may compute.
uint64_t next(double share);

// State is what draws depend on beside the seed: their number and, on a GPU, the generator of libtorch.
struct State {
  uint64_t drawn;
  at::Tensor generator;
};
State state();
void restore(const State &state);

// x, with a share of its numbers dropped and the others scaled, plus a residual unless that is not defined. On the CPU a
// row of the last dimension is drawn by the seed and its key, of which x has one for each row but for the heads of
// [count, heads, rows, columns]; rows without keys are drawn by their place. On a GPU libtorch draws.
at::Tensor apply(const at::Tensor &x, const at::Tensor &residual, const at::Tensor &keys, double share, uint64_t seed);

} // namespace dropout
