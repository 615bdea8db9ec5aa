//===- Frontier.h - Optima at many capacities -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KNAPSACK_FRONTIER_H
#define MEMOPT_KNAPSACK_FRONTIER_H

#include "MemOpt/Knapsack/Solve.h"

namespace memopt::knapsack {

/// A point of the frontier. Without its choice, which `choiceAt` recovers.
struct FrontierPoint {
  int64_t capacity = 0;
  bool feasible = false;
  bool optimal = false; ///< Whether value and key are proved to be the largest.
  int64_t value = 0;
  int64_t key = 0;
  int64_t upperBound = 0;
};

struct Frontier {
  std::string error;                 ///< What `check` found wrong.
  std::vector<FrontierPoint> points; ///< In the order of the capacities asked.
  Stop stop = Stop::Proved;
  /// How it was made: `Hirschberg` for one sweep of a row over all capacities,
  /// `List` for one reduction and sort with a core at each capacity.
  Solver solver = Solver::List;
  size_t peakBytes = 0;
};

/// The optimal value at each of the capacities, which may come in any order and
/// repeat; negative ones are an error. `problem.capacity` is not used. What
/// does not depend on the capacity is done once. Limits hold for the whole
/// sweep: points not reached have a feasible value and a bound.
///
/// `Auto` takes one row where it is short for the number of capacities, and the
/// list otherwise; the other
/// solvers are taken as they are, `Exhaustive` and `Table` at each capacity.
Frontier frontier(const Problem &problem,
                  const std::vector<int64_t> &capacities,
                  const SolveOptions &options = {});

/// The choice at one capacity.
Answer choiceAt(const Problem &problem, int64_t capacity,
                const SolveOptions &options = {});

} // namespace memopt::knapsack

#endif // MEMOPT_KNAPSACK_FRONTIER_H
