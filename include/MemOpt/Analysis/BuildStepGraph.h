//===- BuildStepGraph.h - from IR to the planner's graph --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_BUILDSTEPGRAPH_H
#define MEMOPT_ANALYSIS_BUILDSTEPGRAPH_H

#include "MemOpt/Analysis/TrainingStep.h"
#include "MemOpt/Planning/StepGraph.h"

namespace memopt {

/// A step as the planner sees it, and where each op and value stands in the IR.
///
/// Ops of the graph are the ops of the step's block that lead to a result and
/// compute something: views, broadcasts, transposes, constants, splats and
/// inits are *glue*, and not in it. Values are the storages those ops make (of
/// memopt ops only the used results), scalars, which weigh nothing, and tensor
/// arguments.
struct BuiltStepGraph {
  StepGraph graph;
  std::vector<mlir::Operation *> ops; // by op index
  std::vector<mlir::Value> values;    // by value index
  llvm::DenseMap<mlir::Operation *, int> opIndex;
  llvm::DenseMap<mlir::Value, int> valueIndex;

  /// The graph's value behind `value`, through views; -1 for what is glue.
  int lookup(mlir::Value value) const;
};

/// Fails with a diagnostic that names the value whose size is not known, or the
/// op with which sums pass 2^62.
llvm::FailureOr<BuiltStepGraph> buildStepGraph(const TrainingStep &step);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_BUILDSTEPGRAPH_H
