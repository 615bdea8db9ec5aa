//===- DimBounds.h - dynamic shapes within bounds ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step whose arguments have dynamic dimensions can be planned for the largest
// sizes they may have. The bounds stand on the arguments,
//
//     %x: tensor<?x1024xf32> {memopt.dim_bounds = array<i64: 128, 1024>}
//
// one number a dimension, at least 1: the dimension is from 1 to that. What an
// op makes is bounded by what it reads. No size grows as a dimension shrinks,
// so that a promise for the bounds holds for everything below them.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_DIMBOUNDS_H
#define MEMOPT_ANALYSIS_DIMBOUNDS_H

#include "MemOpt/Analysis/TrainingStep.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

namespace memopt {

/// On an argument: an upper bound for each of its dimensions.
inline constexpr llvm::StringLiteral dimBoundsAttrName = "memopt.dim_bounds";

/// Sets the attribute from `ARGUMENT:DIMENSION=BOUND` words. Fails with a
/// diagnostic that names the word.
llvm::LogicalResult setDimBounds(mlir::func::FuncOp function,
                                 llvm::ArrayRef<std::string> words);
void removeDimBounds(mlir::func::FuncOp function);

/// A step in which every dimension that is bounded has its bound as its size,
/// for analyses: the step itself where it has no bounds, else a copy.
class BoundedStep {
public:
  /// Fails with a diagnostic where an attribute is malformed, or a shape cannot
  /// be followed. A size that no bound reaches stays dynamic.
  static llvm::FailureOr<BoundedStep> make(const TrainingStep &step);

  const TrainingStep &getStep() const { return step; }
  bool isCopy() const { return static_cast<bool>(module); }
  /// From the original to the copy.
  const mlir::IRMapping &getMapping() const { return mapping; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::IRMapping mapping;
  TrainingStep step;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_DIMBOUNDS_H
