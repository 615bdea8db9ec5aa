//===- LadderContents.h - what a ladder of plans holds ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_LADDERCONTENTS_H
#define MEMOPT_LIB_PLANNING_LADDERCONTENTS_H

#include "MemOpt/Planning/PlanLadder.h"

#include "PeakBound.h"
#include "PeakSearch.h"
#include "SavedFrontier.h"

namespace memopt {

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

  int64_t getCostStep() const;
  std::vector<SavedPlan> finish(std::vector<SavedPlan> plans) const;
  const std::vector<SavedPlan> &getSavedPlans();
  std::vector<SavedPlan> getMixedPlans() const;
  void climbPeaks();
  void searchPeaks(Evaluator &evaluator);
  void applyTemplates(PeakSearch &search, Evaluator &evaluator);
  std::optional<Candidate> tryWay(int way, PeakSearch &search,
                                  int64_t peak) const;
  int64_t findSmallest(PeakSearch &search, Evaluator &evaluator);
  int64_t boundAt(int64_t peak) const;
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
  /// The plans for saved bytes, by rising cost, made when they are first asked
  /// for; and whether they are mixtures.
  std::optional<std::vector<SavedPlan>> savedPlans;
  bool areMixed = false;
  /// Mixtures and the plans for peaks, made when a peak is first asked for.
  bool hasPeaks = false;
  std::vector<Candidate> candidates;
  std::vector<LadderPoint> points; // of the candidates, in their order
  /// Made when it is first asked for.
  std::optional<PeakBound> peakBound;
  std::vector<Run> order;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_LADDERCONTENTS_H
