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

#include <optional>
#include <string>

namespace memopt {

/// Which function of a module is the training step, and which of its results
/// the forward makes. Both have a default: the one function that looks like a
/// step, and result 0 (the loss).
struct TrainingStepOptions {
  std::string function;
  llvm::SmallVector<int64_t> forwardResults;
};

/// A training step: a function of one block on tensors whose results are what
/// the forward makes (the loss, perhaps logits or statistics) and gradients.
/// The forward ends with the op, in program order, that makes the storage of
/// the last forward result; what stands after it is the backward.
class TrainingStep {
public:
  /// Finds the step of `module`. Fails with a diagnostic that says what to do
  /// where no function or more than one looks like a step and none is named,
  /// where a named function or result does not exist, and where nothing divides
  /// (no op after the forward's end makes another result).
  static llvm::FailureOr<TrainingStep> find(mlir::ModuleOp module,
                                            const TrainingStepOptions &options);

  mlir::func::FuncOp getFunction() const { return function; }
  mlir::Block &getBody() const {
    return mlir::func::FuncOp(function).getBody().front();
  }
  /// Rising, each once.
  llvm::ArrayRef<int64_t> getForwardResults() const { return forwardResults; }
  /// The last op of the forward.
  mlir::Operation *getForwardEnd() const { return forwardEnd; }

  /// True where `op` (or the op of the step's block that holds it) stands at or
  /// before the forward's end.
  bool isForward(mlir::Operation *op) const {
    return getPosition(op) <= getPosition(forwardEnd);
  }
  /// True where a forward result depends on `op`, an op of the step's block.
  /// Other ops before the forward's end may as well stand after it.
  bool isInForwardSlice(mlir::Operation *op) const {
    return slice.contains(op);
  }
  /// Position of `op` (or its ancestor) in the step's block, from 0. The step
  /// knows the ops it was found with: find it again after a rewrite.
  int64_t getPosition(mlir::Operation *op) const;

private:
  /// Makes this the step of `function`; says why there is none otherwise.
  std::optional<std::string> divide(mlir::func::FuncOp function,
                                    llvm::ArrayRef<int64_t> forwardResults);
  void collectForwardSlice();

  mlir::func::FuncOp function;
  llvm::SmallVector<int64_t> forwardResults;
  mlir::Operation *forwardEnd = nullptr;
  llvm::DenseSet<mlir::Operation *> slice;
  llvm::DenseMap<mlir::Operation *, int64_t> position;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_TRAININGSTEP_H
