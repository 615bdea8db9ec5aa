//===- Norms.h - finds norms and their gradients ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_NORMS_H
#define MEMOPT_LIB_RAISE_NORMS_H

#include "Closure.h"
#include "MemOpt/Dialect/MemOpt.h"

namespace memopt::raising {

/// y = gamma xhat + beta; a gain or shift that is no tensor of its own is
/// noNode, with `isExplicit` false.
struct NormOutput {
  NodeId y, gamma = noNode, beta = noNode;
  bool isExplicit = true;
};

/// Gradients of one norm from one g. dx may be one term of a sum: `total` is
/// then dx plus `others`, in the order they were added. noNode for what is not
/// there.
struct NormGradient {
  NodeId g;
  /// The gain that dx multiplies g by.
  NodeId gamma = noNode;
  NodeId total = noNode;
  llvm::SmallVector<NodeId, 2> others;
  NodeId dgamma = noNode, dbeta = noNode;
};

struct NormMatch {
  NormKind kind;
  double epsilon;
  /// The length of a row.
  int64_t columns;
  NodeId x;
  Closure closure;
  /// Members of S(x) equal to xhat, x - mean (x for rms), 1/std and std.
  llvm::SmallVector<NodeId, 2> xhats, centered, rstds, stds;
  llvm::SmallVector<NormOutput, 1> outputs;
  llvm::SmallVector<NormGradient, 1> gradients;
  /// Nodes of the backward that S(x) reaches.
  llvm::BitVector reach;
};

/// The nodes from `starts`, left out, to `ends`. Every way back from an end
/// must lead to a start, a constant or a parameter.
llvm::BitVector collectBetween(const ScalarGraph &graph,
                               llvm::ArrayRef<NodeId> ends,
                               llvm::ArrayRef<NodeId> starts);

/// The nodes between a gradient's values and x, g and the terms it leaves
/// alone.
llvm::BitVector collectGradientNodes(const ScalarGraph &graph,
                                     const NormMatch &match,
                                     const NormGradient &gradient);

/// Rows longer than this are not looked at: their sample would not fit a cache,
/// and no norm has them.
constexpr int64_t longestRow = 1 << 16;

/// Finds every norm and gradient of the graph.
std::vector<NormMatch> findNorms(const ScalarGraph &graph,
                                 const llvm::BitVector &forward);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_NORMS_H
