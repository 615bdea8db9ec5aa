//===- PeakSearch.cpp - plans under a peak --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakSearch.h"

#include <algorithm>

using namespace memopt;

namespace {

constexpr size_t maxPlaces = 3, maxWaiting = 2, maxMoves = 12;
constexpr int maxBuildSteps = 400, maxRepairSteps = 24;

/// Backward ops of the step that run before each position.
int64_t stepsBefore(const StepGraph &graph, const Simulation &s, int position) {
  int64_t count = 0;
  for (int p = 0; p < position; ++p)
    count += s.schedule.order[p].copy == 0;
  return count;
}

/// The largest value that a value is made from; -1 where there is none.
int largestOperand(const ChoiceGraph &graph, int value) {
  int largest = -1;
  for (int u : graph.getOps()[graph.getValues()[value].op].operands)
    if (largest < 0 ||
        graph.getValues()[u].bytes > graph.getValues()[largest].bytes)
      largest = u;
  return largest;
}

/// The last kernel that needs more than a peak; -1 where none does.
int findViolation(const PeakMemory &memory, int64_t peak) {
  int kernel = static_cast<int>(memory.bytes.size()) - 1;
  while (kernel >= 0 && memory.bytes[kernel] <= peak)
    --kernel;
  return kernel;
}

/// How much of the step runs before a kernel.
int64_t getProgress(const StepGraph &graph, const Simulation &s, int kernel) {
  return stepsBefore(graph, s, s.fusion.members[s.fusion.begin[kernel]]);
}

/// Bytes too many for a peak, summed over kernels.
int64_t sumExcess(const PeakMemory &memory, int64_t peak) {
  int64_t excess = 0;
  for (int64_t bytes : memory.bytes)
    if (bytes > peak)
      excess += std::min<int64_t>(bytes - peak, int64_t(1) << 44);
  return excess;
}

/// The recomputations up to a position, and what they hand on to each other.
class RecomputedRuns {
public:
  RecomputedRuns(const StepGraph &graph, const Simulation &s, int position)
      : graph(graph), s(s), position(position),
        lastReader(s.schedule.order.size(), -1), width(position + 1, 0) {
    for (int p = graph.forwardEnd; p <= position; ++p)
      if (isAgain(p))
        for (int r = s.reads.begin[p]; r < s.reads.begin[p + 1]; ++r)
          if (int source = s.reads.source[r]; source >= 0 && isAgain(source))
            lastReader[source] = p;
    for (int p = 0; p < position; ++p)
      for (int v : resultsAt(p))
        if (lastReader[p] > p) {
          width[p] += graph.values[v].bytes;
          width[lastReader[p]] -= graph.values[v].bytes;
        }
    for (int p = 1; p <= position; ++p)
      width[p] += width[p - 1];
  }

  /// The first recomputation that a kernel reads; else the position.
  int firstFor(int kernel) const {
    int first = position;
    for (int m = s.fusion.begin[kernel]; m < s.fusion.begin[kernel + 1]; ++m) {
      int p = s.fusion.members[m];
      for (int r = s.reads.begin[p]; r < s.reads.begin[p + 1]; ++r)
        if (int source = s.reads.source[r]; source >= 0 && isAgain(source))
          first = std::min(first, source);
    }
    return first;
  }

  /// Of the places, going back from `from`, that are narrower than all since:
  /// the narrowest few, the narrowest first.
  std::vector<int> findNarrow(int from) const {
    int64_t narrowest = INT64_MAX;
    std::vector<int> places;
    for (int p = std::min(from, position - 1); p >= graph.forwardEnd; --p)
      if (isAgain(p) && width[p] != 0 && width[p] < narrowest) {
        narrowest = width[p];
        places.push_back(p);
      }
    std::reverse(places.begin(), places.end());
    if (places.size() > maxPlaces)
      places.resize(maxPlaces);
    return places;
  }

  /// Values that are made up to a place and read by later recomputations.
  std::vector<int> crossing(int place) const {
    std::vector<int> values;
    for (int p = graph.forwardEnd; p <= place; ++p)
      if (lastReader[p] > place)
        for (int v : resultsAt(p))
          values.push_back(v);
    return values;
  }

private:
  bool isAgain(int p) const { return s.schedule.order[p].copy > 0; }
  const std::vector<int> &resultsAt(int p) const {
    return graph.ops[s.schedule.order[p].op].results;
  }

  const StepGraph &graph;
  const Simulation &s;
  int position;
  std::vector<int> lastReader; // up to the position
  std::vector<int64_t> width;  // bytes that cross each place
};

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
  for (const LiveValue &live : evaluator.listLive(s, kernel))
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

/// Sets of values that recomputations cross: what is made up to some run and
/// read by later ones before the kernel ends. Going back from there, and from
/// the first run that makes something for the kernel, the narrowest places.
std::vector<PeakSearch::Change> PeakSearch::cuts(const Simulation &s,
                                                 int kernel) const {
  int position = s.fusion.members[s.fusion.begin[kernel + 1] - 1];
  RecomputedRuns runs(evaluator.graph, s, position);
  std::vector<int> places = runs.findNarrow(runs.firstFor(kernel));
  for (int place : runs.findNarrow(position))
    places.push_back(place);
  std::vector<Change> found;
  for (int place : places) {
    Change change;
    for (int v : runs.crossing(place))
      change.push_back(evaluator.model.choiceValue[v]);
    std::sort(change.begin(), change.end());
    change.erase(std::unique(change.begin(), change.end()), change.end());
    if (std::find(found.begin(), found.end(), change) == found.end())
      found.push_back(std::move(change));
  }
  return found;
}

std::vector<PeakSearch::Change> PeakSearch::reliefs(const Simulation &s,
                                                    int kernel) const {
  std::vector<Change> changes = cuts(s, kernel);
  std::vector<int> values = waiting(s, kernel);
  for (size_t i = 0; i < values.size() && i < maxWaiting; ++i)
    changes.push_back({values[i]});
  return changes;
}

std::optional<Candidate> PeakSearch::build(int64_t peak) {
  Candidate nothing;
  nothing.kept.assign(cheap.size(), 0);
  return build(peak, std::move(nothing));
}

std::optional<Candidate> PeakSearch::build(int64_t peak, Candidate plan) {
  plan.rebuilt = cheap;
  Simulation s = evaluator.simulate(plan);
  for (int step = 0; step < maxBuildSteps && !evaluator.isExhausted(); ++step) {
    int violation = findViolation(s.peak, peak);
    if (violation < 0)
      return plan;
    int64_t progress = getProgress(evaluator.graph, s, violation);
    std::optional<Candidate> best;
    int64_t bestMoved = 0, bestMore = 1;
    Simulation bestSimulation;
    for (const Change &change : reliefs(s, violation)) {
      Candidate next = plan;
      for (int v : change)
        next.kept[v] = 1;
      if (next.kept == plan.kept)
        continue;
      const Simulation &simulation = evaluator.simulate(next);
      int left = findViolation(simulation.peak, peak);
      // How far the last violation moves towards the forward, for each byte
      // that is kept for it (hardly any count as some).
      int64_t moved = progress;
      if (left >= 0)
        moved -= getProgress(evaluator.graph, simulation, left);
      int64_t more =
          std::max(next.savedBytes - plan.savedBytes, peak / 256 + 1);
      if (moved <= 0)
        continue;
      __int128 gain = static_cast<__int128>(moved) * bestMore -
                      static_cast<__int128>(bestMoved) * more;
      if (gain > 0 || (gain == 0 && moved > bestMoved)) {
        best = std::move(next);
        bestMoved = moved;
        bestMore = more;
        bestSimulation = simulation;
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
  int64_t excess = sumExcess(evaluator.evaluate(plan), peak);
  const ChoiceModel &model = evaluator.model;
  for (int step = 0; step < maxRepairSteps && !evaluator.isExhausted();
       ++step) {
    if (excess == 0)
      return plan;
    // Whatever is alive at the fullest kernel and can be changed.
    std::vector<std::pair<int64_t, int>> moves;
    const Simulation &s = evaluator.look(plan);
    for (const LiveValue &live : evaluator.listLive(s, s.peak.peakKernel))
      if (int v = model.choiceValue[live.value];
          v >= 0 && live.bytes > 0 && !evaluator.isAlwaysKept(live.value))
        moves.push_back({-live.bytes, v});
    std::sort(moves.begin(), moves.end());
    moves.erase(std::unique(moves.begin(), moves.end()), moves.end());
    if (moves.size() > maxMoves)
      moves.resize(maxMoves);
    std::optional<Candidate> best;
    auto bestRank = std::make_pair(excess, INT64_MAX);
    auto attempt = [&](Candidate next) {
      int64_t left = sumExcess(evaluator.evaluate(next), peak);
      auto rank = std::make_pair(left, next.cost);
      if (left >= excess || rank >= bestRank)
        return;
      bestRank = rank;
      best = std::move(next);
    };
    for (auto [bytes, v] : moves) {
      Candidate next = plan;
      next.kept[v] ^= 1;
      attempt(next);
      if (int u = largestOperand(model.graph, v);
          plan.kept[v] && u >= 0 && !plan.kept[u]) {
        next.kept[u] = 1; // what it is made from in its place
        attempt(next);
      }
      if (!plan.kept[v] && cheap[v] && !plan.rebuilt[v]) {
        next = plan;
        next.rebuilt[v] = 1;
        attempt(next);
      }
    }
    if (!best)
      return std::nullopt;
    plan = std::move(*best);
    excess = bestRank.first;
  }
  return std::nullopt;
}
