//===- Exhaustive.cpp - Every combination ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on the original problem and shares nothing with the other solvers, so
// that the tests can compare them with it.
//
//===----------------------------------------------------------------------===//

#include "Profit.h"
#include "Solvers.h"

#include <algorithm>
#include <numeric>

namespace memopt::knapsack {

namespace {

constexpr Int128 kMostCombinations = Int128(1) << 30;

class Exhaustive {
public:
  Exhaustive(const Problem &p, Watch &watch, Choice &best)
      : p(p), watch(watch), best(best), choice(p.size(), 0) {}

  bool run() {
    Int128 combinations = 1;
    for (size_t i = 0; i < p.size() && combinations <= kMostCombinations; ++i)
      combinations *= p.alternatives(i);
    if (combinations > kMostCombinations) {
      watch.set(Stop::TooLarge);
      return false;
    }
    return visit(0, {0, 0, 0});
  }

private:
  /// Decisions before `i` are made and sum to `sum`.
  bool visit(size_t i, State sum) {
    if (i == p.size()) {
      leaf(sum);
      return ++leaves % 65536 || !watch.expired();
    }
    for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a) {
      State s = p.alternative(i, a);
      if (sum.weight + s.weight > p.capacity)
        continue;
      choice[i] = int32_t(a);
      if (!visit(i + 1,
                 {sum.value + s.value, sum.weight + s.weight, sum.key + s.key}))
        return false;
    }
    return true;
  }

  void leaf(const State &sum) {
    if (found &&
        (sum.value != top.value ? sum.value < top.value : sum.key <= top.key))
      return;
    found = true;
    top = sum;
    best = choice;
  }

  const Problem &p;
  Watch &watch;
  Choice &best;
  Choice choice;
  State top;
  bool found = false;
  uint64_t leaves = 0;
};

/// Orders decisions by their alternatives; 0 for equal ones.
int compareDecisions(const Problem &p, size_t i, size_t j) {
  uint32_t n = p.alternatives(i), m = p.alternatives(j);
  if (n != m)
    return n < m ? -1 : 1;
  for (uint32_t a = 0; a < n; ++a) {
    State s = p.alternative(i, a), t = p.alternative(j, a);
    if (s.weight != t.weight)
      return s.weight < t.weight ? -1 : 1;
    if (s.value != t.value)
      return s.value < t.value ? -1 : 1;
    if (s.key != t.key)
      return s.key < t.key ? -1 : 1;
  }
  return 0;
}

} // namespace

bool solveExhaustive(const Problem &problem, PositionOrder order, Watch &watch,
                     Choice &choice) {
  if (!Exhaustive(problem, watch, choice).run())
    return false;
  settle(problem, order, choice);
  return true;
}

void settle(const Problem &problem, PositionOrder order, Choice &choice) {
  std::vector<size_t> by(problem.size());
  std::iota(by.begin(), by.end(), size_t(0));
  std::sort(by.begin(), by.end(), [&](size_t i, size_t j) {
    int c = compareDecisions(problem, i, j);
    if (c)
      return c < 0;
    return order == PositionOrder::EarlierFirst ? i < j : i > j;
  });
  std::vector<int32_t> run;
  for (size_t begin = 0, end; begin < by.size(); begin = end) {
    run.clear();
    for (end = begin;
         end < by.size() && !compareDecisions(problem, by[begin], by[end]);
         ++end)
      run.push_back(choice[by[end]]);
    std::sort(run.begin(), run.end(), [&](int32_t a, int32_t b) {
      int64_t v = problem.alternative(by[begin], a).weight;
      int64_t w = problem.alternative(by[begin], b).weight;
      return v != w ? v > w : a > b;
    });
    for (size_t i = begin; i < end; ++i)
      choice[by[i]] = run[i - begin];
  }
}

} // namespace memopt::knapsack
