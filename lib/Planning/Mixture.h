//===- Mixture.h - plans mixed from a menu of plans -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The knapsack over what differs between plans.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_MIXTURE_H
#define MEMOPT_LIB_PLANNING_MIXTURE_H

#include "MemOpt/MinCut/ChoiceGraph.h"

namespace memopt {

/// Everything that can be put together from a menu of plans.
///
/// An op's state in a plan is whether it runs again and which of its results
/// are kept. Ops whose state differs over the menu fall into components, joined
/// by operands of which both ends differ. Each component takes its state from
/// any one plan: at an edge with one end that never differs the other end finds
/// the same in every plan, so that every mixture is a plan. Choosing a state
/// for each component within a number of bytes at least cost is a knapsack with
/// multiple choice.
class Mixture {
public:
  Mixture(const ChoiceGraph &graph,
          const std::vector<const ChoicePlan *> &menu);

  /// The cheapest mixture of at most `bytes` bytes, as flags of kept values; of
  /// equal ones that which keeps late values. Empty where none is that small.
  std::vector<char> solve(int64_t bytes) const;

  /// Components with more than one state.
  size_t size() const { return classes.size(); }

private:
  struct State {
    int64_t bytes, cost;
    int plan; // into the menu
  };
  struct Class {
    std::vector<int> ops;
    std::vector<State> states; // falling bytes, rising cost
  };

  std::vector<char> findDiffering() const;
  bool isTied(int value, int reader) const;
  void findHubs(const std::vector<const ChoicePlan *> &menu,
                const std::vector<char> &differs);
  bool isThere(size_t plan, int value) const;
  bool hasAll(size_t plan, int op) const;
  void addClass(std::vector<int> ops);
  void keepResults(int op, int plan, std::vector<char> &kept) const;

  const ChoiceGraph &graph;
  std::vector<std::vector<char>> keptIn, runsIn; // for each plan of the menu
  std::vector<char> hub;                         // flags of ops
  std::vector<Class> classes;
  std::vector<char> fixed; // flags of what never differs
  int64_t fixedBytes = 0;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_MIXTURE_H
