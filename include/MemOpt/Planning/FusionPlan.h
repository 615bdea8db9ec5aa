//===- FusionPlan.h - which runs form one kernel ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fusion as a pure function of a schedule: what it decides is what the planner
// prices and simulates, and what the code generators are to do.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_FUSIONPLAN_H
#define MEMOPT_PLANNING_FUSIONPLAN_H

#include "MemOpt/Planning/StepGraph.h"

namespace memopt {

/// The kernels of a schedule, in the order in which they run.
struct FusionPlan {
  /// For each position of the schedule, the kernel that runs it.
  std::vector<int> kernelOf;
  /// The positions of kernel k are members [begin[k], begin[k + 1]), rising.
  std::vector<int> begin, members;

  int getKernelCount() const { return static_cast<int>(begin.size()) - 1; }
};

/// Groups the runs of a schedule into kernels, from the first run to the last.
/// A run joins the latest kernel that makes one of its operands where
///
///  - that operand is read aligned, and both stand on the same side of the
///    forward's end;
///  - the run is elementwise or a row reduction and the kernel is made of such
///    over the same points and rows; or the run is an elementwise op, and the
///    only reader of a contraction (its epilogue); or the run is a column
///    reduction, and the only reader of an elementwise kernel (its prologue);
///  - the kernel is the last so far, or what the run makes is no larger than
///    what dies with it there, so that no byte lives longer than without (and
///    the op may change its place).
///
/// Where the run also reads from the kernel before that, and the two fit
/// together, they become one. Kernels run where they stand in the list: each
/// reads only what earlier kernels make, so that the order stays valid and no
/// cycle can arise. A value whose readers are all in its own kernel takes no
/// memory.
FusionPlan fuse(const StepGraph &graph, const Schedule &schedule,
                const ScheduleReads &reads);

} // namespace memopt

#endif // MEMOPT_PLANNING_FUSIONPLAN_H
