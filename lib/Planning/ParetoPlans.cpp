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
  /// How it came about: its index among the pairs of the last decided op, or,
  /// while an op is decided, that of its predecessor, doubled, and whether the
  /// op runs. There are no more of them than there may be pairs in all.
  uint32_t origin;
};

/// By rising bytes and falling cost.
using Front = std::vector<Pair>;

/// One of the two ways in which an op can serve what is demanded of it.
struct Way {
  State next;
  int64_t bytes = 0, cost = 0;
  bool runs = false;
};

/// Adds to `into` what a front becomes in one way, and drops what is beaten
/// then. `scratch` is what `into` was.
void absorb(Front &into, const Front &front, const Way &way, Front &scratch) {
  scratch.swap(into);
  into.clear();
  auto add = [&](const Pair &pair) {
    if (into.empty() || pair.cost < into.back().cost)
      into.push_back(pair);
  };
  size_t i = 0;
  for (const Pair &pair : front) {
    Pair moved{pair.bytes + way.bytes, pair.cost + way.cost,
               pair.origin * 2 + way.runs};
    for (; i < scratch.size() &&
           std::make_pair(scratch[i].bytes, scratch[i].cost) <=
               std::make_pair(moved.bytes, moved.cost);
         ++i)
      add(scratch[i]);
    add(moved);
  }
  for (; i < scratch.size(); ++i)
    add(scratch[i]);
}

/// Drops pairs that cost little less than one of fewer bytes: by less than a
/// 2^-shift of it. The cheapest stays.
void thin(Front &front, int shift, int64_t step) {
  size_t kept = 0;
  for (size_t i = 0; i < front.size(); ++i) {
    const Pair *before = kept > 0 ? &front[kept - 1] : nullptr;
    if (!before || i + 1 == front.size() ||
        before->cost - front[i].cost > std::max(step, before->cost >> shift))
      front[kept++] = front[i];
  }
  front.resize(kept);
}

/// How the pairs came about that an op left.
struct Step {
  int op;
  std::vector<uint32_t> origins;
};

class Program {
public:
  explicit Program(const ChoiceGraph &graph) : graph(graph) {}

  std::vector<ChoicePlan> run(int64_t costStep) {
    std::vector<ChoicePlan> plans;
    if (!countStates())
      return plans;
    fronts[{}] = {{0, 0, 0}};
    for (int op = getOpCount() - 1; op >= 0; --op)
      decide(op);
    // No more than a budget can tell apart.
    Front &pairs = fronts.at({});
    thin(pairs, 11, costStep / 8);
    for (const std::vector<char> &kept : trace(pairs))
      plans.push_back(planFromKept(graph, kept));
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
      for (const Way &way : ways)
        absorb(next[way.next], front, way, scratch);
    }
    if (!isDemanded)
      return;
    fronts = std::move(next);
    size_t count = 0;
    for (auto &[state, front] : fronts) {
      for (int shift = 20; front.size() > most && shift > 0; --shift)
        thin(front, shift, 0);
      count += front.size();
    }
    std::vector<uint32_t> origins;
    origins.reserve(count);
    for (auto &[state, front] : fronts)
      for (Pair &pair : front) {
        origins.push_back(pair.origin);
        pair.origin = static_cast<uint32_t>(origins.size() - 1);
      }
    trail.push_back({op, std::move(origins)});
  }

  /// The flags of the plans of some pairs: what does not run is kept where it
  /// is used. All go back together, since the trail is long.
  std::vector<std::vector<char>> trace(const Front &pairs) const {
    std::vector<std::vector<char>> kept(
        pairs.size(), std::vector<char>(graph.getValues().size(), 1));
    std::vector<uint32_t> at;
    for (const Pair &pair : pairs)
      at.push_back(pair.origin);
    for (auto step = trail.rbegin(); step != trail.rend(); ++step)
      for (size_t k = 0; k < at.size(); ++k) {
        uint32_t origin = step->origins[at[k]];
        if (origin % 2)
          for (int v : graph.getOps()[step->op].results)
            kept[k][v] = 0;
        at[k] = origin / 2;
      }
    return kept;
  }

  const ChoiceGraph &graph;
  size_t most = 0; // pairs of a state
  std::map<State, Front> fronts;
  Front scratch;
  /// One step for each op that was decided, in that order.
  std::vector<Step> trail;
};

} // namespace

std::vector<ChoicePlan> memopt::computeParetoPlans(const ChoiceGraph &graph,
                                                   int64_t costStep) {
  return Program(graph).run(costStep);
}
