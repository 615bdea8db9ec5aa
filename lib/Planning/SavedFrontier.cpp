//===- SavedFrontier.cpp - plans for every number of saved bytes ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SavedFrontier.h"
#include "ParetoPlans.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace memopt;

namespace {

/// A value is decided beforehand where it is more than this part of all bytes.
constexpr int64_t largePart = 25;
constexpr size_t maxBranches = 8;
constexpr size_t maxCapacities = 600;

/// The largest value that is kept by some but not all plans of the hull, where
/// it is a large part of all bytes; -1 where there is none.
int findLarge(const Branch &branch, int64_t allBytes) {
  const auto &vertices = branch.hull.getVertices();
  const auto &values = branch.graph.getValues();
  std::vector<size_t> keptBy(values.size(), 0);
  for (const ChoicePlan &plan : vertices)
    for (int v : plan.kept)
      ++keptBy[v];
  int large = -1;
  for (size_t v = 0; v < values.size(); ++v)
    if (keptBy[v] > 0 && keptBy[v] < vertices.size() &&
        values[v].bytes > allBytes / largePart &&
        (large < 0 || values[v].bytes > values[large].bytes))
      large = static_cast<int>(v);
  return large;
}

/// The branch in which `value` is kept, or never kept. A kept one is paid
/// beforehand, whether a plan uses it or not, and weighs nothing from then on.
Branch decide(const Branch &parent, int value, bool kept) {
  Branch branch;
  branch.keptBytes = parent.keptBytes;
  const auto &values = parent.graph.getValues();
  branch.graph = reweigh(parent.graph, [&](int v) {
    return v == value && kept ? 0 : values[v].bytes;
  });
  if (!kept)
    branch.graph.setNotKeepable(value);
  if (kept)
    branch.keptBytes += values[value].bytes;
  branch.hull = Hull::compute(branch.graph);
  return branch;
}

/// The size of which there are most bytes.
int64_t findUnit(const ChoiceGraph &graph) {
  std::vector<int64_t> units = findUnits(graph, 1);
  return units.empty() ? 0 : units.front();
}

/// For each edge of the hull, the plan that is best at its price where no value
/// weighs less than a part of a unit: it keeps few small values.
std::vector<ChoicePlan> computeFew(const Branch &branch) {
  constexpr int64_t part = 4;
  const ChoiceGraph &graph = branch.graph;
  const auto &vertices = branch.hull.getVertices();
  int64_t least = findUnit(graph) / part;
  ChoiceGraph changed = reweigh(graph, [&](int v) {
    int64_t bytes = graph.getValues()[v].bytes;
    return bytes == 0 ? 0 : std::max(bytes, least);
  });
  CutSolver solver(changed);
  std::vector<ChoicePlan> few;
  for (size_t e = 0; e + 1 < vertices.size(); ++e) {
    int64_t byteWeight = vertices[e + 1].cost - vertices[e].cost;
    int64_t costWeight = vertices[e].bytes - vertices[e + 1].bytes;
    int64_t divisor = std::gcd(byteWeight, costWeight);
    std::vector<char> kept(graph.getValues().size(), 0);
    for (int v :
         solver.minimize(byteWeight / divisor, costWeight / divisor).kept)
      kept[v] = 1;
    few.push_back(planFromKept(graph, kept));
  }
  return few;
}

/// Menus of plans around the edge of the hull behind vertex `edge`: all
/// vertices up to `reach` beyond it, the chains between them, and of each edge
/// the plan of few small values.
Mixture mixAround(const Branch &branch, const std::vector<ChoicePlan> &few,
                  size_t edge, size_t reach) {
  const auto &vertices = branch.hull.getVertices();
  size_t low = edge > reach ? edge - reach : 0;
  size_t high = std::min(vertices.size() - 1, edge + 1 + reach);
  std::vector<const ChoicePlan *> menu;
  for (size_t k = low; k <= high; ++k)
    menu.push_back(&vertices[k]);
  for (const ChoicePlan &plan : branch.chain)
    if (plan.bytes < vertices[low].bytes && plan.bytes > vertices[high].bytes)
      menu.push_back(&plan);
  // Not around many edges: states that hardly differ make a slow knapsack.
  for (size_t e = low; reach <= 1 && e < high; ++e)
    menu.push_back(&few[e]);
  return Mixture(branch.graph, menu);
}

/// The mixtures of one branch.
class BranchMixtures {
public:
  explicit BranchMixtures(const Branch &branch) : branch(branch) {
    const auto &vertices = branch.hull.getVertices();
    edges = std::max<size_t>(1, vertices.size() - 1);
    std::vector<ChoicePlan> few = computeFew(branch);
    for (size_t reach : {0, 1, 2})
      for (size_t edge = 0; edge < edges; ++edge)
        mixtures.push_back(mixAround(branch, few, edge, reach));
  }

  /// Calls visit(kept) for each mixture of at most `bytes` bytes in all.
  template <typename F> void solve(int64_t bytes, F visit) const {
    const auto &vertices = branch.hull.getVertices();
    int64_t rest = bytes - branch.keptBytes;
    size_t edge = 0;
    while (edge + 1 < edges && vertices[edge + 1].bytes > rest)
      ++edge;
    for (size_t m = edge; m < mixtures.size(); m += edges)
      if (std::vector<char> kept = mixtures[m].solve(rest); !kept.empty())
        visit(std::move(kept));
  }

private:
  const Branch &branch;
  size_t edges;
  std::vector<Mixture> mixtures;
};

/// Plans, no two of which keep the same, and which of them no other beats.
class PlanCollector {
public:
  explicit PlanCollector(const ChoiceGraph &graph) : graph(graph) {}

  void add(const ChoiceState &state) {
    append(state);
    if (!seen.insert(plans.back().kept).second)
      plans.pop_back();
  }
  void add(const ChoicePlan &plan) {
    std::vector<char> kept(graph.getValues().size(), 0);
    for (int v : plan.kept)
      kept[v] = 1;
    add(ChoiceState(graph, kept));
  }

  /// Fills the gaps: from each plan that nothing beats, and whose successor
  /// costs more than a little more, down to somewhat fewer bytes.
  void shrinkAll(int64_t costStep) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < plans.size(); ++i) {
      auto next = front.find(plans[i].bytes);
      if (next == front.end() || next->second != plans[i].cost ||
          next == front.begin())
        continue;
      --next;
      if (next->second - plans[i].cost >
          std::max(plans[i].cost / 500, costStep))
        starts.push_back(i);
    }
    size_t base = plans.size();
    int64_t unit = findUnit(graph);
    for (size_t i : starts)
      shrink(graph, ChoiceState(graph, plans[i].kept), unit,
             [&](const ChoiceState &state) {
               if (!isBeaten(state.getBytes(), state.getCost()))
                 append(state);
             });
    for (size_t i = base; i < plans.size(); ++i)
      plans[i].savedOnly = true;
    plans.erase(std::remove_if(plans.begin(), plans.end(),
                               [&](const SavedPlan &plan) {
                                 return plan.savedOnly &&
                                        isBeaten(plan.bytes, plan.cost - 1);
                               }),
                plans.end());
  }

  std::vector<SavedPlan> take() { return std::move(plans); }

private:
  void append(const ChoiceState &state) {
    SavedPlan plan{{}, state.getBytes(), state.getCost()};
    plan.kept.resize(state.getKept().size());
    for (int v = 0; v < static_cast<int>(plan.kept.size()); ++v)
      plan.kept[v] = state.isUsed(v) && state.isKept(v);
    if (!isBeaten(plan.bytes, plan.cost))
      insert(plan.bytes, plan.cost);
    plans.push_back(std::move(plan));
  }
  /// Whether a plan of at most so many bytes costs at most so much.
  bool isBeaten(int64_t bytes, int64_t cost) const {
    auto after = front.upper_bound(bytes);
    return after != front.begin() && std::prev(after)->second <= cost;
  }
  void insert(int64_t bytes, int64_t cost) {
    auto after = front.lower_bound(bytes);
    while (after != front.end() && after->second >= cost)
      after = front.erase(after);
    front[bytes] = cost;
  }

  const ChoiceGraph &graph;
  std::vector<SavedPlan> plans;
  std::set<std::vector<char>> seen;
  std::map<int64_t, int64_t> front; // cost by bytes, falling
};

} // namespace

ChoiceGraph memopt::reweigh(const ChoiceGraph &graph,
                            const std::function<int64_t(int)> &bytesOf) {
  ChoiceGraph changed;
  for (const ChoiceOp &op : graph.getOps()) {
    std::vector<int64_t> bytes;
    for (int v : op.results)
      bytes.push_back(bytesOf(v));
    changed.addOp(op.cost, op.recomputable, op.operands, bytes);
  }
  for (int v = 0; v < static_cast<int>(graph.getValues().size()); ++v) {
    if (graph.getValues()[v].needed)
      changed.setNeeded(v);
    if (!graph.getValues()[v].keepable)
      changed.setNotKeepable(v);
  }
  return changed;
}

void memopt::fillUp(const ChoiceGraph &graph, ChoiceState &state,
                    int64_t bytes) {
  int count = static_cast<int>(graph.getValues().size());
  while (true) {
    int best = -1;
    __int128 bestCost = 0, bestBytes = 1;
    int64_t before = state.getBytes(), cost = state.getCost();
    for (int v = 0; v < count; ++v) {
      // A value frees at most its own bytes less than what it takes.
      if (!state.isRecomputed(v))
        continue;
      state.toggle(v);
      int64_t more = state.getBytes() - before, less = cost - state.getCost();
      bool fits = state.getBytes() <= bytes && less > 0;
      state.toggle(v);
      if (!fits)
        continue;
      // less / more as a fraction; what takes no bytes comes first.
      more = std::max<int64_t>(more, 1);
      if (static_cast<__int128>(less) * bestBytes >= bestCost * more) {
        best = v;
        bestCost = less;
        bestBytes = more;
      }
    }
    if (best < 0)
      return;
    state.toggle(best);
  }
}

SavedFrontier::SavedFrontier(const ChoiceGraph &graph) : graph(graph) {
  Branch whole;
  whole.graph = graph;
  whole.hull = Hull::compute(graph);
  int64_t allBytes = whole.hull.getVertices().front().bytes;
  branches.push_back(std::move(whole));
  // Every leaf is split while it has a large value and there are few.
  for (size_t b = 0; b < branches.size() && branches.size() < maxBranches;) {
    int large = findLarge(branches[b], allBytes);
    if (large < 0) {
      ++b;
      continue;
    }
    Branch kept = decide(branches[b], large, true);
    branches.push_back(decide(branches[b], large, false));
    branches[b] = std::move(kept);
  }
  for (Branch &branch : branches)
    branch.chain = branch.hull.computeChain(branch.graph);
}

int64_t SavedFrontier::lowerBound(int64_t bytes) const {
  // Every plan is in some branch.
  int64_t least = -1;
  for (const Branch &branch : branches) {
    int64_t bound = branch.hull.lowerBound(bytes - branch.keptBytes);
    if (bound >= 0 && (least < 0 || bound < least))
      least = bound;
  }
  return least;
}

int64_t SavedFrontier::smallestBytes() const {
  int64_t least = INT64_MAX;
  for (const Branch &branch : branches)
    least = std::min(least,
                     branch.keptBytes + branch.hull.getVertices().back().bytes);
  return least;
}

int64_t SavedFrontier::largestBytes() const {
  int64_t most = 0;
  for (const Branch &branch : branches)
    most = std::max(most,
                    branch.keptBytes + branch.hull.getVertices().front().bytes);
  return most;
}

std::vector<int64_t> SavedFrontier::capacities(int64_t costStep) const {
  int64_t smallest = smallestBytes();
  std::vector<int64_t> grid{largestBytes()};
  while (grid.back() > smallest && grid.size() < maxCapacities) {
    int64_t bound = lowerBound(grid.back());
    int64_t allowed = bound + std::max(bound / 200, costStep);
    // The smallest number of bytes whose bound is allowed, if below.
    int64_t low = smallest, high = grid.back() - 1;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (lowerBound(middle) <= allowed)
        high = middle;
      else
        low = middle + 1;
    }
    grid.push_back(low);
  }
  return grid;
}

std::vector<SavedPlan>
SavedFrontier::computeProgrammed(int64_t costStep) const {
  PlanCollector collector(graph);
  std::vector<ChoicePlan> pareto = computeParetoPlans(graph, costStep);
  if (pareto.empty())
    return {};
  for (const Branch &branch : branches)
    for (const ChoicePlan &plan : branch.chain)
      collector.add(plan);
  for (const ChoicePlan &plan : pareto)
    collector.add(plan);
  return collector.take();
}

std::vector<SavedPlan> SavedFrontier::computeMixed(int64_t costStep,
                                                   bool shrinks) const {
  PlanCollector collector(graph);
  std::vector<BranchMixtures> mixtures;
  for (const Branch &branch : branches) {
    for (const ChoicePlan &plan : branch.chain)
      collector.add(plan);
    mixtures.emplace_back(branch);
  }
  for (int64_t bytes : capacities(costStep)) {
    std::vector<char> best;
    int64_t bestCost = -1;
    for (const BranchMixtures &mixture : mixtures)
      mixture.solve(bytes, [&](std::vector<char> kept) {
        ChoicePlan plan = planFromKept(graph, kept);
        if (plan.bytes > bytes || (bestCost >= 0 && plan.cost >= bestCost))
          return;
        bestCost = plan.cost;
        best = std::move(kept);
      });
    if (bestCost < 0)
      continue;
    ChoiceState state(graph, best);
    fillUp(graph, state, bytes);
    collector.add(state);
  }
  if (shrinks)
    collector.shrinkAll(costStep / 4);
  return collector.take();
}
