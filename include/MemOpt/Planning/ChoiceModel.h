//===- ChoiceModel.h - a step as a graph of choices -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a step to the problem that minimum cuts solve, and the local moves of a
// plan.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_CHOICEMODEL_H
#define MEMOPT_PLANNING_CHOICEMODEL_H

#include "MemOpt/MinCut/ChoiceGraph.h"
#include "MemOpt/Planning/StepGraph.h"

namespace memopt {

/// The choices of a step: forward ops and values that some backward op needs,
/// directly or to run again what it needs. Arguments are free and left out.
/// Results of the step weigh nothing; values of no bytes neither.
struct ChoiceModel {
  ChoiceGraph graph;
  /// For each value and op of the choice graph, the step's; and back (-1:
  /// none).
  std::vector<int> stepValue, stepOp, choiceValue;

  /// `prices`: what running each op of the step again costs.
  ChoiceModel(const StepGraph &step, const std::vector<int64_t> &prices);

  /// Flags of the step's values from flags of the choice graph's.
  std::vector<char> toStep(const std::vector<char> &kept) const;
  /// Flags of the choice graph's values that a plan keeps.
  std::vector<char> flags(const ChoicePlan &plan) const;
};

/// A plan under single changes, with its bytes and cost: what planFromKept
/// computes, in time proportional to what a change touches.
class ChoiceState {
public:
  ChoiceState(const ChoiceGraph &graph, const std::vector<char> &kept);

  /// Keeps the value if it is recomputed, and the other way round. A value that
  /// may not be recomputed is kept either way.
  void toggle(int value);

  int64_t getBytes() const { return bytes; }
  int64_t getCost() const { return cost; }
  const std::vector<char> &getKept() const { return kept; }
  /// Something reads the value: the backward, or an op that runs again.
  bool isUsed(int value) const { return uses[value] > 0; }
  bool isKept(int value) const { return kept[value] || pinned[value]; }
  bool isRecomputed(int value) const { return isUsed(value) && !isKept(value); }
  bool canToggle(int value) const { return !pinned[value]; }

private:
  void want(int value);
  void release(int value);
  void settle();

  const ChoiceGraph *graph;
  std::vector<char> kept;
  /// Kept whatever the flag says: it may not be recomputed, or weighs nothing.
  std::vector<char> pinned;
  std::vector<int> uses;     // per value
  std::vector<int> demanded; // per op: results that are recomputed
  int64_t bytes = 0, cost = 0;
  /// Uses that are still to be counted (+value) or taken back (-value - 1).
  std::vector<int> pending;
};

} // namespace memopt

#endif // MEMOPT_PLANNING_CHOICEMODEL_H
