//===- Surrogate.h - piecewise-linear stand-ins -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_SURROGATE_SURROGATE_H
#define MEMOPT_SURROGATE_SURROGATE_H

#include "MemOpt/Surrogate/Activation.h"

#include <optional>

namespace memopt {

/// A continuous piecewise-linear function of 2^b slopes that equals 0 at the
/// far left and x at the far right (Approx-BP, Yang et al., ICML 2024):
///
///     S(x) = sum_k (slopes[k] - slopes[k - 1]) max(x - thresholds[k - 1], 0).
///
/// Its derivative at x is `slopes[code]`, code the number of thresholds below
/// x.
struct Surrogate {
  /// 2^b - 1 rising thresholds.
  std::vector<double> thresholds;
  /// 2^b slopes; the first is 0 and the last is 1.
  std::vector<double> slopes;

  double value(double x) const;
};

/// The surrogate of `bits` (1..4) bits that minimises
///
///     E = integral over the reals of (h - S)^2,
///
/// the squared L2 distance of the primitives, over all thresholds and all
/// slopes but the outer two. Nothing is assumed about symmetry: h(x) - h(-x) =
/// x does not make the best S symmetric (GELU at 3 bits). Of two mirrored
/// optima the one with more thresholds on the left is taken. At one bit nothing
/// is free: S is max(x, 0). The same call gives the same bits on every run.
Surrogate solveSurrogate(const Activation &activation, unsigned bits);

/// E of `surrogate`, whichever way it was found.
double getSurrogateError(const Activation &activation,
                         const Surrogate &surrogate);

/// What vanishes at a stationary point of E: for each inner segment [a, b] the
/// integrals of (h - S) (b - x) / (b - a) and of (h - S) (x - a) / (b - a).
/// In words: each inner segment is the best straight line for its part of h.
std::vector<double> getStationarityResiduals(const Activation &activation,
                                             const Surrogate &surrogate);

/// The constants that Yang et al. publish: ReGELU2 for gelu_erf and ReSiLU2 for
/// silu, at 2 bits. Nothing for any other activation or number of bits.
std::optional<Surrogate> getPublishedSurrogate(std::string_view activation,
                                               unsigned bits);

} // namespace memopt

#endif // MEMOPT_SURROGATE_SURROGATE_H
