//===- StepPlan.h - from a goal to a plan for a step ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REMATERIALIZE_STEPPLAN_H
#define MEMOPT_LIB_REMATERIALIZE_STEPPLAN_H

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Picture/Picture.h"
#include "MemOpt/Planning/Device.h"
#include "MemOpt/Planning/PlanLadder.h"
#include "NamedPlan.h"

namespace memopt {

/// What a plan is to bound.
struct Goal {
  enum Kind { Peak, Saved, Overhead, Keep } kind = Peak;
  /// Bytes, or a share in units of 10^-9 (always so for Overhead).
  int64_t amount = 0;
  bool isShare = false;
  /// What to keep, for Keep.
  NamedPlan named;

  /// From the options of the pass, of which exactly one must be given;
  /// `backwardOrder` goes with `keep`. Fails with a diagnostic at `module`.
  static llvm::FailureOr<Goal>
  parse(mlir::ModuleOp module, llvm::StringRef peakBudget,
        llvm::StringRef savedBudget, llvm::StringRef maxOverhead,
        llvm::StringRef keep, llvm::StringRef backwardOrder);
};

/// A plan and what it is compared with. Bytes and picoseconds.
struct StepPlan {
  RematPlan plan;
  Goal::Kind goal = Goal::Peak;
  int64_t budget = 0;     // bytes; picoseconds for Overhead
  int64_t bound = 0;      // no plan within the budget costs less; -1: not known
  int64_t recomputed = 0; // ops that run again, each time counted
  std::string device;
  int64_t stepTime = 0;                    // modelled time as captured
  int64_t savedBefore = 0, peakBefore = 0; // as captured, simulated alike

  /// All plans that a budget selects from, the cheapest first; and the least
  /// cost of any plan of as few saved bytes, and of as small a peak. Empty
  /// unless asked for, like the front.
  std::vector<LadderPoint> ladder;
  std::vector<int64_t> savedBounds, peakBounds;
  /// Plans that no other one beats in cost and what the goal bounds, saved
  /// bytes or else the peak, by rising bytes.
  std::vector<FrontPoint> front;

  /// The attribute `planAttrName`.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
};

struct PlanOptions {
  /// Plan on the order of `reorderStep`, not on the step's own.
  bool reorder = true;
  /// Fill in the front, or the whole ladder, for which peaks are searched also
  /// where a budget of saved bytes does without.
  bool wantsFront = false, wantsLadder = false;
};

/// Fails with a diagnostic that
/// names the smallest budget that works, the op at which the memory is needed
/// and what is alive there.
llvm::FailureOr<StepPlan> planStep(const TrainingStep &step,
                                   const BuiltStepGraph &built,
                                   const Goal &goal, const Device &device,
                                   const PlanOptions &options);

} // namespace memopt

#endif // MEMOPT_LIB_REMATERIALIZE_STEPPLAN_H
