//===- Activations.h - finds activations and their gradients ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_ACTIVATIONS_H
#define MEMOPT_LIB_RAISE_ACTIVATIONS_H

#include "Closure.h"

namespace memopt::raising {

/// Relative error up to which two functions are the same: |F - T| / (|T| +
/// 0.01). Constants are snapped, so right ones are below 1e-7 and wrong ones
/// above 1e-4.
constexpr double tolerance = 1e-6;
/// Deviations above this are another function; the tanh GELU is 0.02 from the
/// erf GELU.
constexpr double largestDeviation = 0.01;

/// v = g h'(x), with `deviation` the worst relative error on the sample.
struct ActivationGradient {
  NodeId g, v;
  double deviation;
};

/// y = h(x) for the activation of index `kind` in the table, and its gradients.
struct ActivationMatch {
  unsigned kind;
  NodeId x, y;
  double deviation;
  /// Those accepted, and, where y is, those that are merely close; where y is
  /// merely close, all are in `gradients`.
  llvm::SmallVector<ActivationGradient, 1> gradients, closeGradients;
};

struct ActivationMatches {
  std::vector<ActivationMatch> exact;
  /// Close to an activation, but further than what is accepted.
  std::vector<ActivationMatch> close;
};

/// Finds every activation and gradient of the graph. `accepted` is the
/// deviation up to which a function counts as the activation it is close to.
ActivationMatches findActivations(const ScalarGraph &graph,
                                  const llvm::BitVector &forward,
                                  double accepted);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_ACTIVATIONS_H
