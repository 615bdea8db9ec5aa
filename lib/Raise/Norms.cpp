//===- Norms.cpp - finds norms and their gradients ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Norms.h"
#include "ConeText.h"
#include "NormFacts.h"
#include "NormGradients.h"

#include <memory>
#include <set>

using namespace memopt;
using namespace memopt::raising;

namespace {
class NormFinder {
public:
  NormFinder(const ScalarGraph &graph, const llvm::BitVector &forward)
      : graph(graph), forward(forward), tree(graph, Locality::Row),
        explained(graph.size()), claimed(graph.size()) {}

  std::vector<NormMatch> run();

private:
  /// What is remembered of all norms with equal text.
  struct Remembered {
    std::optional<NormFacts> facts;
    GradientMemo gradients;
  };
  class Candidate;

  bool findFrom(NodeId anchor);
  std::optional<int64_t> getRowLength(NodeId anchor, NodeId x) const;
  const NormSample &getSample(int64_t columns);
  void explain(const NormMatch &match);

  const ScalarGraph &graph;
  const llvm::BitVector &forward;
  DominatorTree tree;
  llvm::BitVector explained, claimed;
  std::map<int64_t, std::unique_ptr<NormSample>> samples;
  std::unordered_map<std::string, Remembered> memo;
  std::vector<NormMatch> matches;
};

/// One x of one anchor, evaluated only where the memo does not know its text.
class NormFinder::Candidate {
public:
  Candidate(NormFinder &finder, NodeId anchor, NodeId x, int64_t columns);

  bool find();
  NormMatch take() { return std::move(match); }

private:
  const NormEvaluation &evaluate();
  void chooseOutputs(const NormFacts &facts);
  void addOutput(const NormFacts &facts, const NormFacts::Affine &affine);
  NodeId getColumn(std::optional<unsigned> input) const;

  NormFinder &finder;
  const ScalarGraph &graph;
  NodeId anchor;
  NormMatch match;
  const NormSample &sample;
  ConeText text;
  std::optional<Evaluator> evaluator;
  std::optional<NormEvaluation> evaluation;
};
} // namespace

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

NormFinder::Candidate::Candidate(NormFinder &finder, NodeId anchor, NodeId x,
                                 int64_t columns)
    : finder(finder), graph(finder.graph), anchor(anchor),
      sample(finder.getSample(columns)), text(graph) {
  match.x = x;
  match.columns = columns;
  match.closure = computeClosure(graph, x, Locality::Row);
  text.name(x, 0);
  for (NodeId id : llvm::drop_begin(match.closure.nodes))
    text.appendCone(id);
  text.appendNumber(match.closure.indexOf(anchor));
  text.appendNumber(columns);
}

const NormEvaluation &NormFinder::Candidate::evaluate() {
  if (!evaluation) {
    evaluator.emplace(graph, Locality::Row, sample.rows, sample.columns);
    evaluation = evaluateNorm(graph, match.closure, anchor, sample,
                              text.getInputs(), *evaluator);
  }
  return *evaluation;
}

NodeId NormFinder::Candidate::getColumn(std::optional<unsigned> input) const {
  if (!input || !graph.isMaterialized(text.getInputs()[*input]))
    return noNode;
  return text.getInputs()[*input];
}

bool NormFinder::Candidate::find() {
  if (!match.closure.contains(anchor))
    return false;
  auto [it, isNew] = finder.memo.try_emplace(text.str());
  Remembered &remembered = it->second;
  if (isNew)
    remembered.facts = evaluate().facts;
  if (!remembered.facts)
    return false;
  const NormFacts &facts = *remembered.facts;
  match.kind = facts.kind;
  match.epsilon = facts.epsilon;
  auto toNodes = [&](const std::vector<size_t> &positions) {
    llvm::SmallVector<NodeId, 2> nodes;
    for (size_t position : positions)
      nodes.push_back(match.closure.nodes[position]);
    return nodes;
  };
  match.xhats = toNodes(facts.xhats);
  match.centered = toNodes(facts.centered);
  match.rstds = toNodes(facts.rstds);
  match.stds = toNodes(facts.stds);
  chooseOutputs(facts);
  if (match.outputs.empty())
    return false;
  for (auto [position, id] : llvm::enumerate(match.closure.nodes))
    text.name(id, position);
  std::vector<NodeId> reach =
      computeReach(graph, match.closure, finder.forward, finder.tree);
  NormGradientFinder(graph, finder.tree, match, facts, sample, text,
                     remembered.gradients,
                     [&] { return std::make_pair(&evaluate(), &*evaluator); })
      .run(reach);
  finder.tree.clearOverlay();
  return true;
}

void NormFinder::Candidate::addOutput(const NormFacts &facts,
                                      const NormFacts::Affine &affine) {
  NormOutput output{match.closure.nodes[affine.position]};
  if (affine.gamma)
    output.gamma = getColumn(facts.gammas[affine.gamma - 1]);
  output.beta = getColumn(affine.beta);
  output.isExplicit = (!affine.gamma || output.gamma != noNode) &&
                      (!affine.hasBeta || output.beta != noNode);
  match.outputs.push_back(output);
}

/// The forward's last values of the form gamma xhat + beta with tensors gamma
/// and beta: one, or several where norms share x. Where no value has that form,
/// the last with any gain and shift.
void NormFinder::Candidate::chooseOutputs(const NormFacts &facts) {
  llvm::BitVector inside(graph.size());
  std::optional<NormFacts::Affine> last;
  for (const NormFacts::Affine &affine : llvm::reverse(facts.affines)) {
    NodeId id = match.closure.nodes[affine.position];
    if (!finder.forward.test(id) || !graph.isMaterialized(id) ||
        finder.claimed.test(id) || inside.test(id))
      continue;
    if (!last)
      last = affine;
    addOutput(facts, affine);
    if (!match.outputs.back().isExplicit) {
      match.outputs.pop_back();
      continue;
    }
    llvm::SmallVector<NodeId> pending = {id};
    while (!pending.empty()) {
      NodeId node = pending.pop_back_val();
      if (!match.closure.contains(node) || inside.test(node))
        continue;
      inside.set(node);
      for (const Operand &operand : graph[node].operands)
        pending.push_back(operand.node);
    }
  }
  if (match.outputs.empty() && last)
    addOutput(facts, *last);
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

std::vector<NormMatch> NormFinder::run() {
  for (NodeId id = 0, end = graph.size(); id < end; ++id)
    if (graph[id].kind == NodeKind::Elementwise &&
        isNormAnchor(graph[id].op.code) && !explained.test(id))
      findFrom(id);
  return std::move(matches);
}

const NormSample &NormFinder::getSample(int64_t columns) {
  std::unique_ptr<NormSample> &sample = samples[columns];
  if (!sample)
    sample = std::make_unique<NormSample>(columns);
  return *sample;
}

/// The length that all row reductions between x and the anchor have. It is
/// taken from the cone, not from the chain of dominators: with var = E[x^2] -
/// E[x]^2 no reduction is on the chain.
std::optional<int64_t> NormFinder::getRowLength(NodeId anchor, NodeId x) const {
  std::set<int64_t> lengths;
  llvm::DenseSet<NodeId> seen;
  llvm::SmallVector<NodeId> pending = {anchor};
  while (!pending.empty()) {
    NodeId id = pending.pop_back_val();
    if (id == x || !seen.insert(id).second)
      continue;
    const Node &node = graph[id];
    if (node.kind == NodeKind::RowReduction)
      lengths.insert(node.reduced);
    for (const Operand &operand : node.operands)
      pending.push_back(operand.node);
  }
  if (lengths.size() != 1)
    return std::nullopt;
  int64_t length = *lengths.begin();
  if (length < 2 || length > longestRow || graph[x].size % length != 0)
    return std::nullopt;
  return length;
}

/// Tries every x the anchor is a function of, the furthest first: 1/std of a
/// LayerNorm is that of an RMSNorm of x - mean(x).
bool NormFinder::findFrom(NodeId anchor) {
  for (NodeId x : tree.chain(anchor)) {
    if (!graph.isMaterialized(x) || graph[x].size <= 0 ||
        graph[x].kind == NodeKind::Constant)
      continue;
    std::optional<int64_t> columns = getRowLength(anchor, x);
    if (!columns)
      continue;
    Candidate candidate(*this, anchor, x, *columns);
    if (!candidate.find())
      continue;
    matches.push_back(candidate.take());
    explain(matches.back());
    return true;
  }
  return false;
}

/// Only what is replaced is explained, not all of S(x): where x is normalised
/// twice, the second norm is in S(x) of the first, and in its reach.
void NormFinder::explain(const NormMatch &match) {
  llvm::SmallVector<NodeId> outputs;
  for (const NormOutput &output : match.outputs) {
    claimed.set(output.y);
    outputs.push_back(output.y);
  }
  explained |= collectBetween(graph, outputs, {match.x});
  for (const NormGradient &gradient : match.gradients)
    explained |= collectGradientNodes(graph, match, gradient);
}

llvm::BitVector memopt::raising::collectBetween(const ScalarGraph &graph,
                                                llvm::ArrayRef<NodeId> ends,
                                                llvm::ArrayRef<NodeId> starts) {
  llvm::BitVector between(graph.size());
  llvm::SmallVector<NodeId> pending(ends.begin(), ends.end());
  while (!pending.empty()) {
    NodeId id = pending.pop_back_val();
    if (between.test(id) || llvm::is_contained(starts, id))
      continue;
    between.set(id);
    for (const Operand &operand : graph[id].operands)
      pending.push_back(operand.node);
  }
  return between;
}

llvm::BitVector
memopt::raising::collectGradientNodes(const ScalarGraph &graph,
                                      const NormMatch &match,
                                      const NormGradient &gradient) {
  llvm::SmallVector<NodeId> ends, starts = {match.x, gradient.g};
  for (NodeId id : {gradient.total, gradient.dgamma, gradient.dbeta})
    if (id != noNode)
      ends.push_back(id);
  starts.append(gradient.others);
  return collectBetween(graph, ends, starts);
}

std::vector<NormMatch>
memopt::raising::findNorms(const ScalarGraph &graph,
                           const llvm::BitVector &forward) {
  return NormFinder(graph, forward).run();
}
