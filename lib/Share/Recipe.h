//===- Recipe.h - from the normalised value to the output -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SHARE_RECIPE_H
#define MEMOPT_LIB_SHARE_RECIPE_H

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/IR/PatternMatch.h"

namespace memopt {

/// How the output of a norm follows from its normalised value.
struct Recipe {
  /// y is the normalised value; nothing is recomputed.
  bool isSame = false;
  /// Ops of the body, in order, from `source` to y; without any, y is computed
  /// from the definition.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The value of the body that stands for the normalised value.
  mlir::Value source;
  /// Ops of the body, in order, from xhat to `source` where it is a rounded
  /// xhat.
  llvm::SmallVector<mlir::Operation *> rounding;

  /// The operands of the norm that the ops read.
  llvm::SmallVector<mlir::Value> getParameters(NormOp norm) const;
  /// The type of the normalised value that is kept.
  mlir::RankedTensorType getKeptType(NormOp norm) const;
};

/// The recipe of `norm` from its xhat or, with `rounded`, from the xhat that
/// its body rounds on the way to y. Nothing where y needs more than that.
std::optional<Recipe> findRecipe(NormOp norm, bool rounded);

/// The normalised value that is kept, made directly behind the norm where it is
/// not a result of it.
mlir::Value buildKept(mlir::RewriterBase &rewriter, NormOp norm,
                      const Recipe &recipe);

/// y again, from `kept`, at the rewriter's insertion point.
mlir::Value buildOutput(mlir::RewriterBase &rewriter, NormOp norm,
                        const Recipe &recipe, mlir::Value kept);

/// The input of an op that only extends or rounds each element; null otherwise.
mlir::Value getCastInput(mlir::Operation *op);

} // namespace memopt

#endif // MEMOPT_LIB_SHARE_RECIPE_H
