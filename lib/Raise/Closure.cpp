//===- Closure.cpp - what is computed from one tensor alone ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Closure.h"
#include "mlir/IR/Operation.h"

#include <algorithm>
#include <set>

using namespace mlir;
using namespace memopt::raising;

/// Far above what any activation or norm has; it bounds the work spent on
/// values that feed everything, such as attention masks.
static constexpr size_t closureLimit = 4000, reachLimit = 1000;

size_t Closure::indexOf(NodeId id) const {
  return std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin();
}

/// True where every operand of `node` is a member, known, or ignored.
static bool isClosed(const ScalarGraph &graph, const Node &node,
                     const llvm::BitVector &members, Locality locality) {
  bool byRow = locality == Locality::Row;
  if (node.kind != NodeKind::Elementwise &&
      !(byRow && node.kind == NodeKind::RowReduction))
    return false;
  return llvm::all_of(node.operands, [&](const Operand &operand) {
    const Node &input = graph[operand.node];
    if (input.kind == NodeKind::Constant)
      return true;
    if (members.test(operand.node))
      return operand.access == Access::Flat ||
             (byRow && operand.access == Access::RowBroadcast);
    return byRow &&
           (input.isParameter || operand.access == Access::ColumnBroadcast);
  });
}

Closure memopt::raising::computeClosure(const ScalarGraph &graph, NodeId x,
                                        Locality locality) {
  Closure closure;
  closure.members.resize(graph.size());
  closure.members.set(x);
  closure.nodes.push_back(x);
  std::set<NodeId> pending(graph[x].users.begin(), graph[x].users.end());
  while (!pending.empty() && closure.nodes.size() < closureLimit) {
    NodeId id = *pending.begin();
    pending.erase(pending.begin());
    const Node &node = graph[id];
    if (!isClosed(graph, node, closure.members, locality))
      continue;
    closure.members.set(id);
    closure.nodes.push_back(id);
    pending.insert(node.users.begin(), node.users.end());
  }
  return closure;
}

/// The nodes an op reads, in its regions too.
static void collectRead(const ScalarGraph &graph, Operation *op,
                        SmallVectorImpl<NodeId> &read) {
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (NodeId id = graph.lookup(value); id != noNode)
        read.push_back(id);
  });
}

llvm::BitVector
memopt::raising::computeForwardSlice(const ScalarGraph &graph,
                                     ArrayRef<Value> forwardResults) {
  llvm::BitVector slice(graph.size());
  SmallVector<NodeId> pending;
  for (Value value : forwardResults)
    if (NodeId id = graph.lookup(value); id != noNode)
      pending.push_back(id);
  while (!pending.empty()) {
    NodeId id = pending.pop_back_val();
    if (slice.test(id))
      continue;
    slice.set(id);
    const Node &node = graph[id];
    if (node.kind != NodeKind::Leaf)
      for (const Operand &operand : node.operands)
        pending.push_back(operand.node);
    else if (node.source != noNode)
      pending.push_back(node.source);
    else if (node.origin)
      collectRead(graph, node.origin, pending);
  }
  return slice;
}

std::vector<NodeId>
memopt::raising::computeReach(const ScalarGraph &graph, const Closure &closure,
                              const llvm::BitVector &forward,
                              DominatorTree &tree) {
  tree.clearOverlay();
  std::set<NodeId> pending;
  auto addUsers = [&](NodeId id) {
    for (NodeId user : graph[id].users)
      if (!closure.contains(user) && !forward.test(user))
        pending.insert(user);
  };
  for (NodeId id : closure.nodes)
    addUsers(id);
  std::vector<NodeId> reach;
  while (!pending.empty() && reach.size() < reachLimit) {
    NodeId id = *pending.begin();
    pending.erase(pending.begin());
    NodeKind kind = graph[id].kind;
    if (kind != NodeKind::Elementwise && kind != NodeKind::RowReduction)
      continue;
    reach.push_back(id);
    if (tree.setWithout(id, closure.members) != DominatorTree::root)
      addUsers(id);
  }
  return reach;
}
