//===- VerifyStage.cpp - memopt-verify-stage ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Stage.h"
#include "MemOpt/Analysis/TrainingStep.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Pipelines/Passes.h"

namespace memopt {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "MemOpt/Pipelines/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// No call in the step goes to a function whose body the stages would not see.
static LogicalResult verifyCalls(func::FuncOp step) {
  SymbolTableCollection symbols;
  auto found = step.walk([&](func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return WalkResult::advance();
    emitError(call.getLoc())
        << "the stage 'captured' expects no call to a function that has a "
           "body: @"
        << callee.getName()
        << " cannot be inlined, as it is recursive, has more than one "
        << "block or says no_inline";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

/// Nothing of the memopt dialect is left.
static LogicalResult verifyUpstream(ModuleOp module) {
  auto found = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isOurs = isa_and_nonnull<MemOptDialect>(op->getDialect());
    bool hasOurs =
        llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
          return isa_and_nonnull<MemOptDialect>(attribute.getNameDialect());
        });
    if (!isOurs && !hasOurs)
      return WalkResult::advance();
    emitError(op->getLoc())
        << "the stage 'upstream' expects nothing of the memopt dialect, and '"
        << op->getName() << "' " << (isOurs ? "is" : "has an attribute")
        << " of it: put memopt-to-linalg before";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

namespace {
struct VerifyStage : memopt::impl::VerifyStageBase<VerifyStage> {
  using VerifyStageBase::VerifyStageBase;

  void runOnOperation() override {
    if (failed(verify()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verify() {
    if (stage == "upstream")
      return verifyUpstream(getOperation());
    if (stage != "captured" && stage != "raised")
      return emitError(getOperation().getLoc())
             << "unknown stage '" << stage
             << "' for memopt-verify-stage: captured, raised or upstream";
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    if (stage == "captured")
      return verifyCalls(step->getFunction());
    return requireRaised(step->getFunction(), "what follows");
  }
};
} // namespace
