//===- Activations.cpp - finds activations and their gradients ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Evaluator.h"
#include "MemOpt/Surrogate/Activation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace memopt;
using namespace memopt::raising;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {
/// Where functions are compared, and what the table's functions are there.
struct Grid {
  std::vector<double> x, g;
  /// By activation: h(x) and g h'(x).
  std::vector<std::vector<double>> value, gradient;

  Grid();
};
} // namespace

/// Dense where activations bend, sparse in the tails, and close to 0, where
/// cancellation would show; away from numbers that are exact in binary.
Grid::Grid() {
  for (int i = -64; i <= 64; ++i)
    x.push_back(i * 0.125 + 0.003);
  for (double tail : {10., 13., 17., 25., 40., 60., 1e-3, 1e-6, 1e-9})
    x.insert(x.end(), {tail, -tail});
  x.push_back(0);
  g = drawNormal(x.size(), 3);
  for (const Activation &activation : getActivations()) {
    std::vector<double> &h = value.emplace_back(),
                        &gh = gradient.emplace_back();
    for (size_t i = 0; i < x.size(); ++i) {
      h.push_back(activation.value(x[i]));
      gh.push_back(g[i] * activation.derivative(x[i]));
    }
  }
}

static const Grid &getGrid() {
  static const Grid grid;
  return grid;
}

/// The worst relative error, or infinity as soon as it passes `limit`.
static double getDeviation(const std::vector<double> &found,
                           const std::vector<double> &expected, double limit) {
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double error =
        std::fabs(found[i] - expected[i]) / (std::fabs(expected[i]) + 1e-2);
    if (!(error <= limit))
      return INFINITY;
    worst = std::max(worst, error);
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
class ActivationFinder {
public:
  ActivationFinder(const ScalarGraph &graph, const llvm::BitVector &forward,
                   double accepted)
      : graph(graph), forward(forward), accepted(std::max(tolerance, accepted)),
        tree(graph, Locality::Element), explained(graph.size()) {}

  ActivationMatches run();

private:
  bool findFrom(NodeId anchor);
  std::optional<ActivationMatch> findForward(const Closure &closure,
                                             Evaluator &values);
  void findGradients(ActivationMatch &match, const Closure &closure,
                     const Evaluator &values);
  std::optional<ActivationGradient>
  matchGradient(const ActivationMatch &match, NodeId v, const Evaluator &values,
                std::unordered_map<NodeId, Evaluator> &evaluators);
  void explain(const ActivationMatch &match);
  void explainCone(NodeId id, NodeId x, NodeId g);

  const ScalarGraph &graph;
  const llvm::BitVector &forward;
  double accepted;
  DominatorTree tree;
  llvm::BitVector explained;
  llvm::DenseSet<NodeId> tried;
  ActivationMatches matches;
};
} // namespace

ActivationMatches ActivationFinder::run() {
  for (NodeId id = 0, end = graph.size(); id < end; ++id)
    if (graph[id].kind == NodeKind::Elementwise &&
        isActivationAnchor(graph[id].op.code) && !explained.test(id))
      findFrom(id);
  return std::move(matches);
}

/// Tries every x the anchor is a function of, the furthest first: a nearer one
/// could match with a part of the function, as tanh is part of a GELU.
bool ActivationFinder::findFrom(NodeId anchor) {
  std::optional<ActivationMatch> close;
  for (NodeId x : tree.chain(anchor)) {
    if (!graph.isMaterialized(x) || graph[x].size <= 0 ||
        !tried.insert(x).second)
      continue;
    Closure closure = computeClosure(graph, x, Locality::Element);
    Evaluator values(graph, Locality::Element, 1, getGrid().x.size());
    values.give(x, {Sample::Full, getGrid().x});
    std::optional<ActivationMatch> match = findForward(closure, values);
    if (!match)
      continue;
    findGradients(*match, closure, values);
    if (match->deviation <= accepted) {
      explain(*match);
      matches.exact.push_back(std::move(*match));
      return true;
    }
    if (!close)
      close = std::move(match);
  }
  if (!close)
    return false;
  explain(*close);
  matches.close.push_back(std::move(*close));
  return false;
}

/// The last member of S(x) that equals an activation, so that a final rounding
/// belongs to it; the forward's where it has one. A member that is merely close
/// counts only where none is equal.
std::optional<ActivationMatch>
ActivationFinder::findForward(const Closure &closure, Evaluator &values) {
  const Grid &grid = getGrid();
  std::optional<ActivationMatch> best;
  auto rank = [&](const ActivationMatch &match) {
    return std::make_tuple(match.deviation <= accepted, forward.test(match.y));
  };
  for (NodeId id : llvm::drop_begin(closure.nodes)) {
    const Sample &sample = values.get(id);
    if (sample.extent != Sample::Full || !graph.isMaterialized(id))
      continue;
    ActivationMatch match{0, closure.nodes[0], id, INFINITY, {}, {}};
    for (auto [kind, expected] : llvm::enumerate(grid.value)) {
      double deviation =
          getDeviation(sample.values, expected, largestDeviation);
      if (deviation < match.deviation) {
        match.kind = kind;
        match.deviation = deviation;
      }
    }
    if (match.deviation == INFINITY || (best && rank(match) < rank(*best)))
      continue;
    // A rounding of y is y only where nothing else reads what was rounded.
    if (best && graph.isNarrowingCast(id, best->y) &&
        graph[best->y].users.size() > 1)
      continue;
    best = match;
  }
  return best;
}

/// v = g h'(x): g is what v is a function of once S(x) counts as known; the
/// furthest g and the last v that match. With random g, and the whole product
/// as target, linearity in g needs no test of its own.
void ActivationFinder::findGradients(ActivationMatch &match,
                                     const Closure &closure,
                                     const Evaluator &values) {
  std::unordered_map<NodeId, Evaluator> evaluators;
  llvm::MapVector<NodeId, ActivationGradient> last;
  for (NodeId v : computeReach(graph, closure, forward, tree)) {
    if (!graph.isMaterialized(v) || graph[v].size != graph[match.x].size)
      continue;
    std::optional<ActivationGradient> found =
        matchGradient(match, v, values, evaluators);
    if (!found)
      continue;
    auto [it, isNew] = last.try_emplace(found->g, *found);
    NodeId before = it->second.v;
    bool isShared =
        graph.isNarrowingCast(v, before) && graph[before].users.size() > 1;
    bool isWorse =
        found->deviation > accepted && it->second.deviation <= accepted;
    if (!isNew && !isShared && !isWorse)
      it->second = *found;
  }
  tree.clearOverlay();
  for (auto &[g, gradient] : last)
    if (match.deviation <= accepted && gradient.deviation > accepted)
      match.closeGradients.push_back(gradient);
    else
      match.gradients.push_back(gradient);
}

std::optional<ActivationGradient> ActivationFinder::matchGradient(
    const ActivationMatch &match, NodeId v, const Evaluator &values,
    std::unordered_map<NodeId, Evaluator> &evaluators) {
  const Grid &grid = getGrid();
  std::optional<ActivationGradient> close;
  for (NodeId g : tree.chain(v)) {
    if (!graph.isMaterialized(g) || graph[g].size != graph[match.x].size)
      continue;
    auto [it, isNew] = evaluators.try_emplace(g, graph, Locality::Element, 1,
                                              grid.x.size(), &values);
    if (isNew)
      it->second.give(g, {Sample::Full, grid.g});
    const Sample &sample = it->second.get(v);
    if (sample.extent != Sample::Full)
      continue;
    double deviation = getDeviation(sample.values, grid.gradient[match.kind],
                                    largestDeviation);
    if (deviation <= accepted)
      return ActivationGradient{g, v, deviation};
    if (deviation <= largestDeviation && !close)
      close = ActivationGradient{g, v, deviation};
  }
  return close;
}

void ActivationFinder::explain(const ActivationMatch &match) {
  explainCone(match.y, match.x, noNode);
  for (const ActivationGradient &gradient : match.gradients)
    explainCone(gradient.v, match.x, gradient.g);
}

void ActivationFinder::explainCone(NodeId id, NodeId x, NodeId g) {
  llvm::SmallVector<NodeId> pending = {id};
  while (!pending.empty()) {
    NodeId node = pending.pop_back_val();
    if (node == x || node == g || explained.test(node))
      continue;
    explained.set(node);
    for (const Operand &operand : graph[node].operands)
      pending.push_back(operand.node);
  }
}

ActivationMatches memopt::raising::findActivations(
    const ScalarGraph &graph, const llvm::BitVector &forward, double accepted) {
  return ActivationFinder(graph, forward, accepted).run();
}
