//===- TrainingStep.h - where the forward ends ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_TRAININGSTEP_H
#define MEMOPT_ANALYSIS_TRAININGSTEP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace memopt {

/// Which function of a module is the training step, and which of its results the
/// forward makes. Both have a default: the one function that looks like a step,
/// and result 0 (the loss).
struct TrainingStepOptions {
  std::string function;
  llvm::SmallVector<int64_t> forwardResults;
};

/// A training step: a function of one block whose results are what the forward
/// makes (the loss, perhaps logits or statistics) and gradients. The forward
/// ends with the op, in program order, that makes the last forward result; what
/// stands after it is the backward.
class TrainingStep {
public:
  /// Finds the step of `module`. Fails with a diagnostic that says what to do
  /// where no function or more than one looks like a step and none is named,
  /// where a named function or result does not exist, and where nothing divides
  /// (no op after the forward's end leads to a result).
  static llvm::FailureOr<TrainingStep> find(mlir::ModuleOp module,
                                            const TrainingStepOptions &options);

  mlir::func::FuncOp getFunction() const { return function; }
  mlir::Block &getBody() const { return function.getBody().front(); }
  llvm::ArrayRef<int64_t> getForwardResults() const { return forwardResults; }
  /// The last op of the forward.
  mlir::Operation *getForwardEnd() const { return forwardEnd; }

  /// True where `op` (or the op of the step's block that holds it) stands at or
  /// before the forward's end.
  bool isForward(mlir::Operation *op) const;
  /// True where a forward result depends on `op`.
  bool isInForwardSlice(mlir::Operation *op) const { return slice.contains(op); }
  /// Position of `op` (or its ancestor) in the step's block, from 0.
  int64_t getPosition(mlir::Operation *op) const;

private:
  mlir::func::FuncOp function;
  llvm::SmallVector<int64_t> forwardResults;
  mlir::Operation *forwardEnd = nullptr;
  llvm::DenseSet<mlir::Operation *> slice;
  llvm::DenseMap<mlir::Operation *, int64_t> position;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_TRAININGSTEP_H
