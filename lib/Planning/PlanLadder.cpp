//===- PlanLadder.cpp - all plans of a step, and which fits a budget ------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/PlanLadder.h"

#include "PeakBound.h"
#include "PeakSearch.h"
#include "SavedFrontier.h"

#include <algorithm>

using namespace memopt;

struct PlanLadder::Contents {
  Contents(const StepGraph &graph, const Schedule &base,
           const std::vector<int64_t> &prices, const PlannerOptions &options)
      : graph(graph), prices(prices), options(options), model(graph, prices),
        placer(graph, base), frontier(model.graph) {
    work = options.work;
    for (const StepValue &value : graph.values)
      if (value.returned && value.op >= 0 && value.op < graph.forwardEnd)
        returnedBytes += value.bytes;
  }

  void climb();
  void climbPeaks();
  void searchPeaks(Evaluator &evaluator);
  void applyTemplates(PeakSearch &search, Evaluator &evaluator);
  std::optional<Candidate> tryWay(int way, PeakSearch &search,
                                  int64_t peak) const;
  int64_t findSmallest(PeakSearch &search, Evaluator &evaluator);
  int64_t distance(int64_t peak) const;
  void prune();
  Candidate toCandidate(const std::vector<char> &kept) const;
  RematPlan describe(const Candidate &candidate) const;

  const StepGraph &graph;
  std::vector<int64_t> prices;
  PlannerOptions options;
  ChoiceModel model;
  RecomputationPlacer placer;
  SavedFrontier frontier;
  /// Runs that may be simulated to repair peaks.
  int64_t work = 0;
  /// Results of the step that the forward makes.
  int64_t returnedBytes = 0;
  /// The plans for saved bytes, by rising cost.
  std::vector<SavedPlan> savedPlans;
  /// Those and the plans for peaks, made when a peak is first asked for.
  bool hasPeaks = false;
  std::vector<Candidate> candidates;
  std::vector<LadderPoint> points; // of the candidates, in their order
  /// Made when it is first asked for.
  std::optional<PeakBound> peakBound;
  std::vector<Run> order;
};

namespace {

constexpr int peakSteps = 256;

/// 0 .. peakSteps - 1, so that any first part of them is spread evenly.
int reverseBits(int i) {
  int r = 0;
  for (int bit = 1; bit < peakSteps; bit *= 2)
    r = 2 * r + ((i & bit) != 0);
  return r;
}

/// The cheapest plan whose peak is above `low` and at most `high`.
const Candidate *findCheapest(const std::vector<Candidate> &candidates,
                              int64_t low, int64_t high) {
  const Candidate *best = nullptr;
  for (const Candidate &c : candidates)
    if (c.peakBytes > low && c.peakBytes <= high &&
        (!best || std::make_pair(c.cost, c.peakBytes) <
                      std::make_pair(best->cost, best->peakBytes)))
      best = &c;
  return best;
}

/// The cheapest of the plans that save at most `bytes`.
const Candidate *findAffordable(const std::vector<Candidate> &candidates,
                                int64_t bytes) {
  const Candidate *best = nullptr;
  for (const Candidate &c : candidates)
    if (c.savedBytes <= bytes && (!best || c.cost < best->cost))
      best = &c;
  return best;
}

} // namespace

/// Makes the plans for saved bytes.
void PlanLadder::Contents::climb() {
  int64_t step = 0;
  for (int64_t price : prices)
    step += price;
  savedPlans = frontier.computePlans(step / 3000);
  // Everything that is needed kept, as captured.
  std::vector<char> all(model.stepValue.size(), 1);
  ChoicePlan captured = planFromKept(model.graph, all);
  savedPlans.push_back({std::move(all), captured.bytes, captured.cost});
  std::stable_sort(savedPlans.begin(), savedPlans.end(),
                   [](const SavedPlan &a, const SavedPlan &b) {
                     return std::make_pair(a.cost, a.bytes) <
                            std::make_pair(b.cost, b.bytes);
                   });
}

Candidate
PlanLadder::Contents::toCandidate(const std::vector<char> &kept) const {
  Candidate candidate;
  candidate.kept = kept;
  candidate.rebuilt.assign(kept.size(), 0);
  return candidate;
}

/// Makes all candidates and keeps those that nothing beats.
void PlanLadder::Contents::climbPeaks() {
  if (hasPeaks)
    return;
  hasPeaks = true;
  Evaluator evaluator(graph, prices, model, placer, options.peak, 0);
  for (const SavedPlan &plan : savedPlans) {
    if (plan.shrunk)
      continue;
    candidates.push_back(toCandidate(plan.kept));
    evaluator.evaluate(candidates.back());
  }
  searchPeaks(evaluator);
  prune();
}

/// Plans for a grid of peaks that does not depend on a budget, first where the
/// cheapest plan so far is farthest from the bound: repaired from a cheaper one
/// that needs a little more, and built from the backward's end, from nothing
/// and from the best plan of somewhat fewer saved bytes.
void PlanLadder::Contents::searchPeaks(Evaluator &evaluator) {
  PeakSearch search(evaluator);
  auto add = [&](std::optional<Candidate> plan, int64_t peak) {
    if (!plan)
      return;
    search.fill(*plan, peak);
    candidates.push_back(std::move(*plan));
  };
  int64_t most = findCheapest(candidates, -1, INT64_MAX)->peakBytes;
  applyTemplates(search, evaluator);
  int64_t least = findSmallest(search, evaluator);
  std::vector<int64_t> grid;
  for (int i = 0; i < peakSteps; ++i)
    grid.push_back(least +
                   static_cast<int64_t>(static_cast<__int128>(most - least) *
                                        reverseBits(i) / peakSteps));
  // A quarter of the peaks in the grid's order, then the farthest from the
  // bound. A way that did not help four times in a row is tried every fourth
  // time; that from nothing always.
  int misses[3] = {0, 0, 0};
  for (int round = 0; !grid.empty() && !evaluator.isExhausted(); ++round) {
    auto farthest =
        std::max_element(grid.begin(), grid.end(), [&](int64_t a, int64_t b) {
          return distance(a) < distance(b);
        });
    if (round < peakSteps / 4)
      farthest = grid.begin();
    int64_t peak = *farthest;
    grid.erase(farthest);
    for (int way = 0; way < 3; ++way) {
      if (way > 0 && misses[way] >= 4 && round % 4 != way)
        continue;
      int64_t before = distance(peak);
      add(tryWay(way, search, peak), peak);
      misses[way] = distance(peak) < before ? 0 : misses[way] + 1;
    }
  }
}

/// What brings the cheapest plan's peak down by a twentieth (keeping the logits
/// themselves in place of what is made from them, say) often helps all others
/// as much: the same change is tried on a part of the plans, twice.
void PlanLadder::Contents::applyTemplates(PeakSearch &search,
                                          Evaluator &evaluator) {
  size_t planCount = candidates.size();
  Candidate cheapest = *findCheapest(candidates, -1, INT64_MAX);
  for (int round = 0; round < 2; ++round) {
    evaluator.setWork(work / 12);
    int64_t peak = cheapest.peakBytes - cheapest.peakBytes / 20;
    std::optional<Candidate> better = search.repair(cheapest, peak);
    if (!better)
      return;
    size_t opCount = std::max<size_t>(1, graph.ops.size());
    size_t tried =
        std::max<size_t>(1, static_cast<size_t>(work) / 12 / opCount);
    size_t stride = std::max<size_t>(1, planCount / tried);
    for (size_t i = 0; i < planCount; i += stride) {
      Candidate next = candidates[i];
      for (size_t v = 0; v < next.kept.size(); ++v) {
        if (better->kept[v] != cheapest.kept[v])
          next.kept[v] = better->kept[v];
        if (better->rebuilt[v] != cheapest.rebuilt[v])
          next.rebuilt[v] = better->rebuilt[v];
      }
      evaluator.evaluate(next);
      if (next.peakBytes < candidates[i].peakBytes)
        candidates.push_back(std::move(next));
    }
    cheapest = std::move(*better);
  }
}

/// One way to a plan within a peak.
std::optional<Candidate>
PlanLadder::Contents::tryWay(int way, PeakSearch &search, int64_t peak) const {
  if (way == 0)
    return search.build(peak);
  const Candidate *start = way == 1
                               ? findCheapest(candidates, peak, peak + peak / 4)
                               : findAffordable(candidates, peak / 5 * 3);
  if (!start)
    return std::nullopt;
  return way == 1 ? search.repair(*start, peak) : search.build(peak, *start);
}

/// Adds plans of small peaks; returns the smallest peak found.
int64_t PlanLadder::Contents::findSmallest(PeakSearch &search,
                                           Evaluator &evaluator) {
  int64_t least = INT64_MAX;
  for (const Candidate &c : candidates)
    least = std::min(least, c.peakBytes);
  // By halving what lies between it and what fails, with half of the work.
  evaluator.setWork(work / 3);
  for (int64_t low = 0; least - low > least / 64 && !evaluator.isExhausted();) {
    int64_t peak = low + (least - low) / 2;
    std::optional<Candidate> plan = search.build(peak);
    if (!plan) {
      low = peak;
      continue;
    }
    least = plan->peakBytes;
    candidates.push_back(std::move(*plan));
  }
  // And from there by single changes.
  for (const Candidate *start = findCheapest(candidates, -1, least);
       start && !evaluator.isExhausted();) {
    std::optional<Candidate> plan = search.repair(*start, least - 1);
    if (!plan || plan->peakBytes >= least)
      break;
    least = plan->peakBytes;
    candidates.push_back(std::move(*plan));
    start = &candidates.back();
  }
  evaluator.setWork(work - work / 3);
  return least;
}

/// How much the cheapest plan within a peak costs over the bound.
int64_t PlanLadder::Contents::distance(int64_t peak) const {
  const Candidate *best = findCheapest(candidates, -1, peak);
  if (!best)
    return INT64_MAX;
  return best->cost -
         std::max<int64_t>(0, frontier.lowerBound(peak - returnedBytes));
}

/// Drops what another plan beats in saved bytes, cost and peak; of equal ones
/// the first stays. The rest stands by cost.
void PlanLadder::Contents::prune() {
  auto key = [](const Candidate &c) {
    return std::make_tuple(c.cost, c.peakBytes, c.savedBytes);
  };
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  std::vector<Candidate> front;
  for (Candidate &c : candidates) {
    bool beaten = false;
    for (const Candidate &f : front)
      if (f.peakBytes <= c.peakBytes && f.savedBytes <= c.savedBytes) {
        beaten = true;
        break;
      }
    if (!beaten)
      front.push_back(std::move(c));
  }
  candidates = std::move(front);
  for (const Candidate &c : candidates)
    points.push_back({c.savedBytes, c.cost, c.peakBytes});
}

std::optional<PlanLadder> PlanLadder::build(const StepGraph &graph,
                                            const Schedule &base,
                                            const std::vector<int64_t> &prices,
                                            const PlannerOptions &options,
                                            std::string &error) {
  ScheduleReads reads;
  if (error = graph.check(); !error.empty())
    return std::nullopt;
  if (error = resolveReads(graph, base, reads); !error.empty())
    return std::nullopt;
  auto contents = std::make_unique<Contents>(graph, base, prices, options);
  if (error = contents->model.graph.check(); !error.empty())
    return std::nullopt;
  contents->climb();
  return PlanLadder(std::move(contents));
}

PlanLadder::PlanLadder(std::unique_ptr<Contents> contents)
    : contents(std::move(contents)) {}
PlanLadder::PlanLadder(PlanLadder &&) = default;
PlanLadder &PlanLadder::operator=(PlanLadder &&) = default;
PlanLadder::~PlanLadder() = default;

const std::vector<LadderPoint> &PlanLadder::getPoints() const {
  contents->climbPeaks();
  return contents->points;
}

std::vector<LadderPoint> PlanLadder::computePoints() const {
  std::vector<LadderPoint> points = getPoints();
  Evaluator evaluator(contents->graph, contents->prices, contents->model,
                      contents->placer, contents->options.peak, 0);
  int64_t least = INT64_MAX;
  for (const SavedPlan &plan : contents->savedPlans) {
    if (plan.bytes >= least)
      continue;
    least = plan.bytes;
    Candidate candidate = contents->toCandidate(plan.kept);
    evaluator.evaluate(candidate);
    points.push_back(
        {candidate.savedBytes, candidate.cost, candidate.peakBytes});
  }
  auto key = [](const LadderPoint &p) {
    return std::make_tuple(p.cost, p.peakBytes, p.savedBytes);
  };
  std::sort(points.begin(), points.end(),
            [&](const LadderPoint &a, const LadderPoint &b) {
              return key(a) < key(b);
            });
  points.erase(std::unique(points.begin(), points.end(),
                           [&](const LadderPoint &a, const LadderPoint &b) {
                             return key(a) == key(b);
                           }),
               points.end());
  return points;
}

RematPlan PlanLadder::Contents::describe(const Candidate &c) const {
  RematPlan plan;
  (void)describeSchedule(
      graph, prices,
      placer.place({model.toStep(c.kept), model.toStep(c.rebuilt)}), plan,
      options.peak);
  plan.savedBound = frontier.lowerBound(plan.savedBytes);
  plan.peakBound = frontier.lowerBound(plan.peakBytes - returnedBytes);
  return plan;
}

RematPlan PlanLadder::getPlan(size_t point) const {
  contents->climbPeaks();
  return contents->describe(contents->candidates[point]);
}

std::optional<RematPlan> PlanLadder::selectSaved(int64_t bytes) const {
  // By rising cost: all that fit of the first cost of which one fits.
  const auto &plans = contents->savedPlans;
  std::optional<RematPlan> best;
  int64_t cost = INT64_MAX;
  for (const SavedPlan &saved : plans) {
    if (saved.cost > cost)
      break;
    if (saved.bytes > bytes)
      continue;
    cost = saved.cost;
    RematPlan plan = contents->describe(contents->toCandidate(saved.kept));
    if (!best || plan.peakBytes < best->peakBytes)
      best = std::move(plan);
  }
  if (best)
    best->savedBound = tightBoundSaved(bytes);
  return best;
}

std::optional<RematPlan> PlanLadder::selectPeak(int64_t bytes) const {
  // Points stand by (cost, peak, saved): the first that fits.
  const auto &points = getPoints();
  for (size_t i = 0; i < points.size(); ++i)
    if (points[i].peakBytes <= bytes) {
      RematPlan plan = getPlan(i);
      plan.peakBound = tightBoundPeak(bytes);
      return plan;
    }
  return std::nullopt;
}

std::optional<RematPlan> PlanLadder::selectCost(int64_t picoseconds) const {
  const auto &points = getPoints();
  size_t best = points.size();
  for (size_t i = 0; i < points.size(); ++i)
    if (points[i].cost <= picoseconds &&
        (best == points.size() || points[i].peakBytes < points[best].peakBytes))
      best = i;
  if (best == points.size())
    return std::nullopt;
  return getPlan(best);
}

int64_t PlanLadder::getSmallestSaved() const {
  int64_t least = INT64_MAX;
  for (const SavedPlan &plan : contents->savedPlans)
    least = std::min(least, plan.bytes);
  return least;
}

int64_t PlanLadder::getSmallestPeak() const {
  int64_t least = INT64_MAX;
  for (const LadderPoint &point : getPoints())
    least = std::min(least, point.peakBytes);
  return least;
}

int64_t PlanLadder::boundSaved(int64_t bytes) const {
  return contents->frontier.lowerBound(bytes);
}

int64_t PlanLadder::tightBoundSaved(int64_t bytes) const {
  return std::max(boundSaved(bytes), contents->frontier.tightBound(bytes));
}

int64_t PlanLadder::boundPeak(int64_t bytes) const {
  return contents->frontier.lowerBound(bytes - contents->returnedBytes);
}

int64_t PlanLadder::tightBoundPeak(int64_t bytes) const {
  if (!contents->peakBound) {
    // Everything kept: copies 0 alone, in the order of every plan.
    size_t count = contents->graph.values.size();
    contents->order =
        contents->placer
            .place({std::vector<char>(count, 1), std::vector<char>(count, 0)})
            .order;
    contents->peakBound.emplace(contents->graph, contents->model,
                                contents->order);
  }
  int64_t tight = contents->peakBound->lowerBound(bytes);
  return tight < 0 ? tight : std::max(tight, boundPeak(bytes));
}
