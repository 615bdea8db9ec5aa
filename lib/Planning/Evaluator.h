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

#include "MemOpt/Planning/ChoiceModel.h"
#include "MemOpt/Planning/PeakMemory.h"
#include "MemOpt/Planning/Recomputation.h"

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
      : graph(graph), prices(prices), model(model), placer(placer),
        options(options), workLeft(work) {}

  /// Fills in what the candidate's flags lead to.
  Simulation simulate(Candidate &candidate);
  void evaluate(Candidate &candidate) { simulate(candidate); }

  /// Runs that may still be simulated; negative once it is used up. Counting
  /// work instead of time keeps plans the same on every machine.
  bool isExhausted() const { return workLeft <= 0; }
  void setWork(int64_t work) { workLeft = work; }
  const PeakOptions &getOptions() const { return options; }
  bool isAlwaysKept(int stepValue) const {
    return placer.isAlwaysKept(stepValue);
  }

  const StepGraph &graph;
  const std::vector<int64_t> &prices;
  const ChoiceModel &model;

private:
  const RecomputationPlacer &placer;
  PeakOptions options;
  int64_t workLeft;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_EVALUATOR_H
