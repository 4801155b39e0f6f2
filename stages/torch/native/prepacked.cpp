//go:build libtorch

#include "prepacked.h"
#include "rows.h"

#include <ATen/core/dispatch/Dispatcher.h>

using namespace bridge;

namespace {

// call calls an operation that libtorch has no function for in C++: its versions differ in the types of the arguments.
at::Tensor call(const c10::OperatorHandle &operation, std::vector<c10::IValue> arguments) {
  operation.callBoxed(&arguments);
  return arguments.at(0).toTensor();
}

auto operation(const char *name) { return c10::Dispatcher::singleton().findSchema({name, ""}); }

} // namespace

namespace prepacked {

at::Tensor weight(const at::Tensor &linear) {
  static const auto reorder = operation("mkldnn::_reorder_linear_weight");
  if (!device.is_cpu() || !reorder || !operation("mkldnn::_linear_pointwise")) return {};
  if (at::Tensor rows; reduced && (rows = rows::reduced(linear)).defined()) return rows;
  try {
    return call(*reorder, {reduced ? linear.to(at::kBFloat16) : linear, c10::IValue()});
  } catch (const c10::Error &) { // a processor without bfloat16, or a libtorch without oneDNN
    return {};
  }
}

at::Tensor linear(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, int activation) {
  static const auto product = operation("mkldnn::_linear_pointwise");
  static const c10::IValue no_scalars = c10::impl::GenericList(c10::OptionalType::create(c10::NumberType::get()));
  bool gelu = activation == SENTWEAVE_GELU; // within the product; others are rarer
  at::Tensor y = call(*product, {x.to(weight.scalar_type()), weight, bias.to(weight.scalar_type()), gelu ? "gelu" : "none", no_scalars, gelu ? "none" : ""});
  return gelu || activation < 0 ? y : activated(y, activation);
}

} // namespace prepacked

char *sentweave_prepacked(void *linear, void **weight) {
  return guarded([&] {
    at::Tensor w = prepacked::weight(of(linear));
    *weight = w.defined() ? new at::Tensor(w) : nullptr;
  });
}
