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

#include <functional>

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

/// A plan that is known by its bytes and its cost alone.
struct SavedPlan {
  std::vector<char> kept; // flags of values
  int64_t bytes = 0, cost = 0;
  /// Only a budget of saved bytes selects it: its peak is not looked at.
  bool savedOnly = false;
};

/// A lower bound on the cost of the branch's plans that save at most so many
/// bytes, from how many values of a class they can keep.
int64_t countBound(const Branch &branch, int64_t bytes);

/// The same from whole multiples of a size: a plan of at most W bytes has
///
///     sum of floor(bytes(v) / u) over what it keeps <= floor(W / u)
///
/// for any u (Chvatal, Discrete Mathematics 4, 1973), so that the hull of these
/// weights bounds it; the largest bound over a few sizes.
int64_t roundedBound(const Branch &branch, int64_t bytes);

/// The graph with other bytes for its values.
ChoiceGraph reweigh(const ChoiceGraph &graph,
                    const std::function<int64_t(int)> &bytesOf);

/// The sizes of which a graph has most bytes, at most so many.
std::vector<int64_t> findUnits(const ChoiceGraph &graph, size_t count);

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

  /// Plans of all numbers of bytes: those of the chains, and what dynamic
  /// programming finds, down to differences in cost of 1/2048 or an eighth of
  /// `costStep`. Empty where the graph is too large for it.
  std::vector<SavedPlan> computeProgrammed(int64_t costStep) const;

  /// Plans of all numbers of bytes: those of the chains; for each number of
  /// bytes of a grid the best mixture, filled up; and, with `shrinks`, what
  /// lies between them. From one point of the grid to the next the bound rises
  /// by at most half a percent or `costStep`.
  std::vector<SavedPlan> computeMixed(int64_t costStep, bool shrinks) const;

  /// Fewest saved bytes of any plan.
  int64_t smallestBytes() const;

private:
  /// An upper end: every plan beyond it costs no less than one within.
  int64_t largestBytes() const;
  std::vector<int64_t> capacities(int64_t costStep) const;

  const ChoiceGraph &graph;
  std::vector<Branch> branches; // leaves; every plan is in one of them
};

/// Gives up what costs least for a byte, step by step, from one plan: single
/// values, and values in whose place what they are made from is kept. In three
/// passes: of all sizes, and of those below half and below 1/32 of a `unit`,
/// since a step of a whole unit passes by what small ones free. Calls
/// visit(state) after each step.
void shrink(const ChoiceGraph &graph, const ChoiceState &start, int64_t unit,
            const std::function<void(const ChoiceState &)> &visit);

/// Keeps recomputed values while they fit, the most cost for a byte first, late
/// ones first among equal.
void fillUp(const ChoiceGraph &graph, ChoiceState &state, int64_t bytes);

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_SAVEDFRONTIER_H
