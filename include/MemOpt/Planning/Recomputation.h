//===- Recomputation.h - where recomputed values are made -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From what is kept to a schedule: each recomputed value is made as late as
// possible.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_RECOMPUTATION_H
#define MEMOPT_PLANNING_RECOMPUTATION_H

#include "MemOpt/Planning/FusionPlan.h"

#include <memory>

namespace memopt {

struct FlatStep;

/// What crosses from the forward to the backward, and what is made again.
struct KeepChoice {
  /// One flag a value: it is kept where the backward uses it. Values that may
  /// not be recomputed, results of the step and values of no bytes are kept
  /// whatever the flag says.
  std::vector<char> kept;
  /// One flag a value: where it is recomputed, it is made anew for each group
  /// of readers instead of being held between them. Costs its price once more
  /// each time; for cheap values that are made from what is alive anyway.
  std::vector<char> rebuilt;
};

/// Places recomputations in a base schedule of copies 0. Immutable, reused for
/// many choices.
class RecomputationPlacer {
public:
  /// `base` holds copy 0 of every op, the forward first; its backward is cut
  /// into groups, the kernels that it forms where everything is kept.
  /// Recomputed values are made just before the first group that reads them.
  RecomputationPlacer(const StepGraph &graph, const Schedule &base);

  /// Before each group, what it reads and is not there, with what that needs in
  /// turn: each value once (rebuilt ones once a group), operands shared; what
  /// takes a contraction first, so that elementwise work stands beside its
  /// reader and fuses with it.
  Schedule place(const KeepChoice &choice) const;
  /// The same, with what resolveReads would say of the schedule.
  Schedule place(const KeepChoice &choice, ScheduleReads &reads) const;

  /// True where the value is kept whatever the choice says.
  bool isAlwaysKept(int value) const { return alwaysKept[value]; }

private:
  void addForward(Run run);

  const StepGraph &graph;
  std::shared_ptr<const FlatStep> step; // immutable, so that copies share it
  std::vector<Run> forward;
  ScheduleReads forwardReads{{0}, {}};
  /// For each value of the forward the position that makes it; -1 for others.
  std::vector<int> made;
  /// Backward ops, and for each group where it begins.
  std::vector<int> backward, groupBegin;
  std::vector<char> alwaysKept;
};

} // namespace memopt

#endif // MEMOPT_PLANNING_RECOMPUTATION_H
