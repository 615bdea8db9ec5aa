//===- NormGradients.cpp - finds the gradients of one norm ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormGradients.h"
#include "Activations.h"

#include <cmath>

using namespace memopt;
using namespace memopt::raising;

NormGradientFinder::NormGradientFinder(
    const ScalarGraph &graph, DominatorTree &tree, NormMatch &match,
    const NormFacts &facts, const NormSample &sample, ConeText &text,
    GradientMemo &memo,
    std::function<std::pair<const NormEvaluation *, const Evaluator *>()>
        evaluate)
    : graph(graph), tree(tree), match(match), facts(facts), sample(sample),
      text(text), numInputs(text.getInputs().size()), memo(memo),
      evaluate(std::move(evaluate)), explained(graph.size()) {}

void NormGradientFinder::run(llvm::ArrayRef<NodeId> reach) {
  match.reach.resize(graph.size());
  for (NodeId v : reach)
    match.reach.set(v);
  for (NodeId v : reach)
    if (graph[v].size == graph[match.x].size && graph.isMaterialized(v))
      findClosed(v);
  for (auto &[g, gradient] : gradients)
    explain(gradient.total, g);
  for (NodeId v : reach)
    if (graph[v].size == graph[match.x].size && graph.isMaterialized(v))
      while (findSum(v)) {
      }
  for (NodeId v : reach)
    if (graph[v].size == graph[match.x].size)
      findParameters(v);
  for (auto &[g, gradient] : gradients) {
    findShift(gradient);
    match.gradients.push_back(gradient);
  }
}

NormGradient &NormGradientFinder::gradientOf(NodeId g) {
  NormGradient &gradient = gradients[g];
  gradient.g = g;
  return gradient;
}

/// What v can be a gradient of, the furthest first.
llvm::SmallVector<NodeId> NormGradientFinder::candidates(NodeId v) const {
  llvm::SmallVector<NodeId> result;
  for (NodeId g : tree.chain(v))
    if (graph.isMaterialized(g) && graph[g].size == graph[match.x].size)
      result.push_back(g);
  return result;
}

bool NormGradientFinder::isFunctionOf(NodeId v, NodeId g) const {
  for (NodeId node = tree.parent(v); node != DominatorTree::root;
       node = tree.parent(node))
    if (node == g)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// dx
//===----------------------------------------------------------------------===//

/// dx on its own: the last v that is one, so that a final rounding belongs to
/// it.
void NormGradientFinder::findClosed(NodeId v) {
  for (NodeId g : candidates(v)) {
    int gamma = compare({v}, g, /*gain=*/false);
    if (gamma < 0)
      continue;
    NormGradient &gradient = gradientOf(g);
    if (gradient.total != noNode && graph.isNarrowingCast(v, gradient.total) &&
        graph[gradient.total].users.size() > 1)
      return;
    gradient.total = v;
    gradient.gamma =
        gamma ? text.getInputs()[*facts.gammas[gamma - 1]] : noNode;
    return;
  }
}

/// The terms of a tree of additions, in the order they are added. Casts between
/// additions are looked through.
void NormGradientFinder::flatten(NodeId v,
                                 llvm::SmallVectorImpl<NodeId> &terms) const {
  const Node &node = graph[v];
  bool inside = match.reach.test(v) && !explained.test(v);
  auto isRead = [](const Operand &operand) {
    return operand.access == Access::Flat ||
           operand.access == Access::RowBroadcast;
  };
  bool isSum = node.op.code == Opcode::Add || graph.isCast(v);
  if (!inside || node.kind != NodeKind::Elementwise || !isSum ||
      !llvm::all_of(node.operands, isRead)) {
    terms.push_back(v);
    return;
  }
  for (const Operand &operand : node.operands)
    flatten(operand.node, terms);
}

/// Automatic differentiation may add the pieces of dx to the gradient of the
/// residual one by one. v = dx + others where the terms of v that are functions
/// of one g sum to dx; what is left is read as before.
bool NormGradientFinder::findSum(NodeId v) {
  if (explained.test(v) || graph[v].op.code != Opcode::Add)
    return false;
  llvm::SmallVector<NodeId> terms;
  flatten(v, terms);
  std::set<NodeId> roots;
  for (NodeId term : terms)
    if (match.reach.test(term) && !explained.test(term))
      for (NodeId g : candidates(term))
        roots.insert(g);
  for (NodeId g : roots)
    if (sumOver(terms, v, g))
      return true;
  return false;
}

bool NormGradientFinder::sumOver(llvm::ArrayRef<NodeId> terms, NodeId v,
                                 NodeId g) {
  if (auto known = gradients.find(g);
      known != gradients.end() && known->second.total != noNode)
    return false;
  llvm::SmallVector<NodeId> pieces, others;
  for (NodeId term : terms) {
    bool isPiece = match.reach.test(term) && !explained.test(term) &&
                   isFunctionOf(term, g);
    (isPiece ? pieces : others).push_back(term);
  }
  for (NodeId other : others)
    if (!graph.isMaterialized(other) || graph[other].size != graph[v].size)
      return false;
  int gamma = pieces.empty() ? -1 : compare(pieces, g, /*gain=*/false);
  if (gamma < 0)
    return false;
  NormGradient &gradient = gradientOf(g);
  gradient.total = v;
  gradient.others.assign(others.begin(), others.end());
  gradient.gamma = gamma ? text.getInputs()[*facts.gammas[gamma - 1]] : noNode;
  for (NodeId piece : pieces)
    explain(piece, g);
  explained.set(v);
  return true;
}

/// Marks what lies between v and g.
void NormGradientFinder::explain(NodeId v, NodeId g) {
  llvm::SmallVector<NodeId> pending = {v};
  while (!pending.empty()) {
    NodeId node = pending.pop_back_val();
    if (node == g || explained.test(node) || !match.reach.test(node))
      continue;
    explained.set(node);
    for (const Operand &operand : graph[node].operands)
      pending.push_back(operand.node);
  }
}

//===----------------------------------------------------------------------===//
// dgamma and dbeta
//===----------------------------------------------------------------------===//

/// The sum of v over all rows, in one step or several; noNode where there is
/// none.
NodeId NormGradientFinder::columnSum(NodeId v) const {
  for (NodeId user : graph[v].users) {
    const Node &node = graph[user];
    bool isSum = node.kind == NodeKind::ColumnReduction &&
                 node.op.code == Opcode::Add && node.init == 0;
    if (isSum && node.size == match.columns)
      return user;
    if (!(isSum && node.size > match.columns) &&
        !(graph.isCast(user) && graph[v].kind == NodeKind::ColumnReduction))
      continue;
    if (NodeId sum = columnSum(user); sum != noNode)
      return sum;
  }
  return noNode;
}

/// dgamma = sum over rows of g xhat, whether or not there is a dx.
void NormGradientFinder::findParameters(NodeId v) {
  NodeId sum = columnSum(v);
  if (sum == noNode || !graph.isMaterialized(sum))
    return;
  for (NodeId g : candidates(v))
    if (compare({v}, g, /*gain=*/true) >= 0) {
      NormGradient &gradient = gradientOf(g);
      if (gradient.dgamma == noNode)
        gradient.dgamma = sum;
      return;
    }
}

/// dbeta = sum over rows of g, or of g in another type.
void NormGradientFinder::findShift(NormGradient &gradient) {
  llvm::SmallVector<NodeId> pending = {gradient.g};
  while (!pending.empty()) {
    NodeId node = pending.pop_back_val();
    NodeId sum = columnSum(node);
    if (sum != noNode && graph.isMaterialized(sum)) {
      gradient.dbeta = sum;
      return;
    }
    for (NodeId user : graph[node].users)
      if (graph.isCast(user))
        pending.push_back(user);
  }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

int NormGradientFinder::compare(llvm::ArrayRef<NodeId> terms, NodeId g,
                                bool gain) {
  text.restart(numInputs);
  text.name(g, -1);
  for (NodeId term : terms)
    text.appendCone(term);
  text.forget(g);
  std::string key = text.str() + (gain ? 'G' : 'X');
  text.restart(numInputs);
  auto [it, isNew] = memo.try_emplace(std::move(key), -1);
  if (isNew)
    it->second = compareValues(terms, g, gain);
  int gamma = it->second;
  // Texts do not tell types: a gain of integers is no operand.
  if (gamma > 0 &&
      !graph.isMaterialized(text.getInputs()[*facts.gammas[gamma - 1]]))
    return -1;
  return gamma;
}

/// The sum of the terms on the rows where gradients are compared.
std::optional<std::vector<double>>
NormGradientFinder::sumValues(llvm::ArrayRef<NodeId> terms, NodeId g) {
  auto found = evaluators.find(g);
  if (found == evaluators.end()) {
    found = evaluators
                .try_emplace(g, graph, Locality::Row, sample.rows,
                             sample.columns, evaluate().second)
                .first;
    found->second.give(g, {Sample::Full, sample.g});
  }
  std::vector<double> sum(sample.gradientRows * sample.columns);
  for (NodeId term : terms) {
    const Sample &value = found->second.get(term);
    if (value.extent != Sample::Full && value.extent != Sample::Row)
      return std::nullopt;
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] +=
          value.values[value.extent == Sample::Full ? i : i / sample.columns];
  }
  return sum;
}

int NormGradientFinder::compareValues(llvm::ArrayRef<NodeId> terms, NodeId g,
                                      bool gain) {
  std::optional<std::vector<double>> found = sumValues(terms, g);
  if (!found)
    return -1;
  const NormEvaluation &norm = *evaluate().first;
  auto isEqual = [&](const std::vector<double> &expected, bool scaled) {
    for (size_t i = 0; i < found->size(); ++i) {
      double unit = scaled ? norm.values->rstd[i / sample.columns] : 1;
      if (!(std::fabs((*found)[i] - expected[i]) <=
            tolerance * (unit + std::fabs(expected[i]))))
        return false;
    }
    return true;
  };
  if (gain) {
    std::vector<double> expected(found->size());
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = sample.g[i] * norm.values->xhat[i];
    return isEqual(expected, false) ? 0 : -1;
  }
  for (int gamma = norm.gammaValues.size(); gamma >= 0; --gamma) {
    // A gain that is no tensor cannot be an operand.
    if (gamma && !facts.gammas[gamma - 1])
      continue;
    std::vector<double> column;
    if (gamma)
      column = norm.gammaValues[gamma - 1];
    if (isEqual(norm.values->computeGradient(sample, column), true))
      return gamma;
  }
  return -1;
}
