//go:build libtorch

#include "fused.h"

#include "bridge.h"
#include "dropout.h"

#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <stdexcept>

namespace fused {
namespace {

using Handle = void *;
using Tensors = std::vector<at::Tensor>;
using torch::autograd::AutogradContext;

// Libraries are those of NVRTC and of the driver, which are opened by name: a program is built where neither is.
struct Libraries {
  int (*create)(Handle *, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(Handle, int, const char *const *);
  int (*destroy)(Handle *);
  int (*code_size)(Handle, size_t *);
  int (*code)(Handle, char *);
  int (*log_size)(Handle, size_t *);
  int (*log)(Handle, char *);
  int (*load)(Handle *, const void *);
  int (*function)(Handle *, Handle, const char *);
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **);
  int (*current_device)(int *);
  int (*attribute)(int *, int, int);
  int (*current_context)(Handle *);
  int (*set_context)(Handle);

  Libraries() {
    open({"libcaffe2_nvrtc.so"}, false); // it knows where the wheels have NVRTC
    Handle n = open({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, true), c = open({"libcuda.so.1"}, true);
    find(n, create, "nvrtcCreateProgram");
    find(n, compile, "nvrtcCompileProgram");
    find(n, destroy, "nvrtcDestroyProgram");
    find(n, code_size, "nvrtcGetCUBINSize");
    find(n, code, "nvrtcGetCUBIN");
    find(n, log_size, "nvrtcGetProgramLogSize");
    find(n, log, "nvrtcGetProgramLog");
    find(c, load, "cuModuleLoadData");
    find(c, function, "cuModuleGetFunction");
    find(c, launch, "cuLaunchKernel");
    find(c, current_device, "cuCtxGetDevice");
    find(c, attribute, "cuDeviceGetAttribute");
    find(c, current_context, "cuCtxGetCurrent");
    find(c, set_context, "cuCtxSetCurrent");
  }

  static Handle open(std::initializer_list<const char *> names, bool needed) {
    for (const char *name : names)
      if (Handle h = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return h;
    if (needed) throw std::runtime_error(dlerror());
    return nullptr;
  }
  template <class F> static void find(Handle h, F &f, const char *name) {
    f = reinterpret_cast<F>(dlsym(h, name));
    if (!f) throw std::runtime_error(std::string("there is no ") + name);
  }
};

void check(int status, const char *what) {
  if (status != 0) throw std::runtime_error(std::string(what) + " failed with status " + std::to_string(status));
}

// As in fused.cu and attention.cu.
const int warps = 8, norm_warps = 4, tile = 256, most = 64, step_numbers = 8192;

// Program are compiled kernels, on the device of the thread that made them.
struct Program {
  Libraries libraries;
  Handle context, module;
  int processors;

  Program(const std::string &text, const std::string &definition) {
    int device, major, minor;
    check(libraries.current_context(&context), "cuCtxGetCurrent");
    check(libraries.current_device(&device), "cuCtxGetDevice");
    check(libraries.attribute(&major, 75, device), "cuDeviceGetAttribute");
    check(libraries.attribute(&minor, 76, device), "cuDeviceGetAttribute");
    check(libraries.attribute(&processors, 16, device), "cuDeviceGetAttribute");
    std::string options[] = {"--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor), "--std=c++17", "-D" + definition};
    const char *list[] = {options[0].c_str(), options[1].c_str(), options[2].c_str()};
    Handle program;
    check(libraries.create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    size_t size = 0;
    if (libraries.compile(program, 3, list) != 0) {
      libraries.log_size(program, &size);
      std::string log(size, 0);
      libraries.log(program, log.data());
      throw std::runtime_error("NVRTC: " + log);
    }
    check(libraries.code_size(program, &size), "nvrtcGetCUBINSize");
    std::string code(size, 0);
    check(libraries.code(program, code.data()), "nvrtcGetCUBIN");
    libraries.destroy(&program);
    check(libraries.load(&module, code.data()), "cuModuleLoadData");
  }

  Handle kernel(const char *name) {
    Handle function;
    check(libraries.function(&function, module, name), name);
    return function;
  }

  // run launches a kernel on the default stream, as all operations here run on it.
  template <class... A> void run(Handle kernel, int64_t x, int64_t y, int threads, A... arguments) { run_sharing(0, kernel, x, y, threads, arguments...); }

  // run_sharing gives each block so many bytes of shared memory.
  template <class... A> void run_sharing(int bytes, Handle kernel, int64_t x, int64_t y, int threads, A... arguments) {
    void *list[] = {&arguments...};
    check(libraries.set_context(context), "cuCtxSetCurrent"); // threads of autograd may have none yet
    check(libraries.launch(kernel, x, y, 1, threads, 1, 1, bytes, nullptr, list, nullptr), "cuLaunchKernel");
  }
};

std::string kernels, attention_kernels, reason;

// Module are the kernels of fused.cu for a hidden size.
struct Module : Program {
  Handle add_norm_forward = kernel("add_norm_forward"), add_norm_backward = kernel("add_norm_backward"), gelu_forward = kernel("gelu_forward"),
         gelu_backward = kernel("gelu_backward"), join = kernel("join"), pick = kernel("pick"), cross_entropy_forward = kernel("cross_entropy_forward"),
         cross_entropy_backward = kernel("cross_entropy_backward"), lamb_moments = kernel("lamb_moments"), lamb_step = kernel("lamb_step");

  explicit Module(int64_t hidden) : Program(kernels, "HIDDEN=" + std::to_string(hidden)) {}

  // high is the number of blocks one above another that cover rows, with as many side by side.
  int64_t high(int64_t rows, int64_t beside) { return std::max<int64_t>(1, std::min((rows + warps - 1) / warps, processors * 5 / beside)); }
};

// ShortAttention are the kernels of attention.cu for a head size.
struct ShortAttention : Program {
  Handle forward = kernel("attend_forward"), backward = kernel("attend_backward");
  int64_t head;

  explicit ShortAttention(int64_t size) : Program(attention_kernels, "HEAD=" + std::to_string(size)), head(size) {}

  // rows are those of the warps of a block.
  static int64_t rows(int64_t longest) { return (longest + 15) / 16 * 16; }
  int64_t forward_bytes(int64_t longest) const { return 4 * rows(longest) * 2 * (head / 2 + 4); }
  int64_t backward_bytes(int64_t longest) const { return 4 * (rows(longest) * (3 * (head / 2 + 4) + 2 * (most / 2 + 4)) + 3 * most / 16 * head); }
};

std::map<int64_t, std::unique_ptr<Module>> modules;
std::map<int64_t, std::unique_ptr<ShortAttention>> short_attentions;

// made is the program of a size, nullptr where it cannot be had.
template <class P> P *made(std::map<int64_t, std::unique_ptr<P>> &programs, int64_t size) {
  auto found = programs.find(size);
  if (found == programs.end()) {
    std::unique_ptr<P> program;
    try {
      program = std::make_unique<P>(size);
    } catch (const std::exception &e) {
      reason = e.what();
    }
    found = programs.emplace(size, std::move(program)).first;
  }
  return found->second.get();
}

Module &module_of(int64_t hidden) { return *modules.at(hidden); }

// short_attention is nullptr for other heads and for longer sequences, too.
ShortAttention *short_attention(int64_t head, int64_t longest) { return (head == 32 || head == 64) && longest <= most ? made(short_attentions, head) : nullptr; }

unsigned threshold(double dropout) { return (unsigned)(dropout * 4294967296.); }

struct AddNorm : torch::autograd::Function<AddNorm> {
  static at::Tensor forward(AutogradContext *c, const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &residual,
                            const at::Tensor &norm_weight, const at::Tensor &norm_bias, double epsilon, double dropout) {
    int64_t rows = residual.size(0), hidden = residual.size(1);
    Module &m = module_of(hidden);
    at::Tensor h = x.mm(weight.t()), r = residual.contiguous(), y = at::empty_like(h), out = at::empty_like(h);
    at::Tensor means = at::empty({rows}, norm_weight.options()), factors = at::empty_like(means);
    uint64_t seed = ::dropout::next(dropout);
    m.run(m.add_norm_forward, std::min<int64_t>((rows + norm_warps - 1) / norm_warps, m.processors * 16), 1, 32 * norm_warps, h.data_ptr(), bias.data_ptr(), r.data_ptr(),
          norm_weight.data_ptr(), norm_bias.data_ptr(), y.data_ptr(), out.data_ptr(), means.data_ptr(), factors.data_ptr(), (int)rows, (float)epsilon, seed,
          threshold(dropout), (float)(1 / (1 - dropout)));
    c->save_for_backward({x, weight, norm_weight, y, means, factors});
    c->saved_data["seed"] = (int64_t)seed;
    c->saved_data["dropout"] = dropout;
    return out;
  }
  static Tensors backward(AutogradContext *c, Tensors gradients) {
    auto saved = c->get_saved_variables();
    at::Tensor &x = saved[0], &weight = saved[1], &norm_weight = saved[2], &y = saved[3], g = gradients[0].contiguous();
    int64_t rows = y.size(0), hidden = y.size(1);
    double dropout = c->saved_data["dropout"].toDouble();
    Module &m = module_of(hidden);
    int64_t blocks = std::min<int64_t>((rows + norm_warps - 1) / norm_warps, m.processors * 3);
    at::Tensor of_h = at::empty_like(y), of_residual = at::empty_like(y), sums = at::empty({blocks, 3, hidden}, norm_weight.options());
    m.run(m.add_norm_backward, blocks, 1, 32 * norm_warps, g.data_ptr(), y.data_ptr(), saved[4].data_ptr(), saved[5].data_ptr(), norm_weight.data_ptr(), of_h.data_ptr(),
          of_residual.data_ptr(), sums.data_ptr(), (int)rows, (uint64_t)c->saved_data["seed"].toInt(), threshold(dropout), (float)(1 / (1 - dropout)));
    sums = sums.sum(0);
    return {of_h.mm(weight), of_h.t().mm(x), sums[2].to(y.scalar_type()), of_residual, sums[0], sums[1], at::Tensor(), at::Tensor()};
  }
};

struct LinearGELU : torch::autograd::Function<LinearGELU> {
  static at::Tensor forward(AutogradContext *c, const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias) {
    at::Tensor h = x.mm(weight.t()), y = at::empty_like(h);
    int64_t rows = h.size(0), columns = h.size(1), beside = (columns + tile - 1) / tile;
    Module &m = module_of(x.size(1));
    m.run(m.gelu_forward, beside, m.high(rows, beside), 32 * warps, h.data_ptr(), bias.data_ptr(), y.data_ptr(), (int)rows, (int)columns);
    c->save_for_backward({x, weight, bias, h});
    return y;
  }
  static Tensors backward(AutogradContext *c, Tensors gradients) {
    auto saved = c->get_saved_variables();
    at::Tensor &x = saved[0], &weight = saved[1], &bias = saved[2], &h = saved[3], g = gradients[0].contiguous(), of_h = at::empty_like(h);
    int64_t rows = h.size(0), columns = h.size(1), beside = (columns + tile - 1) / tile;
    Module &m = module_of(x.size(1));
    int64_t high = m.high(rows, beside);
    at::Tensor sums = at::empty({high, columns}, h.options().dtype(at::kFloat));
    m.run(m.gelu_backward, beside, high, 32 * warps, g.data_ptr(), h.data_ptr(), bias.data_ptr(), of_h.data_ptr(), sums.data_ptr(), (int)rows, (int)columns);
    return {of_h.mm(weight), of_h.t().mm(x), sums.sum(0).to(bias.scalar_type())};
  }
};

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
// Attention has one product for query, key and value, and one for each of their gradients. Where no sequence has more than
// most tokens, kernels of attention.cu attend, and else flash attention.
struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext *c, const at::Tensor &x, const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const at::Tensor &q_bias,
                            const at::Tensor &k_bias, const at::Tensor &v_bias, const at::Tensor &ends, int64_t longest, int64_t heads, double dropout) {
    int64_t rows = x.size(0), hidden = x.size(1);
    at::Tensor weight = at::cat({q, k, v}), all = at::addmm(at::cat({q_bias, k_bias, v_bias}), x, weight.t());
    c->saved_data["longest"] = longest;
    c->saved_data["heads"] = heads;
    c->saved_data["dropout"] = dropout;
    if (ShortAttention *own = short_attention(hidden / heads, longest)) {
      uint64_t seed = ::dropout::next(dropout);
      at::Tensor out = at::empty_like(x), log_sums = at::empty({rows, heads}, x.options().dtype(at::kFloat));
      own->run_sharing(own->forward_bytes(longest), own->forward, ends.size(0) - 1, heads, 2 * own->rows(longest), all.data_ptr(), ends.data_ptr(), out.data_ptr(),
                       log_sums.data_ptr(), (int)hidden, seed, threshold(dropout), (float)(1 / (1 - dropout)));
      c->save_for_backward({x, weight, all, out, log_sums, at::Tensor(), at::Tensor(), ends});
      c->saved_data["seed"] = (int64_t)seed;
      return out;
    }
    Tensors three = all.view({rows, 3, heads, hidden / heads}).unbind(1);
    auto [out, sums, state, unused, debug] = at::_flash_attention_forward(three[0], three[1], three[2], ends, ends, longest, longest, dropout, false, false);
    c->save_for_backward({x, weight, all, out, sums, state, unused, ends});
    return out.reshape({rows, hidden});
  }
  static Tensors backward(AutogradContext *c, Tensors gradients) {
    auto saved = c->get_saved_variables();
    at::Tensor &x = saved[0], &weight = saved[1], &all = saved[2], &out = saved[3], &ends = saved[7], of_out = gradients[0].contiguous(), g = at::empty_like(all), sums;
    int64_t rows = x.size(0), hidden = x.size(1), longest = c->saved_data["longest"].toInt(), heads = c->saved_data["heads"].toInt(), head = hidden / heads;
    double dropout = c->saved_data["dropout"].toDouble();
    if (ShortAttention *own = short_attention(head, longest)) {
      sums = at::empty({ends.size(0) - 1, 3 * hidden}, x.options().dtype(at::kFloat));
      own->run_sharing(own->backward_bytes(longest), own->backward, ends.size(0) - 1, heads, 2 * own->rows(longest), all.data_ptr(), ends.data_ptr(), out.data_ptr(),
                       of_out.data_ptr(), saved[4].data_ptr(), g.data_ptr(), sums.data_ptr(), (int)hidden, (uint64_t)c->saved_data["seed"].toInt(), threshold(dropout),
                       (float)(1 / (1 - dropout)));
    } else {
      Module &m = module_of(hidden);
      Tensors three = all.view({rows, 3, heads, head}).unbind(1);
      auto [dq, dk, dv] = at::_flash_attention_backward(of_out.view_as(out), three[0], three[1], three[2], out, saved[4], ends, ends, longest, longest, dropout, false, saved[5],
                                                        saved[6]);
      dq = dq.contiguous(), dk = dk.contiguous(), dv = dv.contiguous();
      int64_t beside = (3 * hidden + tile - 1) / tile, high = m.high(rows, beside);
      sums = at::empty({high, 3 * hidden}, x.options().dtype(at::kFloat));
      m.run(m.join, beside, high, 32 * warps, dq.data_ptr(), dk.data_ptr(), dv.data_ptr(), g.data_ptr(), sums.data_ptr(), (int)rows);
    }
    Tensors of_weights = g.t().mm(x).chunk(3), of_biases = sums.sum(0).to(x.scalar_type()).chunk(3);
    return {g.mm(weight), of_weights[0], of_weights[1], of_weights[2], of_biases[0], of_biases[1], of_biases[2], at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};
#endif

// last is that of the encoder at hand.
Module *last = nullptr;

struct CrossEntropy : torch::autograd::Function<CrossEntropy> {
  static at::Tensor forward(AutogradContext *c, const at::Tensor &logits, const at::Tensor &targets) {
    int64_t rows = logits.size(0);
    at::Tensor losses = at::empty({rows}, logits.options().dtype(at::kFloat)), log_sums = at::empty_like(losses);
    last->run(last->cross_entropy_forward, rows, 1, 32 * warps, logits.data_ptr(), targets.data_ptr(), losses.data_ptr(), log_sums.data_ptr(), (int)logits.size(1));
    c->save_for_backward({logits, targets, log_sums});
    return losses.mean();
  }
  static Tensors backward(AutogradContext *c, Tensors gradients) {
    auto saved = c->get_saved_variables();
    at::Tensor &logits = saved[0], of_logits = at::empty_like(logits), g = gradients[0].to(at::kFloat).contiguous();
    int64_t rows = logits.size(0);
    last->run(last->cross_entropy_backward, rows, 1, 32 * warps, logits.data_ptr(), saved[1].data_ptr(), saved[2].data_ptr(), g.data_ptr(), of_logits.data_ptr(),
              (int)logits.size(1), 1.f / rows);
    return {of_logits, at::Tensor()};
  }
};

} // namespace

void source(const char *fused, const char *attention) { kernels = fused, attention_kernels = attention; }

bool ready(const at::Tensor &x, int64_t hidden) {
  if (!x.is_cuda() || x.scalar_type() != at::kBFloat16 || x.dim() != 2 || !x.is_contiguous() || kernels.empty() || hidden % 64 || hidden > 2048) return false;
  Module *module = made(modules, hidden);
  if (module) last = module;
  return module != nullptr;
}

std::string why() { return reason; }

at::Tensor add_norm(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias, const at::Tensor &residual, const at::Tensor &norm_weight,
                    const at::Tensor &norm_bias, double epsilon, double dropout) {
  return AddNorm::apply(x, weight, bias, residual, norm_weight, norm_bias, epsilon, dropout);
}

at::Tensor linear_gelu(const at::Tensor &x, const at::Tensor &weight, const at::Tensor &bias) { return LinearGELU::apply(x, weight, bias); }

at::Tensor attention(const at::Tensor &x, const at::Tensor *six, const at::Tensor &ends, int64_t longest, int64_t heads, double dropout) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 7
  return Attention::apply(x, six[0], six[1], six[2], six[3], six[4], six[5], ends, longest, heads, dropout);
#else
  throw std::runtime_error("flash attention of this libtorch is not used");
#endif
}

bool ready_for(const at::Tensor &logits) {
  return last && logits.is_cuda() && logits.scalar_type() == at::kBFloat16 && logits.dim() == 2 && logits.is_contiguous() && logits.size(0) > 0 && logits.size(1) % 8 == 0;
}

at::Tensor cross_entropy(const at::Tensor &logits, const at::Tensor &targets) { return CrossEntropy::apply(logits, targets); }

bool ready_to_step() { return last != nullptr; }

void lamb(const std::vector<Updated> &list, const Step &step) {
  struct Part { // as in fused.cu
    float *parameter, *gradient, *first, *second;
    float decay, rate;
    int adapts, block;
    uint64_t n;
  };
  std::vector<Part> parts;
  std::vector<int> part_of_block;
  for (const Updated &u : list) {
    parts.push_back({u.parameter.data_ptr<float>(), u.gradient.data_ptr<float>(), u.first.data_ptr<float>(), u.second.data_ptr<float>(), (float)u.decay, (float)u.rate, u.adapts,
                     (int)part_of_block.size(), (uint64_t)u.parameter.numel()});
    part_of_block.resize(part_of_block.size() + (u.parameter.numel() + step_numbers - 1) / step_numbers, (int)parts.size() - 1);
  }
  if (part_of_block.empty()) return;
  auto copied = [](const auto &values) {
    int64_t bytes = values.size() * sizeof(values[0]);
    return bridge::uploaded([&](at::TensorOptions options) { return at::empty({bytes}, options.dtype(at::kByte)); },
                            [&](at::Tensor &host) { std::memcpy(host.data_ptr(), values.data(), bytes); });
  };
  int64_t blocks = part_of_block.size();
  at::Tensor all = copied(parts), of_blocks = copied(part_of_block), squares = at::empty({blocks, 2}, list[0].parameter.options());
  last->run(last->lamb_moments, blocks, 1, 32 * warps, all.data_ptr(), of_blocks.data_ptr(), squares.data_ptr(), (float)(1 - step.beta1), (float)step.beta2,
            (float)(1 - step.beta2), (float)step.epsilon, (float)(1 / (1 - std::pow(step.beta1, step.number))), (float)(1 / std::sqrt(1 - std::pow(step.beta2, step.number))));
  last->run(last->lamb_step, blocks, 1, 32 * warps, all.data_ptr(), of_blocks.data_ptr(), squares.data_ptr(), (float)step.rate);
}

at::Tensor pick(const at::Tensor &x, const at::Tensor &rows) {
  Module &m = module_of(x.size(1));
  int64_t n = rows.size(0);
  at::Tensor y = at::empty({n, x.size(1)}, x.options());
  if (n > 0) m.run(m.pick, (n + warps - 1) / warps, 1, 32 * warps, x.data_ptr(), rows.data_ptr(), y.data_ptr(), (int)n, (int)(x.size(1) / 8));
  return y;
}

} // namespace fused
