//go:build libtorch

#include "bridge.h"
#include "fused.h"

#include <cmath>
#include <map>
#include <utility>

using namespace bridge;

namespace {

// Gradients are the parameters that have a gradient, their gradients and
// their places in the list.
struct Gradients {
  Tensors parameters, gradients;
  std::vector<int> places;

  Gradients(void **list, int n) {
    for (int i = 0; i < n; i++) {
      at::Tensor &p = of(list[i]);
      if (!p.grad().defined()) continue;
      parameters.push_back(p);
      gradients.push_back(p.mutable_grad());
      places.push_back(i);
    }
  }

  Tensors of_places(void **list) const {
    Tensors tensors;
    for (int i : places) tensors.push_back(of(list[i]));
    return tensors;
  }
};

// moments updates both moments by the gradients.
void moments(const Tensors &first, const Tensors &second, const Tensors &gradients, double beta1, double beta2) {
  at::_foreach_lerp_(first, gradients, 1 - beta1);
  at::_foreach_mul_(second, beta2);
  at::_foreach_addcmul_(second, gradients, gradients, 1 - beta2);
}

// denominators returns sqrt(second / (1 - beta2^step)) + epsilon.
Tensors denominators(const Tensors &second, double beta2, double epsilon, int64_t step) {
  Tensors d = at::_foreach_sqrt(second);
  at::_foreach_div_(d, std::sqrt(1 - std::pow(beta2, step)));
  at::_foreach_add_(d, epsilon);
  return d;
}

} // namespace

char *sentweave_follow(void **tensors, void **ahead, const double *shares, int n) {
  return guarded([&] {
    for (int i = 0; i < n; i++) of(tensors[i]).lerp_(of(ahead[i]), shares[i]);
  });
}

char *sentweave_copy(void *master, int64_t apart, double fill, void **copy) {
  return guarded([&] {
    at::Tensor &m = of(master);
    std::vector<int64_t> sizes = m.sizes().vec();
    sizes[0] = (sizes[0] + apart - 1) / apart * apart;
    at::Tensor c = at::full(sizes, fill, m.options().dtype(at::kBFloat16));
    c.narrow(0, 0, m.size(0)).copy_(m);
    c.requires_grad_(m.requires_grad());
    *copy = new at::Tensor(c);
  });
}

char *sentweave_refresh_copies(void **copies, void **masters, int n) {
  return guarded([&] {
    Tensors to, from;
    for (int i = 0; i < n; i++) {
      to.push_back(of(copies[i]).detach().narrow(0, 0, of(masters[i]).size(0)));
      from.push_back(of(masters[i]).detach());
    }
    if (n > 0) at::_foreach_copy_(to, from);
  });
}

char *sentweave_gather_gradients(void **copies, void **masters, int n) {
  return guarded([&] {
    Tensors to, from, sums, terms; // all at once: a GPU waits for each call
    for (int i = 0; i < n; i++) {
      at::Tensor &copy = of(copies[i]), &master = of(masters[i]);
      if (!copy.grad().defined()) continue;
      at::Tensor g = at::empty(master.sizes(), master.options());
      to.push_back(g);
      from.push_back(copy.grad().narrow(0, 0, master.size(0)));
      if (master.grad().defined()) sums.push_back(master.mutable_grad()), terms.push_back(g);
      else master.mutable_grad() = g;
      copy.mutable_grad().reset();
    }
    if (!to.empty()) at::_foreach_copy_(to, from);
    if (!sums.empty()) at::_foreach_add_(sums, terms);
  });
}

char *sentweave_zero_gradients(void **parameters, int n) {
  return guarded([&] {
    for (int i = 0; i < n; i++) of(parameters[i]).mutable_grad().reset(); // freed, not zeroed: less memory
  });
}

char *sentweave_gradient_norm(void **parameters, int n, double *norm) {
  return guarded([&] {
    Gradients g(parameters, n);
    *norm = 0;
    if (g.gradients.empty()) return;
    *norm = at::stack(at::_foreach_norm(g.gradients)).to(at::kDouble).norm().item<double>();
  });
}

char *sentweave_scale_gradients(void **parameters, int n, double factor) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (!g.gradients.empty()) at::_foreach_mul_(g.gradients, factor);
  });
}

char *sentweave_adam(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     int decoupled, int n, double rate, double beta1, double beta2, double epsilon, int64_t step) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (g.gradients.empty()) return;
    Tensors m = g.of_places(first), v = g.of_places(second);
    if (!device.is_cpu()) { // one kernel for all parameters of a decay and a rate
      at::Tensor steps = at::full({}, (double)step, g.parameters[0].options());
      std::map<std::pair<double, double>, std::vector<size_t>> alike;
      for (size_t i = 0; i < g.places.size(); i++) alike[{decay[g.places[i]], rates[g.places[i]]}].push_back(i);
      for (auto &[settings, list] : alike) {
        auto some = [&](const Tensors &all) {
          Tensors chosen;
          for (size_t i : list) chosen.push_back(all[i]);
          return chosen;
        };
        auto update = [&](auto adam) {
          adam(some(g.parameters), some(g.gradients), some(m), some(v), at::TensorList{}, Tensors(list.size(), steps), rate * settings.second, beta1, beta2, settings.first, epsilon,
               false, false);
        };
        if (decoupled) update([](auto &&...a) { at::_fused_adamw_(a...); });
        else update([](auto &&...a) { at::_fused_adam_(a...); });
      }
      return;
    }
    for (size_t i = 0; i < g.places.size(); i++) {
      double d = decay[g.places[i]];
      if (d == 0) continue;
      if (decoupled) g.parameters[i].mul_(1 - rate * rates[g.places[i]] * d);
      else g.gradients[i].add_(g.parameters[i], d);
    }
    moments(m, v, g.gradients, beta1, beta2);
    std::vector<at::Scalar> factors;
    for (size_t place : g.places) factors.push_back(-rate * rates[place] / (1 - std::pow(beta1, step)));
    at::_foreach_addcdiv_(g.parameters, m, denominators(v, beta2, epsilon, step), factors);
  });
}

char *sentweave_lamb(void **parameters, void **first, void **second, const double *decay, const double *rates,
                     const uint8_t *adapt, int n, double rate, double beta1, double beta2, double epsilon, int64_t step) {
  return guarded([&] {
    Gradients g(parameters, n);
    if (g.gradients.empty()) return;
    Tensors m = g.of_places(first), v = g.of_places(second);
    if (!device.is_cpu() && fused::enabled && fused::ready_to_step()) {
      std::vector<fused::Updated> list;
      for (size_t i = 0; i < g.places.size(); i++) {
        int place = g.places[i];
        list.push_back({g.parameters[i], g.gradients[i].contiguous(), m[i], v[i], decay[place], rates[place], adapt[place] != 0});
      }
      fused::lamb(list, {step, rate, beta1, beta2, epsilon});
      return;
    }
    moments(m, v, g.gradients, beta1, beta2);
    Tensors update = at::_foreach_div(m, 1 - std::pow(beta1, step));
    at::_foreach_div_(update, denominators(v, beta2, epsilon, step));
    for (size_t i = 0; i < update.size(); i++) {
      double d = decay[g.places[i]];
      if (d != 0) update[i].add_(g.parameters[i], d);
    }
    Tensors weights = at::_foreach_norm(g.parameters), updates = at::_foreach_norm(update);
    // The ratios stay tensors, so that a device is not waited for.
    for (size_t i = 0; i < update.size(); i++) {
      if (adapt[g.places[i]]) {
        at::Tensor both = weights[i].gt(0).logical_and(updates[i].gt(0));
        update[i].mul_(at::where(both, weights[i] / updates[i], at::ones_like(weights[i])));
      }
      double factor = rates[g.places[i]];
      if (factor != 1) update[i].mul_(factor);
    }
    at::_foreach_add_(g.parameters, update, -rate);
  });
}
