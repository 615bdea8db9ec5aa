//===- Solve.h - Exact knapsack solvers -------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KNAPSACK_SOLVE_H
#define MEMOPT_KNAPSACK_SOLVE_H

#include "MemOpt/Knapsack/Problem.h"

#include <atomic>
#include <limits>

namespace memopt::knapsack {

/// The solvers. All are exact, deterministic, and take both forms.
enum class Solver {
  /// `List`, and `Hirschberg` where a list would outgrow its rows.
  Auto,
  /// Every combination; refused above 2^30 of them. The oracle of the tests.
  Exhaustive,
  /// Dynamic programming over weights with a full table of decisions:
  /// time O(n C/g), memory O(n C/g) bits, g the gcd of the weights.
  Table,
  /// Sliding-window rows with Hirschberg's divide and conquer (D. S.
  /// Hirschberg, CACM 18(6), 1975): time O(n C/g), memory O(C/g).
  Hirschberg,
  /// Reductions and a list of undominated states around the break item, with
  /// linear-space recovery (after D. Pisinger, Operations Research 45(5), 1997,
  /// and, for classes, EJOR 83(2), 1995).
  List,
};

/// The solver's name as `mem-knapsack --solver=` takes it.
const char *name(Solver solver);

/// Which of several identical items are taken: the earlier or the later ones.
/// In the multiple-choice form the heavier states go to the earlier (later) of
/// several identical classes.
enum class PositionOrder { EarlierFirst, LaterFirst };

/// Bounds on a solver's work. A solver that reaches one returns a feasible
/// answer and a proved upper bound instead of the optimum.
struct Limits {
  /// Wall-clock seconds.
  double seconds = std::numeric_limits<double>::infinity();
  /// Bytes that the solver may hold at once, the returned choice excluded.
  size_t bytes = size_t(2) << 30;
  /// Set from any thread to stop the solver at its next step.
  const std::atomic<bool> *cancel = nullptr;
};

struct SolveOptions {
  Solver solver = Solver::Auto;
  PositionOrder order = PositionOrder::EarlierFirst;
  Limits limits;
};

/// Why a solver stopped.
enum class Stop {
  Proved,      ///< The answer is optimal, or no choice fits.
  TimeLimit,   ///< `Limits::seconds` passed.
  MemoryLimit, ///< The next step would need more than `Limits::bytes`.
  Cancelled,   ///< `Limits::cancel` was set.
  TooLarge,    ///< `Exhaustive` was asked for more than 2^30 combinations.
};

const char *name(Stop stop);

/// A solver's answer.
struct Answer {
  /// What `check` found wrong; then nothing else is set.
  std::string error;
  /// False where even the lightest choice exceeds the capacity (possible in the
  /// multiple-choice form only).
  bool feasible = false;
  /// Whether value (and, among equal values, key) is proved to be the largest.
  bool optimal = false;
  Stop stop = Stop::Proved;
  /// The solver that made the choice; never `Auto`.
  Solver solver = Solver::List;
  int64_t value = 0;
  int64_t weight = 0;
  int64_t key = 0;
  /// No choice is worth more; equal to `value` where the answer is optimal.
  int64_t upperBound = 0;
  Choice choice;
  /// The most bytes that the solver held at once, counted at each allocation.
  size_t peakBytes = 0;
};

/// Solves a problem. Same problem and options, same answer, on every run and
/// build (limits in seconds and cancellation apart).
Answer solve(const Problem &problem, const SolveOptions &options = {});

} // namespace memopt::knapsack

#endif // MEMOPT_KNAPSACK_SOLVE_H
