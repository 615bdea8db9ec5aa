//===- Break.h - The linear relaxation and its greedy choice ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the linear relaxation each kind climbs its upper convex hull in steps of
// falling rate; all kinds' steps, taken by falling rate until one does not fit,
// are the optimum of the relaxation (Dantzig, Operations Research 5(2), 1957;
// for classes Sinha and Zoltners, Operations Research 27(3), 1979). What was
// taken whole is the base choice from which the list solver deviates.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_BREAK_H
#define MEMOPT_LIB_KNAPSACK_BREAK_H

#include "Reduced.h"

namespace memopt::knapsack {

/// Moves a member of `kind` from option `from` to option `to` (0: the base).
struct Step {
  uint32_t kind, from, to;
};

template <class P> struct Break {
  explicit Break(Meter &meter) : steps(meter), current(meter) {}

  /// All steps by falling rate. Empty where every kind has one option: then
  /// step i moves kind i from 0 to 1.
  Buffer<Step> steps;
  /// Each kind's option in the base choice.
  Buffer<uint32_t> current;
  /// The step that did not fit for all members, its place, and for how many
  /// members it did; they are at `broken.to`, `current` is `broken.from`.
  Step broken{};
  size_t place = 0;
  uint32_t copies = 0;
  bool everythingFits = false;

  int64_t slack = 0; ///< Capacity left by the base choice; >= 0.
  P profit = 0;      ///< Of the base choice.
  /// The multipliers between which the base choice stays optimal: the rate of
  /// the broken step, and the lowest rate taken (no rate where none was).
  Rate<P> up, down;
  /// Upper bound on the profit: profit + floor(slack up).
  Int128 upper = 0;

  Step step(size_t i) const {
    return steps.empty() ? Step{uint32_t(i), 0, 1} : steps[i];
  }
  size_t stepCount(const Reduced<P> &in) const {
    return steps.empty() ? in.kindCount() : steps.size();
  }
};

/// Solves the relaxation; false where memory ran out.
template <class P> bool findBreak(const Reduced<P> &in, Break<P> &out);

/// The base choice as counts.
template <class P>
bool baseCounts(const Reduced<P> &in, const Break<P> &lp, Counts &counts);

/// A feasible choice and its profit.
template <class P> struct Incumbent {
  explicit Incumbent(Meter &meter) : counts(meter) {}
  Counts counts;
  P profit = 0;
};

/// The better of two feasible choices: all steps that fit, by falling rate; and
/// the base choice with the best exchange of at most one taken for one left
/// item. False where memory ran out.
template <class P>
bool findIncumbent(const Reduced<P> &in, const Break<P> &lp, Meter &meter,
                   Incumbent<P> &out);

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_BREAK_H
