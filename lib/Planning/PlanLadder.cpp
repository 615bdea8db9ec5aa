//===- PlanLadder.cpp - all plans of a step, and which fits a budget ------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LadderContents.h"

#include <algorithm>

using namespace memopt;

/// Costs that differ by less are as good as equal.
int64_t PlanLadder::Contents::getCostStep() const {
  int64_t step = 0;
  for (int64_t price : prices)
    step += price;
  return step / 12000;
}

/// With the plan that keeps everything that is needed, as captured; by rising
/// cost.
std::vector<SavedPlan>
PlanLadder::Contents::finish(std::vector<SavedPlan> plans) const {
  std::vector<char> all(model.stepValue.size(), 1);
  ChoicePlan captured = planFromKept(model.graph, all);
  plans.push_back({std::move(all), captured.bytes, captured.cost});
  std::stable_sort(plans.begin(), plans.end(),
                   [](const SavedPlan &a, const SavedPlan &b) {
                     return std::make_pair(a.cost, a.bytes) <
                            std::make_pair(b.cost, b.bytes);
                   });
  return plans;
}

const std::vector<SavedPlan> &PlanLadder::Contents::getSavedPlans() {
  if (!savedPlans) {
    std::vector<SavedPlan> plans = frontier.computeProgrammed(getCostStep());
    areMixed = plans.empty();
    if (areMixed)
      plans = frontier.computeMixed(getCostStep(), /*shrinks=*/true);
    savedPlans = finish(std::move(plans));
  }
  return *savedPlans;
}

/// Mixtures differ from each other in many ways that cost the same, of which
/// the peak can choose.
std::vector<SavedPlan> PlanLadder::Contents::getMixedPlans() const {
  if (savedPlans && areMixed)
    return *savedPlans;
  return finish(frontier.computeMixed(getCostStep(), /*shrinks=*/false));
}

Candidate
PlanLadder::Contents::toCandidate(const std::vector<char> &kept) const {
  Candidate candidate;
  candidate.kept = kept;
  candidate.rebuilt.assign(kept.size(), 0);
  return candidate;
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

std::vector<LadderPoint> PlanLadder::getSavedFront() const {
  std::vector<LadderPoint> points;
  for (const SavedPlan &plan : contents->getSavedPlans())
    if (points.empty() || plan.bytes < points.back().savedBytes)
      points.push_back({plan.bytes, plan.cost, 0});
  return points;
}

std::vector<LadderPoint> PlanLadder::computePoints() const {
  std::vector<LadderPoint> points = getPoints();
  Evaluator evaluator(contents->graph, contents->prices, contents->model,
                      contents->placer, contents->options.peak, 0);
  int64_t least = INT64_MAX;
  for (const SavedPlan &plan : contents->getSavedPlans()) {
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
  const auto &plans = contents->getSavedPlans();
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
  for (const SavedPlan &plan : contents->getSavedPlans())
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
