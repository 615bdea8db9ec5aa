//===- SpecializeShapes.cpp - memopt-specialize-shapes ------------------------
//===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentSizes.h"
#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Specialize/Passes.h"
#include "StaticShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace memopt {
#define GEN_PASS_DEF_SPECIALIZESHAPES
#include "MemOpt/Specialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct SpecializeShapes : memopt::impl::SpecializeShapesBase<SpecializeShapes> {
  using SpecializeShapesBase::SpecializeShapesBase;

  void runOnOperation() override {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step) || failed(specialize(step->getFunction())))
      signalPassFailure();
  }

  LogicalResult specialize(func::FuncOp step) {
    if (failed(setDimBounds(step, dimBounds)))
      return failure();
    FailureOr<SmallVector<Type>> types = getSizedArguments(step, sizes);
    if (failed(types))
      return failure();
    removeDimBounds(step);
    if (TypeRange(*types) == TypeRange(step.getArgumentTypes()))
      return success();
    return makeShapesStatic(step, *types);
  }
};
} // namespace
