//===- Closure.h - what is computed from one tensor alone -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_CLOSURE_H
#define MEMOPT_LIB_RAISE_CLOSURE_H

#include "Dominators.h"

namespace memopt::raising {

/// S(x): x and every node that is a function of x (and of constants, and in the
/// Row locality of columns and parameters) alone, in the forward and in the
/// backward. Intermediates that are used again, saved or recomputed need no
/// case of their own: all are members.
struct Closure {
  /// In topological order, x first.
  std::vector<NodeId> nodes;
  llvm::BitVector members;

  bool contains(NodeId id) const { return members.test(id); }
  /// Position in `nodes`; nodes must be a member.
  size_t indexOf(NodeId id) const;
};

Closure computeClosure(const ScalarGraph &graph, NodeId x, Locality locality);

/// The nodes a forward result depends on.
llvm::BitVector computeForwardSlice(const ScalarGraph &graph,
                                    llvm::ArrayRef<mlir::Value> forwardResults);

/// The nodes that read a member of S(x) or follow one that does, while they are
/// still a function of one more tensor; nodes of the forward are left out.
/// Without the forward left out this would run along the residual stream into
/// every later layer. Their parents with S(x) counted as constant are set in
/// the tree's overlay. In topological order.
std::vector<NodeId> computeReach(const ScalarGraph &graph,
                                 const Closure &closure,
                                 const llvm::BitVector &forward,
                                 DominatorTree &tree);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_CLOSURE_H
