//===- PlanLadder.h - all plans of a step, and which fits a budget -*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner. It makes one ladder of plans for saved bytes and one for peaks,
// which do not depend on any budget; a budget selects from its ladder. So a
// larger budget never costs more, and a smaller one never gives a larger peak,
// by construction. The ladder of peaks is made when it is first asked for.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_PLANLADDER_H
#define MEMOPT_PLANNING_PLANLADDER_H

#include "MemOpt/Planning/Plan.h"

#include <memory>
#include <optional>

namespace memopt {

struct PlannerOptions {
  PeakOptions peak;
  /// How much may be simulated to find plans of small peaks, in runs of ops. A
  /// count and no time, so that plans are the same on every machine.
  int64_t work = 20'000'000;
};

/// What one plan of the ladder costs and needs.
struct LadderPoint {
  int64_t savedBytes = 0; // unaligned
  int64_t cost = 0;       // picoseconds
  int64_t peakBytes = 0;
};

class PlanLadder {
public:
  /// Plans the step. `base` is the order of copies 0 that recomputations are
  /// placed in (captureSchedule, or a better one); `prices` come from priceOps.
  /// None with a message where the step or the base is not sane.
  static std::optional<PlanLadder> build(const StepGraph &graph,
                                         const Schedule &base,
                                         const std::vector<int64_t> &prices,
                                         const PlannerOptions &options,
                                         std::string &error);
  PlanLadder(PlanLadder &&);
  PlanLadder &operator=(PlanLadder &&);
  ~PlanLadder();

  /// The plan of least (cost, peak) that saves at most so many bytes, of those
  /// made for saved bytes; none where there is none. Its savedBound is the
  /// tight one at `bytes`.
  std::optional<RematPlan> selectSaved(int64_t bytes) const;
  /// The plan of least (cost, saved bytes) whose peak is at most `bytes`. Its
  /// peakBound is the tight one at `bytes`.
  std::optional<RematPlan> selectPeak(int64_t bytes) const;
  /// The plan of least (peak, cost) that costs at most so many picoseconds.
  std::optional<RematPlan> selectCost(int64_t picoseconds) const;

  /// The smallest budgets that the ladder keeps: these work, one byte less
  /// fails.
  int64_t getSmallestSaved() const;
  int64_t getSmallestPeak() const;

  /// No plan that saves at most so many bytes costs less: from minimum cuts,
  /// with large values decided both ways; -1 where no plan is that small.
  int64_t boundSaved(int64_t bytes) const;
  /// The same, tighter and slower (some ten hulls): a plan keeps a whole number
  /// of equal values, where the hull's edge keeps parts of them.
  int64_t tightBoundSaved(int64_t bytes) const;
  /// No plan whose peak is at most so many bytes costs less, in any order: at
  /// the forward's end what is kept stands beside the results that are there
  /// already.
  int64_t boundPeak(int64_t bytes) const;
  /// No plan in the base's order, however often it recomputes, whose peak is at
  /// most so many bytes costs less: a few moments of the step are looked at,
  /// with what each holds in every plan. -1 where no plan has so small a peak.
  /// The first call computes some ten hulls.
  int64_t tightBoundPeak(int64_t bytes) const;

  /// The ladder of peaks: plans that no other one beats in all three, the
  /// cheapest first.
  const std::vector<LadderPoint> &getPoints() const;

  /// Of the ladder for saved bytes what nothing beats in bytes and cost, the
  /// cheapest first. Simulates nothing: the points have no peak.
  std::vector<LadderPoint> getSavedFront() const;

  /// Both ladders together, by rising cost; of the one for saved bytes what
  /// nothing beats in bytes and cost. Simulates each of its plans.
  std::vector<LadderPoint> computePoints() const;

  /// The plan of one point of getPoints.
  RematPlan getPlan(size_t point) const;

private:
  struct Contents;
  explicit PlanLadder(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents;
};

} // namespace memopt

#endif // MEMOPT_PLANNING_PLANLADDER_H
