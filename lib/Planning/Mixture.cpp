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
  hub.assign(opCount, 0);
  std::vector<char> differs = findDiffering();
  findHubs(menu, differs);
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
      if (root[maker] < 0 || !isTied(u, o))
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

bool Mixture::isThere(size_t plan, int value) const {
  return keptIn[plan][value] || runsIn[plan][graph.getValues()[value].op];
}

/// Whether some plan runs `reader` again while another one has no `value` for
/// it: only then must both take their states from one plan. What a hub makes is
/// there in every mixture.
bool Mixture::isTied(int value, int reader) const {
  if (hub[graph.getValues()[value].op])
    return false;
  bool runs = false, lacks = false;
  for (size_t k = 0; k < keptIn.size(); ++k) {
    runs |= runsIn[k][reader];
    lacks |= !isThere(k, value);
  }
  return runs && lacks;
}

/// What many read and hardly weighs (a mask that all layers share) would tie
/// everything into one component. Such an op takes its state for itself, from
/// the plans that have all its results: kept or run again, they are there
/// whoever reads them. Where nobody does, the finished plan drops them.
void Mixture::findHubs(const std::vector<const ChoicePlan *> &menu,
                       const std::vector<char> &differs) {
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
    int64_t bytes = 0;
    for (int v : graph.getOps()[o].results)
      bytes += graph.getValues()[v].bytes;
    bool always = false;
    for (size_t k = 0; k < keptIn.size() && !always; ++k)
      always = hasAll(k, static_cast<int>(o));
    hub[o] = always && bytes <= mostBytes / smallPart;
  }
}

/// Whether all results of an op that some plan has are there in this one.
bool Mixture::hasAll(size_t plan, int op) const {
  for (int v : graph.getOps()[op].results)
    if (!isThere(plan, v))
      for (size_t k = 0; k < keptIn.size(); ++k)
        if (isThere(k, v))
          return false;
  return true;
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
    if (std::any_of(ops.begin(), ops.end(),
                    [&](int o) { return hub[o] && !hasAll(k, o); }))
      continue;
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
  options.limits.bytes = size_t(16) << 20;
  knapsack::Answer answer = knapsack::solve(problem, options);
  if (!answer.feasible)
    return {};
  for (size_t c = 0; c < classes.size(); ++c)
    for (int o : classes[c].ops)
      keepResults(o, classes[c].states[answer.choice[c]].plan, kept);
  return kept;
}
