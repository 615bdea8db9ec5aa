//===- NamedPlan.h - a plan that was made elsewhere -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What another planner decided, by the names of values: which it keeps, and in
// which order it runs the backward.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REMATERIALIZE_NAMEDPLAN_H
#define MEMOPT_LIB_REMATERIALIZE_NAMEDPLAN_H

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/StepGraph.h"

#include <string>
#include <vector>

namespace memopt {

struct NamedPlan {
  /// Values to keep, and what the backward runs in its order, recomputed values
  /// among it; no order is given where that is empty.
  std::vector<std::string> kept, order;

  /// From the options `keep` and `backward-order`, `@FILE` each: one name a
  /// line, `#` begins a comment. Fails with a diagnostic at `module` where a
  /// file cannot be read or names nothing.
  static llvm::FailureOr<NamedPlan> read(mlir::ModuleOp module,
                                         llvm::StringRef keep,
                                         llvm::StringRef backwardOrder);

  /// The schedule that keeps exactly the named values and runs the rest again:
  /// without an order as late as possible, in the backward of `base`; else
  /// where the order has it, and what the order does not name just before its
  /// first reader. Of several ops with one name the last makes the named value;
  /// a name that no op's location has is looked up among the names that plans
  /// are printed with.
  ///
  /// Warns of names that are no values of the forward. Fails where none is, or
  /// where an order is given to a backward that may not be reordered.
  llvm::FailureOr<Schedule> place(const TrainingStep &step,
                                  const BuiltStepGraph &built,
                                  const Schedule &base) const;
};

} // namespace memopt

#endif // MEMOPT_LIB_REMATERIALIZE_NAMEDPLAN_H
