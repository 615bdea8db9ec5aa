//===- Remember.cpp - memopt-remember -------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Picture/Notes.h"
#include "MemOpt/Report/Passes.h"
#include "Rewrites.h"

namespace memopt {
#define GEN_PASS_DEF_REMEMBER
#include "MemOpt/Report/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct Remember : memopt::impl::RememberBase<Remember> {
  using RememberBase::RememberBase;

  void runOnOperation() override {
    if (failed(remember()))
      signalPassFailure();
  }

  LogicalResult remember() {
    if (forget && (memory || ops))
      return emitError(getOperation().getLoc())
             << "memopt-remember: forget= goes without memory= and ops=";
    if (forget) {
      getOperation()->walk(
          [](func::FuncOp function) { removeNotes(function); });
      return success();
    }
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    if (memory) {
      FailureOr<Timeline> timeline = traceAsWritten(*step);
      if (failed(timeline))
        return failure();
      noteTimeline(step->getFunction(), *timeline);
    }
    if (ops)
      noteRewrites(*step);
    return success();
  }
};
} // namespace
