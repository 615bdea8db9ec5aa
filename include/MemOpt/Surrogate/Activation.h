//===- Activation.h - activations as functions of a real --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_SURROGATE_ACTIVATION_H
#define MEMOPT_SURROGATE_ACTIVATION_H

#include <string_view>
#include <vector>

namespace memopt {

/// An activation h: R -> R with h(x) -> 0 as x -> -inf and h(x) - x -> 0 as
/// x -> +inf. Both functions are accurate to a few units in the last place of
/// the terms they sum, tails included, and finite for every finite x.
struct Activation {
  /// The keyword of the dialect's `ActivationKind`.
  std::string_view name;
  /// h(x).
  double (*value)(double x);
  /// h'(x).
  double (*derivative)(double x);
};

/// All activations, in the order of the dialect's enum.
const std::vector<Activation> &getActivations();

/// The activation of that name; null where there is none.
const Activation *findActivation(std::string_view name);

} // namespace memopt

#endif // MEMOPT_SURROGATE_ACTIVATION_H
