//===- Plan.h - what a planner decides --------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of planning, apart from the IR: one can print, compare and store
// it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_PLAN_H
#define MEMOPT_PLANNING_PLAN_H

#include "MemOpt/Planning/PeakMemory.h"

#include <iosfwd>
#include <string_view>

namespace memopt {

/// One plan and what it promises.
struct RematPlan {
  /// What is kept, what is recomputed, in which order: what a rewriter applies.
  Schedule schedule;
  /// Forward values that cross to the backward, rising; results of the step
  /// that the backward reads are among them.
  std::vector<int> kept;
  /// Ops that run again, rising, each once however often it runs.
  std::vector<int> recomputed;
  /// Unaligned bytes of `kept`, results of the step apart.
  int64_t savedBytes = 0;
  /// Sum of the prices of all recomputations, in picoseconds.
  int64_t cost = 0;
  /// The simulated peak in bytes, and the op that runs when it is reached: the
  /// first of its kernel.
  int64_t peakBytes = 0;
  Run peakRun;
  /// No plan with as few saved bytes costs less (picoseconds).
  int64_t savedBound = 0;
  /// No plan with as small a peak costs less, in any order (picoseconds).
  int64_t peakBound = 0;

  /// Recomputations, each counted.
  int getRunCount(const StepGraph &graph) const;
};

/// Fills in everything but the bounds from a schedule. Empty, or why the
/// schedule is not sane, or that its cost passes 2^62 picoseconds.
std::string describeSchedule(const StepGraph &graph,
                             const std::vector<int64_t> &prices,
                             Schedule schedule, RematPlan &plan,
                             const PeakOptions &options = {});

/// What is alive at the plan's peak.
std::vector<LiveValue> listPeak(const StepGraph &graph, const RematPlan &plan,
                                const PeakOptions &options = {});

bool operator==(const RematPlan &a, const RematPlan &b);
inline bool operator!=(const RematPlan &a, const RematPlan &b) {
  return !(a == b);
}

/// For people: figures, then what is kept and what is recomputed, by name.
void printPlan(const StepGraph &graph, const RematPlan &plan, std::ostream &os);

/// `memopt-plan 1`, then lines `saved BYTES`, `cost PICOSECONDS`, `peak BYTES`,
/// `at OP COPY`, `bounds SAVED PEAK`, `keep V...` (flags of all values that are
/// set), `recomputed OP...`, `kept V...`, and `order OP[.COPY]...`.
void writePlan(const RematPlan &plan, std::ostream &os);

/// Reads what `writePlan` wrote for a graph of `valueCount` values. Empty, or
/// what is wrong.
std::string readPlan(std::string_view text, size_t valueCount, RematPlan &plan);

} // namespace memopt

#endif // MEMOPT_PLANNING_PLAN_H
