//===- Schedule.cpp - memopt-schedule -------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fences.h"
#include "MemOpt/Planning/Reorder.h"
#include "MemOpt/Rematerialize/ApplySchedule.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace memopt {
#define GEN_PASS_DEF_SCHEDULE
#include "MemOpt/Rematerialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct SchedulePass : memopt::impl::ScheduleBase<SchedulePass> {
  using ScheduleBase::ScheduleBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step) ||
        failed(requireUnplanned(step->getFunction(), "memopt-schedule")))
      return failure();
    FailureOr<BuiltStepGraph> built = buildStepGraph(*step);
    if (failed(built))
      return failure();
    return applySchedule(*step, *built, reorderStep(built->graph),
                         /*fences=*/false);
  }
};
} // namespace
