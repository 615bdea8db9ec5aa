//===- MarkCaptured.cpp - memopt-mark-captured ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "StepPlan.h"
#include "mlir/IR/Builders.h"

namespace memopt {
#define GEN_PASS_DEF_MARKCAPTURED
#include "MemOpt/Rematerialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct MarkCaptured : memopt::impl::MarkCapturedBase<MarkCaptured> {
  using MarkCapturedBase::MarkCapturedBase;

  void runOnOperation() override {
    if (failed(mark()))
      signalPassFailure();
  }

  LogicalResult mark() {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    if (failed(setDimBounds(step->getFunction(), dimBounds)))
      return failure();
    FailureOr<BoundedStep> bounded = BoundedStep::make(*step);
    if (failed(bounded))
      return failure();
    FailureOr<int64_t> bytes =
        SavedActivations::compute(bounded->getStep()).getTotalBytes();
    if (failed(bytes))
      return failure();
    step->getFunction()->setAttr(
        capturedBytesAttrName,
        Builder(&getContext()).getI64IntegerAttr(*bytes));
    return success();
  }
};
} // namespace
