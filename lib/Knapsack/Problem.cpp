//===- Problem.cpp - Checking problems and answers ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Problem.h"

#include <algorithm>

namespace memopt::knapsack {

namespace {

std::string itemName(const Problem &p, size_t i, size_t state) {
  if (!p.isMultipleChoice())
    return "item " + std::to_string(i);
  return "class " + std::to_string(i) + ", state " + std::to_string(state);
}

std::string checkClasses(const Problem &p) {
  const std::vector<uint32_t> &start = p.classStart;
  if (start.front() != 0 || start.back() != p.states.size())
    return "the class bounds do not cover the states";
  for (size_t c = 0; c + 1 < start.size(); ++c)
    if (start[c] >= start[c + 1])
      return "class " + std::to_string(c) + " has no states";
  return "";
}

struct Field {
  const char *name;
  int64_t State::*member;
};
constexpr Field kFields[] = {
    {"value", &State::value}, {"weight", &State::weight}, {"key", &State::key}};

/// Adds the largest `field` of each class; names the state where the sum
/// passes 2^63 - 1.
std::string checkSum(const Problem &p, const Field &field, Defect &defect) {
  int64_t sum = 0;
  for (size_t i = 0, n = p.size(); i < n; ++i) {
    size_t begin = p.isMultipleChoice() ? p.classStart[i] : i;
    size_t end = p.isMultipleChoice() ? p.classStart[i + 1] : i + 1;
    size_t top = begin;
    for (size_t s = begin; s < end; ++s) {
      int64_t x = p.states[s].*field.member;
      defect.state = s;
      if (x < 0)
        return itemName(p, i, s - begin) + ": the " + field.name +
               " is negative (" + std::to_string(x) + ")";
      if (x > p.states[top].*field.member)
        top = s;
    }
    defect.state = top;
    if (__builtin_add_overflow(sum, p.states[top].*field.member, &sum))
      return itemName(p, i, top - begin) + ": the sum of " + field.name +
             "s up to here does not fit into 64 bits";
  }
  return "";
}

} // namespace

std::string check(const Problem &problem, Defect *defect) {
  if (problem.capacity < 0)
    return "the capacity is negative (" + std::to_string(problem.capacity) +
           ")";
  if (problem.states.size() > INT32_MAX)
    return "more than 2^31 - 1 states";
  if (problem.isMultipleChoice())
    if (std::string error = checkClasses(problem); !error.empty())
      return error;
  for (const Field &field : kFields) {
    Defect at{true, 0};
    std::string error = checkSum(problem, field, at);
    if (error.empty())
      continue;
    if (defect)
      *defect = at;
    return error;
  }
  return "";
}

std::string verify(const Problem &problem, const Choice &choice,
                   Totals &totals) {
  if (choice.size() != problem.size())
    return "the choice has " + std::to_string(choice.size()) + " entries for " +
           std::to_string(problem.size()) +
           (problem.isMultipleChoice() ? " classes" : " items");
  Totals sum;
  for (size_t i = 0; i < choice.size(); ++i) {
    if (choice[i] < 0 || uint32_t(choice[i]) >= problem.alternatives(i))
      return std::string(problem.isMultipleChoice() ? "class " : "item ") +
             std::to_string(i) + ": no alternative " +
             std::to_string(choice[i]);
    State s = problem.alternative(i, choice[i]);
    sum.value += s.value;
    sum.weight += s.weight;
    sum.key += s.key;
  }
  if (sum.weight > problem.capacity)
    return "the weight " + std::to_string(sum.weight) +
           " exceeds the capacity " + std::to_string(problem.capacity);
  totals = sum;
  return "";
}

} // namespace memopt::knapsack
