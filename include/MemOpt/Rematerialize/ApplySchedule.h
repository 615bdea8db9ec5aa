//===- ApplySchedule.h - a plan put into the IR -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_REMATERIALIZE_APPLYSCHEDULE_H
#define MEMOPT_REMATERIALIZE_APPLYSCHEDULE_H

#include "MemOpt/Analysis/BuildStepGraph.h"

namespace memopt {

/// Rewrites the step's block so that it runs `schedule`, a sane schedule of
/// `built.graph`: ops move to their places and recomputed ones are cloned, with
/// their operands from the runs that the schedule reads. Views, constants and
/// inits stand before their first reader; what leads nowhere is erased.
///
/// Recomputed ops that stand together are one run. In a run, each op that reads
/// nothing recomputed in it reads one operand, the smallest, behind a
/// `memopt.fence` after the last value that was computed before the run; two
/// ops with the same operand share the fence. So no recomputation is equal to
/// the op it repeats, and none can move before the run. With `fences` off the
/// clones stand bare, for a reader that neither merges nor moves ops.
///
/// Fails with a diagnostic, before anything is changed, where an op's shape
/// operands or inits depend on a value that the schedule does not order:
/// dynamic shapes. The step and `built` are stale afterwards.
llvm::LogicalResult applySchedule(const TrainingStep &step,
                                  const BuiltStepGraph &built,
                                  const Schedule &schedule, bool fences = true);

} // namespace memopt

#endif // MEMOPT_REMATERIALIZE_APPLYSCHEDULE_H
