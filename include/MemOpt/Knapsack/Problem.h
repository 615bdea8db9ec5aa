//===- Problem.h - The knapsack problem, without IR -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A knapsack problem in either of two forms:
//
//   0/1              maximize    sum v_i x_i
//                    subject to  sum w_i x_i <= C,  x_i in {0, 1}
//   multiple choice  exactly one state of each class is chosen;
//                    the sums run over the chosen states
//
// Weights are bytes (or any other integer unit) and are never rounded.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_KNAPSACK_PROBLEM_H
#define MEMOPT_KNAPSACK_PROBLEM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memopt::knapsack {

/// An item of the 0/1 form, or a state of a class of the multiple-choice form.
struct State {
  int64_t value = 0;  ///< What taking it is worth; >= 0.
  int64_t weight = 0; ///< What taking it costs of the capacity; >= 0.
  /// Breaks ties: among choices of the largest value, the one with the largest
  /// sum of keys is taken; >= 0. All zero means that no tie is broken by key.
  int64_t key = 0;
};

/// A problem of either form. Item and class numbers count from 0.
struct Problem {
  int64_t capacity = 0;
  /// The items, or the states of all classes one after the other.
  std::vector<State> states;
  /// Multiple choice: class c owns states [classStart[c], classStart[c + 1]),
  /// so there is one entry more than there are classes. Empty: the 0/1 form.
  std::vector<uint32_t> classStart;

  bool isMultipleChoice() const { return !classStart.empty(); }

  /// The number of decisions: items, or classes.
  size_t size() const {
    return isMultipleChoice() ? classStart.size() - 1 : states.size();
  }

  /// The number of alternatives of decision `i`: 2 in the 0/1 form, where
  /// alternative 0 leaves item i out and alternative 1 takes it.
  uint32_t alternatives(size_t i) const {
    return isMultipleChoice() ? classStart[i + 1] - classStart[i] : 2;
  }

  /// Alternative `a` of decision `i`.
  State alternative(size_t i, uint32_t a) const {
    if (isMultipleChoice())
      return states[classStart[i] + a];
    return a ? states[i] : State{};
  }
};

/// One alternative for each decision: in the 0/1 form 1 for an item that is
/// taken and 0 otherwise, in the multiple-choice form a state's number within
/// its class.
using Choice = std::vector<int32_t>;

/// Sums over a choice.
struct Totals {
  int64_t value = 0;
  int64_t weight = 0;
  int64_t key = 0;
};

/// The state that `check` complains about, where it is one.
struct Defect {
  bool known = false;
  size_t state = 0; ///< Into Problem::states.
};

/// Says what is wrong with a problem, or returns an empty string: a negative
/// number, a class without states, class bounds that do not cover the states,
/// more than 2^31 - 1 states, or a sum of values, weights or keys (the largest
/// of each class) that does not fit into 64 bits. The message names the item or
/// the class and state at which the sum no longer fits.
std::string check(const Problem &problem, Defect *defect = nullptr);

/// Recomputes weight, value and key of a choice from scratch. Says what is
/// wrong with it (wrong length, no such state, heavier than the capacity), or
/// returns an empty string and sets `totals`. The problem must pass `check`.
std::string verify(const Problem &problem, const Choice &choice,
                   Totals &totals);

} // namespace memopt::knapsack

#endif // MEMOPT_KNAPSACK_PROBLEM_H
