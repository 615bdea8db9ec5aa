//===- Solve.h - the steps of solving for a surrogate -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SURROGATE_SOLVE_H
#define MEMOPT_LIB_SURROGATE_SOLVE_H

#include "Knots.h"

namespace memopt {

/// Where to start from: the density of knots that is best in the limit of many,
/// proportional to |h''|^(2/5), with a few ways to share the knots out among
/// the intervals on which h bends one way, since a descent rarely moves a knot
/// across an inflection. Always the same list in the same order.
std::vector<Knots> makeStarts(const Activation &activation, int numKnots);

/// Levenberg-Marquardt from `knots` until a step gains less than 1e-9 of E,
/// which never rises. Returns E.
double descend(const Activation &activation, Knots &knots);

/// Newton on the stationarity conditions, to rounding; leaves `knots` alone
/// where that does not converge to a point as good.
void polish(const Activation &activation, Knots &knots);

} // namespace memopt

#endif // MEMOPT_LIB_SURROGATE_SOLVE_H
