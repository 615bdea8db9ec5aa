//===- ToLinalg.cpp - lower the memopt dialect ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "MemOpt/Analysis/Stage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace memopt {
#define GEN_PASS_DEF_TOLINALG
#include "MemOpt/Lower/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// Puts the body of `op` in its place, and drops what of it nobody uses.
static void inlineBody(IRRewriter &rewriter, Operation *op) {
  Block &body = op->getRegion(0).front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Operation *> inlined;
  for (Operation &inner : body.without_terminator())
    inlined.push_back(&inner);
  rewriter.inlineBlockBefore(&body, op, op->getOperands());
  rewriter.replaceOp(op, yield.getValues());
  rewriter.eraseOp(yield);
  for (Operation *inner : llvm::reverse(inlined))
    if (isOpTriviallyDead(inner))
      rewriter.eraseOp(inner);
}

static void lowerOp(IRRewriter &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  if (isa<ActivationOp, NormOp>(op) && !op->getRegion(0).empty())
    return inlineBody(rewriter, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ActivationOp op) { lowerActivation(rewriter, op); })
      .Case([&](ActivationGradOp op) { lowerActivationGrad(rewriter, op); })
      .Case([&](EncodeOp op) { lowerEncode(rewriter, op); })
      .Case([&](StepGradOp op) { lowerStepGrad(rewriter, op); })
      .Case([&](NormOp op) { lowerNorm(rewriter, op); })
      .Case([&](NormGradOp op) { lowerNormGrad(rewriter, op); })
      .Case([&](NormOutputGradOp op) { lowerNormOutputGrad(rewriter, op); });
}

namespace {
struct ToLinalg : public memopt::impl::ToLinalgBase<ToLinalg> {
  using ToLinalgBase::ToLinalgBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<FenceOp> fences;
    // Operations inside a body come before the op that holds it.
    getOperation()->walk([&](Operation *op) {
      if (auto fenceOp = dyn_cast<FenceOp>(op))
        fences.push_back(fenceOp);
      else if (isa_and_nonnull<MemOptDialect>(op->getDialect()) &&
               !isa<YieldOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      lowerOp(rewriter, op);
    for (FenceOp fenceOp : fences)
      if (failed(lowerOneFence(rewriter, fenceOp)))
        return signalPassFailure();
    getOperation()->walk(
        [](func::FuncOp function) { setRaised(function, false); });
  }

  LogicalResult lowerOneFence(IRRewriter &rewriter, FenceOp op) {
    rewriter.setInsertionPoint(op);
    switch (fence) {
    case FenceForm::Keep:
      return success();
    case FenceForm::None:
      rewriter.replaceOp(op, op.getX());
      return success();
    case FenceForm::Scalar:
      return lowerFence(rewriter, op);
    }
    llvm_unreachable("all forms are handled");
  }
};
} // namespace
