//===- Dominators.h - of which one tensor a node is a function --*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_DOMINATORS_H
#define MEMOPT_LIB_RAISE_DOMINATORS_H

#include "ScalarGraph.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memopt::raising {

/// Which edges count as dependence.
enum class Locality {
  /// Element by element: any other access ends at the root (activations).
  Element,
  /// Within a row: row reductions and row broadcasts count, columns and
  /// parameters are ignored (norms).
  Row
};

/// The dominator tree towards the inputs. The parent of v is its nearest node d
/// such that v is a function of d (and of constants) alone; the nodes v is a
/// function of are the chain of parents, and all cuts of a cone with one input
/// are on it. Parents are the lowest common ancestors of operands (Cooper,
/// Harvey and Kennedy 2001, on an acyclic graph in topological order: one
/// pass).
class DominatorTree {
public:
  static constexpr NodeId root = noNode;

  DominatorTree(const ScalarGraph &graph, Locality locality);

  Locality getLocality() const { return locality; }
  NodeId parent(NodeId id) const {
    return stamp[id] == overlay ? localParent[id] : globalParent[id];
  }
  /// The parents of `id` from the furthest to the nearest. A node whose nearer
  /// neighbour is its own narrowing cast is left out: a raised op reads what
  /// was rounded, not the wider value before.
  llvm::SmallVector<NodeId> chain(NodeId id) const;

  /// Forgets the parents set by `setWithout`.
  void clearOverlay() { ++overlay; }
  /// The parent of `id` with the nodes of `removed` counted as constants. Stays
  /// until the overlay is cleared; set operands before users.
  NodeId setWithout(NodeId id, const llvm::BitVector &removed);

private:
  NodeId computeParent(NodeId id, const llvm::BitVector *removed) const;
  int depth(NodeId id) const {
    return id == root             ? 0
           : stamp[id] == overlay ? localDepth[id]
                                  : globalDepth[id];
  }
  NodeId commonAncestor(NodeId a, NodeId b) const;

  const ScalarGraph &graph;
  Locality locality;
  std::vector<NodeId> globalParent, localParent;
  std::vector<int> globalDepth, localDepth, stamp;
  int overlay = 1;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_DOMINATORS_H
