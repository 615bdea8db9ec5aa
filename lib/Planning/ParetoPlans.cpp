//===- ParetoPlans.cpp - plans by dynamic programming ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParetoPlans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace memopt;

namespace {

/// Pairs that may be carried from op to op, over all ops and states.
constexpr size_t maxPairs = 12'000'000;
constexpr size_t maxPairsOfState = 16'384;
constexpr size_t leastPairsOfState = 2'000;
constexpr size_t maxStates = 4'096;

/// Demanded values that the backward does not read itself, rising.
using State = std::vector<int>;

/// Bytes and cost of what was decided so far.
struct Pair {
  int64_t bytes, cost;
  /// How it came about: index into the trail, or, while an op is decided, the
  /// index of its predecessor, doubled, and whether the op runs.
  uint64_t origin;
};

/// By rising bytes and falling cost.
using Front = std::vector<Pair>;

/// One of the two ways in which an op can serve what is demanded of it.
struct Way {
  State next;
  int64_t bytes = 0, cost = 0;
  bool runs = false;
};

/// What the two have that nothing beats.
Front merge(const Front &a, const Front &b) {
  Front merged;
  merged.reserve(a.size() + b.size());
  auto add = [&](const Pair &pair) {
    if (merged.empty() || pair.cost < merged.back().cost)
      merged.push_back(pair);
  };
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool first = j == b.size() ||
                 (i < a.size() && std::make_pair(a[i].bytes, a[i].cost) <=
                                      std::make_pair(b[j].bytes, b[j].cost));
    add(first ? a[i++] : b[j++]);
  }
  return merged;
}

/// Drops pairs that cost little less than one of fewer bytes: by less than a
/// 2^-shift of it. The cheapest stays.
Front thin(const Front &front, int shift, int64_t step) {
  Front thinned;
  for (const Pair &pair : front)
    if (thinned.empty() || pair.cost == front.back().cost ||
        thinned.back().cost - pair.cost >
            std::max(step, thinned.back().cost >> shift))
      thinned.push_back(pair);
  return thinned;
}

class Program {
public:
  explicit Program(const ChoiceGraph &graph) : graph(graph) {}

  std::vector<ChoicePlan> run(int64_t costStep) {
    std::vector<ChoicePlan> plans;
    if (!countStates())
      return plans;
    fronts[{}] = {{0, 0, 0}};
    trail.push_back(0);
    for (int op = getOpCount() - 1; op >= 0; --op)
      decide(op);
    // No more than a budget can tell apart.
    for (const Pair &pair : thin(fronts.at({}), 11, costStep / 8))
      plans.push_back(trace(pair.origin));
    return plans;
  }

private:
  int getOpCount() const { return static_cast<int>(graph.getOps().size()); }

  /// Keeping it costs nothing.
  bool isFree(int value) const {
    const ChoiceValue &entry = graph.getValues()[value];
    return entry.bytes == 0 && entry.keepable;
  }

  /// What an op can do in a state: keep what is demanded of its results, or
  /// run. None where nothing is demanded of it.
  std::vector<Way> getWays(int op, const State &state) const {
    const ChoiceOp &entry = graph.getOps()[op];
    Way keep, run;
    bool demanded = false, keepable = true;
    keep.next = state;
    for (int v : entry.results) {
      const ChoiceValue &value = graph.getValues()[v];
      auto at = std::lower_bound(keep.next.begin(), keep.next.end(), v);
      bool inState = at != keep.next.end() && *at == v;
      if (inState)
        keep.next.erase(at);
      if (isFree(v) || (!inState && !value.needed))
        continue;
      demanded = true;
      keepable = keepable && value.keepable;
      keep.bytes += value.bytes;
    }
    if (!demanded)
      return {};
    run.next = keep.next;
    run.cost = entry.cost;
    run.runs = true;
    for (int v : entry.operands)
      if (!isFree(v) && !graph.getValues()[v].needed)
        run.next.push_back(v);
    std::sort(run.next.begin(), run.next.end());
    run.next.erase(std::unique(run.next.begin(), run.next.end()),
                   run.next.end());
    std::vector<Way> ways;
    if (keepable)
      ways.push_back(std::move(keep));
    if (entry.recomputable)
      ways.push_back(std::move(run));
    return ways;
  }

  /// How many pairs a state may have; false where that is too few.
  bool countStates() {
    std::set<State> states{{}};
    size_t total = 0;
    for (int op = getOpCount() - 1; op >= 0; --op) {
      std::set<State> next;
      for (const State &state : states) {
        std::vector<Way> ways = getWays(op, state);
        if (ways.empty())
          next.insert(state);
        for (Way &way : ways)
          next.insert(std::move(way.next));
      }
      states = std::move(next);
      total += states.size();
      if (states.size() > maxStates || maxPairs / total < leastPairsOfState)
        return false;
    }
  most = std::min(maxPairsOfState, maxPairs / std::max<size_t>(1, total));
    return true;
  }

  void decide(int op) {
    std::map<State, Front> next;
    bool isDemanded = false;
    for (const auto &[state, front] : fronts) {
      std::vector<Way> ways = getWays(op, state);
      isDemanded |= !ways.empty();
      if (ways.empty())
        ways.push_back({state});
      for (const Way &way : ways) {
        Front moved = front;
        for (Pair &pair : moved)
          pair = {pair.bytes + way.bytes, pair.cost + way.cost,
                  pair.origin * 2 + way.runs};
        Front &into = next[way.next];
        into = into.empty() ? std::move(moved) : merge(into, moved);
      }
    }
    if (!isDemanded)
      return;
    fronts = std::move(next);
    for (auto &[state, front] : fronts) {
      for (int shift = 20; front.size() > most && shift > 0; --shift)
        front = thin(front, shift, 0);
      for (Pair &pair : front) {
        trail.push_back(pair.origin);
        pair.origin = trail.size() - 1;
      }
    }
    decided.push_back(op);
  }

  /// The plan of a pair: what does not run is kept where it is used.
  ChoicePlan trace(uint64_t at) const {
    std::vector<char> kept(graph.getValues().size(), 1);
    for (size_t i = decided.size(); i-- > 0; at = trail[at] / 2)
      if (trail[at] % 2)
        for (int v : graph.getOps()[decided[i]].results)
          kept[v] = 0;
    return planFromKept(graph, kept);
  }

  const ChoiceGraph &graph;
  size_t most = 0; // pairs of a state
  std::map<State, Front> fronts;
  std::vector<int> decided; // ops, in the order in which they were
  std::vector<uint64_t> trail;
};

} // namespace

std::vector<ChoicePlan> memopt::computeParetoPlans(const ChoiceGraph &graph,
                                                   int64_t costStep) {
  return Program(graph).run(costStep);
}
