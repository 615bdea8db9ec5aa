//===- Rewrite.h - turns matches into replacements --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_REWRITE_H
#define MEMOPT_LIB_RAISE_REWRITE_H

#include "Activations.h"
#include "Cone.h"
#include "Norms.h"
#include "Plan.h"

namespace memopt::raising {

/// What the rewriting of one function needs to know.
struct RewriteContext {
  const ScalarGraph &graph;
  const llvm::BitVector &forward;
  /// The op after which the backward begins; null where all is forward.
  mlir::Operation *forwardEnd;
  Plan &plan;

  /// The tensors that hold `id`, one group for each half of the step: what the
  /// backward computes again on purpose stays computed again.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>, 2>
  definitionsByHalf(NodeId id) const;
};

/// Plans `memopt.activation` and `memopt.activation_grad` for a match.
void planActivation(const RewriteContext &context,
                    const ActivationMatch &match);

/// Plans `memopt.norm` and `memopt.norm_grad` for a match.
void planNorm(const RewriteContext &context, const NormMatch &match);
void planNormOutput(const RewriteContext &context, unsigned group,
                    const NormMatch &match, const NormOutput &output,
                    llvm::ArrayRef<mlir::Value> olds);
void planNormGradient(const RewriteContext &context, unsigned group,
                      const NormMatch &match, const NormGradient &gradient);

/// A shape whose trailing dimensions are a row.
struct RowShape {
  llvm::SmallVector<int64_t> dims;
  int64_t normalizedRank = 1;

  llvm::ArrayRef<int64_t> row() const {
    return llvm::ArrayRef(dims).take_back(normalizedRank);
  }
  llvm::ArrayRef<int64_t> rows() const {
    return llvm::ArrayRef(dims).drop_back(normalizedRank);
  }
};

/// The first of the types' shapes that has trailing dimensions of `columns`
/// elements, or rows x columns where none has.
RowShape chooseRowShape(llvm::ArrayRef<mlir::Type> types, int64_t columns);

/// `value` once for each of `olds`, under its shape: the first at the builder's
/// place, the others, which are equal to it, where they were computed.
llvm::SmallVector<mlir::Value> standFor(mlir::OpBuilder &builder,
                                        llvm::ArrayRef<mlir::Value> olds,
                                        mlir::Value value);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_REWRITE_H
