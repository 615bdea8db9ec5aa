//===- Lowering.h - one function an op --------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_LOWER_LOWERING_H
#define MEMOPT_LIB_LOWER_LOWERING_H

#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Lower/Passes.h"
#include "mlir/IR/PatternMatch.h"

namespace memopt {

/// Each replaces one op, which must not have a body, by ops of upstream
/// dialects in front of it, and erases it.
void lowerActivation(mlir::IRRewriter &rewriter, ActivationOp op);
void lowerActivationGrad(mlir::IRRewriter &rewriter, ActivationGradOp op);
void lowerEncode(mlir::IRRewriter &rewriter, EncodeOp op);
void lowerStepGrad(mlir::IRRewriter &rewriter, StepGradOp op);
void lowerNorm(mlir::IRRewriter &rewriter, NormOp op);
void lowerNormGrad(mlir::IRRewriter &rewriter, NormGradOp op);
void lowerNormOutputGrad(mlir::IRRewriter &rewriter, NormOutputGradOp op);

/// Replaces a fence by a select in its readers. Runs after all other lowerings,
/// so that the readers are the generics of upstream dialects. Fails with a
/// diagnostic where `after` gives no condition.
llvm::LogicalResult lowerFence(mlir::IRRewriter &rewriter, FenceOp op);

} // namespace memopt

#endif // MEMOPT_LIB_LOWER_LOWERING_H
