//===- FusedStep.cpp - a step as written, fused and simulated
//--------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/FusedStep.h"

using namespace mlir;
using namespace memopt;

FailureOr<FusedStep> memopt::fuseAsWritten(const TrainingStep &step) {
  FailureOr<BuiltStepGraph> built = buildStepGraph(step);
  if (failed(built))
    return failure();
  FusedStep fused{std::move(*built), {}, {}, {}, {}};
  const StepGraph &graph = fused.built.graph;
  fused.schedule = captureSchedule(graph);
  std::string error = resolveReads(graph, fused.schedule, fused.reads);
  if (!error.empty())
    return emitError(func::FuncOp(step.getFunction()).getLoc())
           << "the step's graph: " << error;
  fused.fusion = fuse(graph, fused.schedule, fused.reads);
  fused.peak = simulatePeak(graph, fused.schedule, fused.reads, fused.fusion);
  return fused;
}
