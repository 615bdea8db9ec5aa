//===- SavedFrontier.h - plans for every number of saved bytes --*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes against cost, before any peak is simulated.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_SAVEDFRONTIER_H
#define MEMOPT_LIB_PLANNING_SAVEDFRONTIER_H

#include "MemOpt/MinCut/Hull.h"
#include "MemOpt/Planning/ChoiceModel.h"
#include "Mixture.h"

namespace memopt {

/// The problem with some large values decided beforehand.
///
/// Where one value is a large part of all bytes (the logits of a language
/// model) the hull's edge over it promises what no plan keeps. So the problem
/// is solved twice, with the value kept and with it recomputed, and the bound
/// is the smaller one of both: a branch of branch and bound.
struct Branch {
  ChoiceGraph graph;
  /// Bytes of the values that are kept beforehand; in `graph` they weigh
  /// nothing.
  int64_t keptBytes = 0;
  Hull hull;
  std::vector<ChoicePlan> chain;
};

/// A lower bound on the cost of the branch's plans that save at most so many
/// bytes, from how many values of a class they can keep.
int64_t countBound(const Branch &branch, int64_t bytes);

/// The best plans found, for saved bytes from the cheapest plan's to the
/// fewest.
class SavedFrontier {
public:
  explicit SavedFrontier(const ChoiceGraph &graph);

  /// No plan of at most `bytes` saved bytes costs less; -1 where none is that
  /// small.
  int64_t lowerBound(int64_t bytes) const;
  /// The same, and as a rule larger between two vertices of the hull that are a
  /// few equal values apart; two hulls more for each branch.
  int64_t tightBound(int64_t bytes) const;

  /// Plans as flags of kept values, no two equal: all plans of the chains, and
  /// for each number of bytes of a grid the best mixture, polished. From one
  /// point of the grid to the next the bound rises by at most half a percent or
  /// `costStep`.
  std::vector<std::vector<char>> computePlans(int64_t costStep) const;

  /// Fewest saved bytes of any plan.
  int64_t smallestBytes() const;

private:
  /// An upper end: every plan beyond it costs no less than one within.
  int64_t largestBytes() const;
  std::vector<int64_t> capacities(int64_t costStep) const;

  const ChoiceGraph &graph;
  std::vector<Branch> branches; // leaves; every plan is in one of them
};

/// Keeps recomputed values while they fit, the most cost for a byte first, late
/// ones first among equal.
void fillUp(const ChoiceGraph &graph, ChoiceState &state, int64_t bytes);

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_SAVEDFRONTIER_H
