//===- Mixture.cpp - plans mixed from a menu of plans ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mixture.h"

#include "MemOpt/Knapsack/Solve.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace memopt;

Mixture::Mixture(const ChoiceGraph &graph,
                 const std::vector<const ChoicePlan *> &menu)
    : graph(graph) {
  size_t opCount = graph.getOps().size();
  for (const ChoicePlan *plan : menu) {
    keptIn.emplace_back(graph.getValues().size(), 0);
    runsIn.emplace_back(opCount, 0);
    for (int v : plan->kept)
      keptIn.back()[v] = 1;
    for (int o : plan->recomputed)
      runsIn.back()[o] = 1;
  }
  std::vector<char> differs = findDiffering();
  dissolveHubs(menu, differs);
  // Components by union and find; the root is the first op.
  std::vector<int> root(opCount, -1);
  auto find = [&](int o) {
    while (root[o] != o)
      o = root[o] = root[root[o]];
    return o;
  };
  fixed.assign(graph.getValues().size(), 0);
  for (int o = 0; o < static_cast<int>(opCount); ++o) {
    if (!differs[o]) {
      keepResults(o, 0, fixed);
      continue;
    }
    root[o] = o;
    for (int u : graph.getOps()[o].operands) {
      int maker = graph.getValues()[u].op;
      if (root[maker] < 0)
        continue;
      int a = find(maker), b = find(o);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<int>> members(opCount);
  for (int o = 0; o < static_cast<int>(opCount); ++o)
    if (root[o] >= 0)
      members[find(o)].push_back(o);
  for (std::vector<int> &ops : members)
    if (!ops.empty())
      addClass(std::move(ops));
  for (size_t v = 0; v < fixed.size(); ++v)
    if (fixed[v])
      fixedBytes += graph.getValues()[v].bytes;
}

/// Flags of the ops whose state is not the same in all plans.
std::vector<char> Mixture::findDiffering() const {
  std::vector<char> differs(graph.getOps().size(), 0);
  for (size_t o = 0; o < differs.size(); ++o)
    for (size_t k = 1; k < keptIn.size() && !differs[o]; ++k) {
      differs[o] = runsIn[k][o] != runsIn[0][o];
      for (int v : graph.getOps()[o].results)
        differs[o] |= keptIn[k][v] != keptIn[0][v];
    }
  return differs;
}

/// What many read and hardly weighs (a mask that all layers share) would tie
/// everything into one component. It gets no state of its own: its results are
/// kept where any plan keeps them, and run again where a mixture needs them,
/// which is not in the knapsack's sum but in the cost of the finished plan.
void Mixture::dissolveHubs(const std::vector<const ChoicePlan *> &menu,
                           std::vector<char> &differs) {
  constexpr int64_t smallPart = 200;
  int64_t mostBytes = 0, mostCost = 0;
  for (const ChoicePlan *plan : menu) {
    mostBytes = std::max(mostBytes, std::abs(plan->bytes - menu[0]->bytes));
    mostCost = std::max(mostCost, std::abs(plan->cost - menu[0]->cost));
  }
  std::vector<int> readers(differs.size(), 0);
  for (size_t o = 0; o < differs.size(); ++o)
    if (differs[o])
      for (int u : graph.getOps()[o].operands)
        ++readers[graph.getValues()[u].op];
  for (size_t o = 0; o < differs.size(); ++o) {
    if (!differs[o] || readers[o] < 3 ||
        graph.getOps()[o].cost > mostCost / smallPart)
      continue;
    std::vector<int> kept;
    int64_t bytes = 0;
    for (int v : graph.getOps()[o].results)
      for (size_t k = 0; k < keptIn.size(); ++k)
        if (keptIn[k][v] && (kept.empty() || kept.back() != v)) {
          kept.push_back(v);
          bytes += graph.getValues()[v].bytes;
        }
    if (bytes > mostBytes / smallPart)
      continue;
    for (int v : kept)
      keptIn[0][v] = 1;
    differs[o] = 0;
  }
}

void Mixture::keepResults(int op, int plan, std::vector<char> &kept) const {
  for (int v : graph.getOps()[op].results)
    kept[v] = keptIn[plan][v];
}

/// Adds a component with its undominated states; one that has a single state is
/// fixed.
void Mixture::addClass(std::vector<int> ops) {
  std::vector<State> all;
  for (int k = 0; k < static_cast<int>(keptIn.size()); ++k) {
    State state{0, 0, k};
    for (int o : ops) {
      if (runsIn[k][o])
        state.cost += graph.getOps()[o].cost;
      for (int v : graph.getOps()[o].results)
        if (keptIn[k][v])
          state.bytes += graph.getValues()[v].bytes;
    }
    all.push_back(state);
  }
  std::stable_sort(all.begin(), all.end(), [](const State &a, const State &b) {
    return std::make_pair(a.cost, a.bytes) < std::make_pair(b.cost, b.bytes);
  });
  Class added;
  for (const State &state : all)
    if (added.states.empty() || state.bytes < added.states.back().bytes)
      added.states.push_back(state);
  if (added.states.size() == 1) {
    for (int o : ops)
      keepResults(o, added.states.front().plan, fixed);
    return;
  }
  added.ops = std::move(ops);
  classes.push_back(std::move(added));
}

std::vector<char> Mixture::solve(int64_t bytes) const {
  knapsack::Problem problem;
  problem.capacity = bytes - fixedBytes;
  if (problem.capacity < 0)
    return {};
  problem.classStart.push_back(0);
  for (const Class &c : classes) {
    for (const State &state : c.states)
      problem.states.push_back(
          {c.states.back().cost - state.cost, state.bytes, 0});
    problem.classStart.push_back(static_cast<uint32_t>(problem.states.size()));
  }
  std::vector<char> kept = fixed;
  if (classes.empty())
    return kept;
  knapsack::SolveOptions options;
  // Classes stand in program order: late values are kept, early ones
  // recomputed, since what is kept late dies early in the backward.
  options.order = knapsack::PositionOrder::LaterFirst;
  options.limits.bytes = size_t(256) << 20;
  knapsack::Answer answer = knapsack::solve(problem, options);
  if (!answer.feasible)
    return {};
  for (size_t c = 0; c < classes.size(); ++c)
    for (int o : classes[c].ops)
      keepResults(o, classes[c].states[answer.choice[c]].plan, kept);
  return kept;
}
