//===- Evaluator.h - what a choice costs and needs --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates choices, and counts how much it simulated.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_EVALUATOR_H
#define MEMOPT_LIB_PLANNING_EVALUATOR_H

#include "Fuser.h"
#include "KnownPeaks.h"
#include "MemOpt/Planning/ChoiceModel.h"
#include "MemOpt/Planning/Recomputation.h"
#include "PeakSimulator.h"

namespace memopt {

/// A choice by the values of the choice graph, and what its simulation says.
struct Candidate {
  std::vector<char> kept, rebuilt;
  int64_t savedBytes = 0, cost = 0, peakBytes = 0;
};

/// Everything about one simulated choice, for what repairs it.
struct Simulation {
  Schedule schedule;
  ScheduleReads reads;
  FusionPlan fusion;
  PeakMemory peak;
};

class Evaluator {
public:
  Evaluator(const StepGraph &graph, const std::vector<int64_t> &prices,
            const ChoiceModel &model, const RecomputationPlacer &placer,
            const PeakOptions &options, int64_t work)
      : graph(graph), prices(prices), model(model), placer(placer), step(graph),
        fuser(step), peaks(step, options), workLeft(work) {}
  // Its parts refer to each other.
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  /// Fills in what the candidate's flags lead to. The reference holds until the
  /// next call, as those below.
  const PeakMemory &evaluate(Candidate &candidate);

  /// The same, for all of the simulation.
  const Simulation &simulate(Candidate &candidate) {
    evaluate(candidate);
    return look(candidate);
  }
  /// All of the simulation of a candidate that was evaluated before. Is not
  /// counted.
  const Simulation &look(const Candidate &candidate);

  /// What is alive at a kernel of a simulation, in the order in which it is
  /// made.
  std::vector<LiveValue> listLive(const Simulation &simulation, int kernel) {
    return peaks.list(simulation.schedule.order, simulation.reads,
                      simulation.fusion, kernel);
  }

  /// Runs that may still be simulated; negative once it is used up. Counting
  /// work instead of time keeps plans the same on every machine; what is known
  /// already counts like what is not, so that they do not depend on that
  /// either.
  bool isExhausted() const { return workLeft <= 0; }
  void setWork(int64_t work) { workLeft = work; }
  bool isAlwaysKept(int stepValue) const {
    return placer.isAlwaysKept(stepValue);
  }

  const StepGraph &graph;
  const std::vector<int64_t> &prices;
  const ChoiceModel &model;

private:
  void run(const Candidate &candidate, const std::string &key);
  int64_t sumPrices() const;

  const RecomputationPlacer &placer;
  FlatStep step;
  Fuser fuser;
  PeakSimulator peaks;
  /// What ran last, and the flags that it is about.
  Simulation latest;
  std::string latestKey;
  KnownPeaks knownPeaks;
  int64_t workLeft;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_EVALUATOR_H
