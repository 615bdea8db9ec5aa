//===- Dominators.cpp - of which one tensor a node is a function ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dominators.h"

#include <algorithm>

using namespace mlir;
using namespace memopt::raising;

DominatorTree::DominatorTree(const ScalarGraph &graph, Locality locality)
    : graph(graph), locality(locality), globalParent(graph.size(), root),
      localParent(graph.size(), root), globalDepth(graph.size(), 1),
      localDepth(graph.size(), 1), stamp(graph.size(), 0) {
  for (NodeId id = 0, end = graph.size(); id < end; ++id) {
    globalParent[id] = computeParent(id, nullptr);
    globalDepth[id] = 1 + depth(globalParent[id]);
  }
}

NodeId DominatorTree::commonAncestor(NodeId a, NodeId b) const {
  while (a != b) {
    if (a == root || b == root)
      return root;
    if (depth(a) >= depth(b))
      a = parent(a);
    else
      b = parent(b);
  }
  return a;
}

NodeId DominatorTree::computeParent(NodeId id,
                                    const llvm::BitVector *removed) const {
  const Node &node = graph[id];
  bool byRow = locality == Locality::Row;
  if (node.kind != NodeKind::Elementwise &&
      !(byRow && node.kind == NodeKind::RowReduction))
    return root;
  std::optional<NodeId> dominator;
  for (const Operand &operand : node.operands) {
    const Node &input = graph[operand.node];
    if (input.kind == NodeKind::Constant ||
        (removed && removed->test(operand.node)))
      continue;
    if (byRow &&
        (input.isParameter || operand.access == Access::ColumnBroadcast))
      continue;
    if (!byRow && operand.access != Access::Flat)
      return root;
    dominator =
        dominator ? commonAncestor(*dominator, operand.node) : operand.node;
    if (*dominator == root)
      return root;
  }
  return dominator.value_or(root);
}

SmallVector<NodeId> DominatorTree::chain(NodeId id) const {
  SmallVector<NodeId> result;
  NodeId previous = id;
  for (NodeId node = parent(id); node != root; node = parent(node)) {
    if (!graph.isNarrowingCast(previous, node))
      result.push_back(node);
    previous = node;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

NodeId DominatorTree::setWithout(NodeId id, const llvm::BitVector &removed) {
  NodeId found = computeParent(id, &removed);
  localParent[id] = found;
  localDepth[id] = 1 + depth(found);
  stamp[id] = overlay;
  return found;
}
