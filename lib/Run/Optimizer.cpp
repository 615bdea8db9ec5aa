//===- Optimizer.cpp - SGD and AdamW --------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Optimizer.h"

using namespace memopt::run;
using llvm::Error;
using llvm::Expected;

/// The memory of an array as its stored type.
template <typename Codec> static typename Codec::Stored *storage(Array &array) {
  return reinterpret_cast<typename Codec::Stored *>(array.data());
}
template <typename Codec>
static const typename Codec::Stored *storage(const ArrayView &array) {
  return reinterpret_cast<const typename Codec::Stored *>(array.data);
}

/// What storing `x` and loading it again gives: one of PyTorch's operations
/// ends here.
template <typename Codec>
static typename Codec::Math rounded(typename Codec::Math x) {
  return Codec::load(Codec::store(x));
}

/// `buffer` is null without momentum.
template <typename Codec>
static void updateSgd(const OptimizerOptions &options, double rate,
                      bool isFirst, Array &parameter, const ArrayView &gradient,
                      Array *buffer) {
  using Math = typename Codec::Math;
  Math decay = Math(options.weightDecay), momentum = Math(options.momentum);
  Math fresh = Math(1 - options.dampening), negative = Math(-rate);
  auto *p = storage<Codec>(parameter);
  auto *g = storage<Codec>(gradient);
  auto *b = buffer ? storage<Codec>(*buffer) : nullptr;
  for (int64_t i = 0, e = parameter.size(); i < e; ++i) {
    Math weight = Codec::load(p[i]), slope = Codec::load(g[i]);
    if (options.weightDecay != 0)
      slope = rounded<Codec>(slope + decay * weight);
    if (b) {
      Math kept =
          isFirst
              ? slope
              : rounded<Codec>(rounded<Codec>(momentum * Codec::load(b[i])) +
                               fresh * slope);
      b[i] = Codec::store(kept);
      slope = options.nesterov ? rounded<Codec>(slope + momentum * kept) : kept;
    }
    p[i] = Codec::store(weight + negative * slope);
  }
}

/// m + w (g - m), from the nearer end (PyTorch's lerp).
template <typename Math> static Math interpolate(Math m, Math g, Math w) {
  return w < Math(0.5) ? m + w * (g - m) : g - (g - m) * (Math(1) - w);
}

template <typename Codec>
static void updateAdamW(const OptimizerOptions &options, double rate,
                        int64_t step, Array &parameter,
                        const ArrayView &gradient, Array &first,
                        Array &second) {
  using Math = typename Codec::Math;
  // In double, as Python computes them; each operation then takes its own type.
  double correction1 = 1 - std::pow(options.beta1, double(step));
  double correction2 = std::sqrt(1 - std::pow(options.beta2, double(step)));
  Math decay = Math(1 - rate * options.weightDecay);
  Math weight1 = Math(1 - options.beta1), keep2 = Math(options.beta2);
  Math weight2 = Math(1 - options.beta2), epsilon = Math(options.epsilon);
  Math size = Math(-(rate / correction1)), root = Math(correction2);
  auto *p = storage<Codec>(parameter);
  auto *g = storage<Codec>(gradient);
  auto *m = storage<Codec>(first), *v = storage<Codec>(second);
  for (int64_t i = 0, e = parameter.size(); i < e; ++i) {
    Math slope = Codec::load(g[i]);
    Math weight = rounded<Codec>(Codec::load(p[i]) * decay);
    m[i] = Codec::store(interpolate(Codec::load(m[i]), slope, weight1));
    Math square = rounded<Codec>(Codec::load(v[i]) * keep2);
    v[i] = Codec::store(square + weight2 * slope * slope);
    Math below = rounded<Codec>(std::sqrt(Codec::load(v[i])));
    below = rounded<Codec>(rounded<Codec>(below / root) + epsilon);
    p[i] = Codec::store(weight + size * Codec::load(m[i]) / below);
  }
}

Error Optimizer::addState(Slot &slot, const Array &parameter) const {
  size_t needed = options.kind == OptimizerKind::AdamW ? 2
                  : options.kind == OptimizerKind::Sgd && options.momentum != 0
                      ? 1
                      : 0;
  while (slot.state.size() < needed) {
    Expected<Array> zeros = Array::allocate(parameter.type());
    if (!zeros)
      return zeros.takeError();
    std::memset(zeros->data(), 0, zeros->bytes());
    slot.state.push_back(std::move(*zeros));
  }
  return Error::success();
}

Error Optimizer::update(size_t number, double rate, Array &parameter,
                        const ArrayView &gradient) {
  if (options.kind == OptimizerKind::None)
    return Error::success();
  if (gradient.type != parameter.type())
    return makeError("a parameter %s has a gradient %s",
                     toString(parameter.type()).c_str(),
                     toString(gradient.type).c_str());
  if (!isFloat(parameter.type().element))
    return makeError("a parameter %s has no floats to update",
                     toString(parameter.type()).c_str());
  if (slots.size() <= number)
    slots.resize(number + 1);
  Slot &slot = slots[number];
  if (Error error = addState(slot, parameter))
    return error;
  ++slot.steps;
  visitFloat(parameter.type().element, [&](auto codec) {
    using Codec = decltype(codec);
    if (options.kind == OptimizerKind::AdamW)
      updateAdamW<Codec>(options, rate, slot.steps, parameter, gradient,
                         slot.state[0], slot.state[1]);
    else
      updateSgd<Codec>(options, rate, slot.steps == 1, parameter, gradient,
                       slot.state.empty() ? nullptr : &slot.state[0]);
  });
  return Error::success();
}

int64_t Optimizer::stateBytes() const {
  int64_t sum = 0;
  for (const Slot &slot : slots)
    for (const Array &array : slot.state)
      sum += array.bytes();
  return sum;
}
