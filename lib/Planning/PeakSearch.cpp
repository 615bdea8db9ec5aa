//===- PeakSearch.cpp - plans under a peak --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakSearch.h"

#include <algorithm>
#include <tuple>

using namespace memopt;

namespace {

constexpr size_t maxCuts = 6, maxWaiting = 3, maxMoves = 12;
constexpr int maxBuildSteps = 400, maxRepairSteps = 24;

/// Backward ops of the step that run before each position.
int64_t stepsBefore(const StepGraph &graph, const Simulation &s, int position) {
  int64_t count = 0;
  for (int p = 0; p < position; ++p)
    count += s.schedule.order[p].copy == 0;
  return count;
}

/// How far a plan is from a peak.
struct Violation {
  int kernel = -1;      // the last one that needs too much
  int64_t progress = 0; // how much of the step runs before it
  int64_t excess = 0;   // bytes too many, summed over kernels
};

Violation findViolation(const StepGraph &graph, const Simulation &s,
                        int64_t peak) {
  Violation violation;
  for (int k = 0; k < s.fusion.getKernelCount(); ++k)
    if (s.peak.bytes[k] > peak) {
      violation.kernel = k;
      violation.excess +=
          std::min<int64_t>(s.peak.bytes[k] - peak, int64_t(1) << 44);
    }
  if (violation.kernel >= 0)
    violation.progress = stepsBefore(
        graph, s, s.fusion.members[s.fusion.begin[violation.kernel]]);
  return violation;
}

} // namespace

PeakSearch::PeakSearch(Evaluator &evaluator) : evaluator(evaluator) {
  for (int v : evaluator.model.stepValue) {
    OpClass c = evaluator.graph.ops[evaluator.graph.values[v].op].opClass;
    cheap.push_back(c == OpClass::Elementwise || c == OpClass::RowReduction ||
                    c == OpClass::ColumnReduction);
  }
}

/// Recomputed values that are alive at a kernel, the largest first.
std::vector<int> PeakSearch::waiting(const Simulation &s, int kernel) const {
  std::vector<std::pair<int64_t, int>> found;
  for (const LiveValue &live :
       listLive(evaluator.graph, s.schedule, s.reads, s.fusion, kernel,
                evaluator.getOptions()))
    if (live.copy > 0 && live.bytes > 0)
      found.push_back({-live.bytes, evaluator.model.choiceValue[live.value]});
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<int> values;
  for (auto [bytes, v] : found)
    if (std::find(values.begin(), values.end(), v) == values.end())
      values.push_back(v);
  return values;
}

/// Sets of values that recomputations cross before `position`: what is made up
/// to some run and read by later ones. The narrowest places, the latest first
/// among equal.
std::vector<PeakSearch::Change> PeakSearch::cuts(const Simulation &s,
                                                 int position) const {
  const auto &order = s.schedule.order;
  // The last recomputation up to `position` that reads each run.
  std::vector<int> lastReader(order.size(), -1);
  for (int p = evaluator.graph.forwardEnd; p <= position; ++p)
    if (order[p].copy > 0)
      for (int r = s.reads.begin[p]; r < s.reads.begin[p + 1]; ++r)
        if (s.reads.source[r] >= 0 && order[s.reads.source[r]].copy > 0)
          lastReader[s.reads.source[r]] = p;
  std::vector<int64_t> width(order.size() + 1, 0);
  for (int p = 0; p < position; ++p)
    if (lastReader[p] > p)
      for (int v : evaluator.graph.ops[order[p].op].results) {
        width[p] += evaluator.graph.values[v].bytes;
        width[lastReader[p]] -= evaluator.graph.values[v].bytes;
      }
  std::vector<std::pair<int64_t, int>> places;
  int64_t crossing = 0;
  for (int p = 0; p < position; ++p) {
    crossing += width[p];
    if (order[p].copy > 0 && crossing > 0 && lastReader[p] > p)
      places.push_back({crossing, -p});
  }
  std::sort(places.begin(), places.end());
  std::vector<Change> found;
  for (auto [bytes, negated] : places) {
    Change change;
    for (int p = 0; p <= -negated; ++p)
      if (lastReader[p] > -negated)
        for (int v : evaluator.graph.ops[order[p].op].results)
          if (int c = evaluator.model.choiceValue[v]; c >= 0)
            change.push_back(c);
    std::sort(change.begin(), change.end());
    change.erase(std::unique(change.begin(), change.end()), change.end());
    if (std::find(found.begin(), found.end(), change) == found.end())
      found.push_back(std::move(change));
    if (found.size() == maxCuts)
      break;
  }
  return found;
}

std::vector<PeakSearch::Change> PeakSearch::reliefs(const Simulation &s,
                                                    int kernel) const {
  int position = s.fusion.members[s.fusion.begin[kernel + 1] - 1];
  std::vector<Change> changes = cuts(s, position);
  std::vector<int> values = waiting(s, kernel);
  for (size_t i = 0; i < values.size() && i < maxWaiting; ++i)
    changes.push_back({values[i]});
  return changes;
}

std::optional<Candidate> PeakSearch::build(int64_t peak) {
  Candidate plan;
  plan.kept.assign(cheap.size(), 0);
  plan.rebuilt = cheap;
  Simulation s = evaluator.simulate(plan);
  for (int step = 0; step < maxBuildSteps && !evaluator.isExhausted(); ++step) {
    Violation now = findViolation(evaluator.graph, s, peak);
    if (now.kernel < 0)
      return plan;
    std::optional<Candidate> best;
    Violation bestLeft = now;
    Simulation bestSimulation;
    for (const Change &change : reliefs(s, now.kernel)) {
      Candidate next = plan;
      for (int v : change)
        next.kept[v] = 1;
      if (next.kept == plan.kept)
        continue;
      Simulation simulation = evaluator.simulate(next);
      Violation left = findViolation(evaluator.graph, simulation, peak);
      // The last violation moves forward; then what keeps less, then costs
      // less.
      auto rank = [](const Violation &v, const Candidate &c) {
        return std::make_tuple(v.kernel < 0 ? -1 : v.progress, c.savedBytes,
                               c.cost);
      };
      bool progress = left.kernel < 0 || left.progress < now.progress;
      if (progress && (!best || rank(left, next) < rank(bestLeft, *best))) {
        best = next;
        bestLeft = left;
        bestSimulation = std::move(simulation);
      }
    }
    if (!best)
      return std::nullopt;
    plan = std::move(*best);
    s = std::move(bestSimulation);
  }
  return std::nullopt;
}

std::optional<Candidate> PeakSearch::repair(Candidate plan, int64_t peak) {
  Simulation s = evaluator.simulate(plan);
  const ChoiceModel &model = evaluator.model;
  for (int step = 0; step < maxRepairSteps && !evaluator.isExhausted();
       ++step) {
    Violation now = findViolation(evaluator.graph, s, peak);
    if (now.kernel < 0)
      return plan;
    // Whatever is alive at the fullest kernel and can be changed.
    std::vector<std::pair<int64_t, int>> moves;
    for (const LiveValue &live :
         listLive(evaluator.graph, s.schedule, s.reads, s.fusion,
                  s.peak.peakKernel, evaluator.getOptions()))
      if (int v = model.choiceValue[live.value];
          v >= 0 && live.bytes > 0 && !evaluator.isAlwaysKept(live.value))
        moves.push_back({-live.bytes, v});
    std::sort(moves.begin(), moves.end());
    moves.erase(std::unique(moves.begin(), moves.end()), moves.end());
    if (moves.size() > maxMoves)
      moves.resize(maxMoves);
    std::optional<Candidate> best;
    auto bestRank = std::make_pair(now.excess, INT64_MAX);
    Simulation bestSimulation;
    auto attempt = [&](Candidate next) {
      Simulation simulation = evaluator.simulate(next);
      Violation left = findViolation(evaluator.graph, simulation, peak);
      auto rank = std::make_pair(left.excess, next.cost);
      if (rank.first >= now.excess || rank >= bestRank)
        return;
      bestRank = rank;
      best = std::move(next);
      bestSimulation = std::move(simulation);
    };
    for (auto [bytes, v] : moves) {
      Candidate next = plan;
      next.kept[v] ^= 1;
      attempt(next);
      if (!plan.kept[v] && cheap[v] && !plan.rebuilt[v]) {
        next = plan;
        next.rebuilt[v] = 1;
        attempt(next);
      }
    }
    if (!best)
      return std::nullopt;
    plan = std::move(*best);
    s = std::move(bestSimulation);
  }
  return std::nullopt;
}

/// Flags of the values that are paid for more than once.
std::vector<char> PeakSearch::findRepeated(Candidate &plan) {
  std::vector<char> repeated(cheap.size(), 0);
  Simulation s = evaluator.simulate(plan);
  for (Run run : s.schedule.order)
    if (run.copy > 1 && evaluator.prices[run.op] > 0)
      for (int v : evaluator.graph.ops[run.op].results)
        repeated[evaluator.model.choiceValue[v]] = 1;
  return repeated;
}

void PeakSearch::fill(Candidate &plan, int64_t peak) {
  const ChoiceGraph &graph = evaluator.model.graph;
  ChoiceState state(graph, plan.kept);
  struct Item {
    int value;
    int64_t cost, bytes;
  };
  std::vector<Item> items;
  for (int v = static_cast<int>(cheap.size()) - 1; v >= 0; --v) {
    if (!state.isRecomputed(v))
      continue;
    int64_t bytes = state.getBytes(), cost = state.getCost();
    state.toggle(v);
    Item item{v, cost - state.getCost(),
              std::max<int64_t>(1, state.getBytes() - bytes)};
    state.toggle(v);
    if (item.cost > 0)
      items.push_back(item);
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item &a, const Item &b) {
                     return static_cast<__int128>(a.cost) * b.bytes >
                            static_cast<__int128>(b.cost) * a.bytes;
                   });
  // Chunks double while they fit and halve where they do not.
  auto setAll = [&](std::vector<char> Candidate::*flags, char flag,
                    const std::vector<int> &values) {
    for (size_t i = 0, chunk = 1;
         i < values.size() && !evaluator.isExhausted();) {
      Candidate next = plan;
      size_t end = std::min(values.size(), i + chunk);
      for (size_t j = i; j < end; ++j)
        (next.*flags)[values[j]] = flag;
      evaluator.evaluate(next);
      if (next.peakBytes <= peak && next.cost <= plan.cost) {
        plan = std::move(next);
        i = end;
        chunk *= 2;
      } else if (chunk > 1) {
        chunk /= 2;
      } else {
        ++i;
      }
    }
  };
  std::vector<int> values, again;
  for (const Item &item : items)
    values.push_back(item.value);
  setAll(&Candidate::kept, 1, values);
  std::vector<char> twice = findRepeated(plan);
  for (int v = static_cast<int>(cheap.size()) - 1; v >= 0; --v)
    if (plan.rebuilt[v] && twice[v])
      again.push_back(v);
  setAll(&Candidate::rebuilt, 0, again);
}
