//===- InlineKernels.cpp - memopt-inline-kernels
//---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Kernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace memopt {
#define GEN_PASS_DEF_INLINEKERNELS
#include "MemOpt/Kernels/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

static void inlineKernel(IRRewriter &rewriter, KernelOp kernel) {
  SmallVector<Value> outputs = llvm::to_vector(kernel.getOutputs());
  Block &body = kernel.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  rewriter.inlineBlockBefore(&body, kernel, kernel.getInputs());
  rewriter.replaceOp(kernel, yield.getValues());
  rewriter.eraseOp(yield);
  for (Value output : outputs)
    if (auto empty = output.getDefiningOp<tensor::EmptyOp>())
      if (empty->use_empty())
        rewriter.eraseOp(empty);
}

namespace {
struct InlineKernels : memopt::impl::InlineKernelsBase<InlineKernels> {
  using InlineKernelsBase::InlineKernelsBase;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (!kernel.hasTensors() && !kernel.getOutputs().empty()) {
        kernel.emitError("memopt-inline-kernels: this kernel works on buffers, "
                         "and only one on tensors has results to give way to");
        return signalPassFailure();
      }
    IRRewriter rewriter(&getContext());
    for (KernelOp kernel : kernels)
      inlineKernel(rewriter, kernel);
    getOperation()->walk([](func::FuncOp function) {
      function->removeDiscardableAttr(kernelsAttrName);
    });
  }
};
} // namespace
