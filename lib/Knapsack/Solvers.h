//===- Solvers.h - The solvers' entry points --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_SOLVERS_H
#define MEMOPT_LIB_KNAPSACK_SOLVERS_H

#include "Break.h"

namespace memopt::knapsack {

/// Improves `best` to an optimal choice and lowers `upper`, a bound on its
/// profit, to match. False where it had to stop: `watch` says why, or
/// `outgrown` is set because the lists passed `maxBytes`.
template <class P>
bool solveList(const Reduced<P> &in, const Break<P> &lp, Meter &meter,
               Watch &watch, size_t maxBytes, Incumbent<P> &best, Int128 &upper,
               bool &outgrown);

/// Tries every choice of the original problem. False where it had to stop.
bool solveExhaustive(const Problem &problem, PositionOrder order, Watch &watch,
                     Choice &choice);

/// A feasible choice made without memory beyond itself: every decision at its
/// base, then, in position order, the best alternative that still fits. Returns
/// an upper bound on any choice's value. The problem must be feasible.
int64_t solveInPlace(const Problem &problem, PositionOrder order,
                     Choice &choice);

/// Reorders equal decisions so that the heavier alternatives stand first (or
/// last), as PositionOrder says.
void settle(const Problem &problem, PositionOrder order, Choice &choice);

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_SOLVERS_H
