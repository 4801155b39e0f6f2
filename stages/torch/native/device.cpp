//go:build libtorch

#include "bridge.h"

#include <ATen/autocast_mode.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
#include <c10/core/CachingDeviceAllocator.h>
#endif
#include <dlfcn.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <string>

using namespace bridge;

// autocast turns libtorch's choice of bfloat16 for matrix products on or off, for
// the thread.
static void autocast(bool on) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 4
  at::autocast::set_autocast_dtype(device.type(), at::kBFloat16);
  at::autocast::set_autocast_enabled(device.type(), on);
#else
  if (device.is_cuda()) {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
#endif
  if (!on) at::autocast::clear_cache(); // of weights, which the next step changes
}

void sentweave_set_threads(int threads) { at::set_num_threads(threads); }
int sentweave_threads(void) { return at::get_num_threads(); }
const char *sentweave_version(void) { return TORCH_VERSION; }

// workspace is the variable that sizes the memory of cuBLAS. Where it is not set, libtorch gives cuBLAS another constant size.
static const char workspace[] = "CUBLAS_WORKSPACE_CONFIG";

char *sentweave_use(const char *name, int bfloat16) {
  return guarded([&] {
    at::Device wanted(name);
    if (wanted.is_cuda()) {
      bool unset = !getenv(workspace);
      if (unset) setenv(workspace, ":4096:8", 1); // without it cuBLAS may add in any order
      if (!dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) throw std::runtime_error(dlerror());
      if (!torch::cuda::is_available()) throw std::runtime_error("no GPU and driver that this libtorch can use");
      if (wanted.has_index() && wanted.index() >= (int)torch::cuda::device_count())
        throw std::runtime_error("there are only " + std::to_string(torch::cuda::device_count()) + " GPUs");
      // Attention gives the same bits only where that is required: where a warning is enough, it adds in any order.
      at::globalContext().setDeterministicAlgorithms(true, false);
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 2
      at::globalContext().setDeterministicFillUninitializedMemory(false); // nothing reads it
#endif
      if (unset) { // libtorch asks for it once, and then parses it again for every product, which takes .1 ms
        at::ones({1, 1}, wanted).mm(at::ones({1, 1}, wanted));
        unsetenv(workspace);
      }
    }
    device = wanted;
    reduced = bfloat16;
  });
}

void sentweave_begin(void) {
  if (reduced) autocast(true);
}

void sentweave_end(void) {
  if (reduced) autocast(false);
}

int sentweave_record(int on) {
  bool was = at::GradMode::is_enabled();
  at::GradMode::set_enabled(on);
  return was;
}

int sentweave_on_cpu(void) { return device.is_cpu(); }

char *sentweave_card(char *name, int size) {
  return guarded([&] {
    *name = 0;
    if (device.is_cpu()) return;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto get = driver ? reinterpret_cast<int (*)(int *, int)>(dlsym(driver, "cuDeviceGet")) : nullptr;
    auto name_of = driver ? reinterpret_cast<int (*)(char *, int, int)>(dlsym(driver, "cuDeviceGetName")) : nullptr;
    int card;
    if (!get || !name_of || get(&card, device.has_index() ? device.index() : 0) != 0 || name_of(name, size, card) != 0)
      throw std::runtime_error("the driver does not name the GPU");
  });
}

char *sentweave_peak_memory(int64_t *bytes) {
  return guarded([&] {
    *bytes = 0;
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
    if (device.is_cpu()) return;
    c10::DeviceAllocator *allocator = c10::getDeviceAllocator(device.type());
    c10::DeviceIndex card = device.has_index() ? device.index() : 0;
    *bytes = allocator->getDeviceStats(card).allocated_bytes[(size_t)c10::CachingAllocator::StatType::AGGREGATE].peak;
    allocator->resetPeakStats(card);
#endif
  });
}

int sentweave_reduced(void) { return reduced; }
