//===- LargeProblem.h - Larger problems, made by formula --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_KNAPSACK_LARGEPROBLEM_H
#define MEMOPT_TEST_KNAPSACK_LARGEPROBLEM_H

#include "RandomProblem.h"

#include <numeric>

namespace memopt::knapsack {

/// `n` items with values and weights from 1 to `top`; half the weight fits.
inline Problem uniformItems(size_t n, int64_t top, uint64_t seed) {
  Random random(seed);
  Problem p;
  for (size_t i = 0; i < n; ++i)
    p.states.push_back({random.upTo(top - 1) + 1, random.upTo(top - 1) + 1, 0});
  for (const State &s : p.states)
    p.capacity += s.weight;
  p.capacity /= 2;
  return p;
}

/// Strongly correlated: value = weight + top / 10.
inline Problem correlatedItems(size_t n, int64_t top, uint64_t seed) {
  Problem p = uniformItems(n, top, seed);
  for (State &s : p.states)
    s.value = s.weight + top / 10;
  return p;
}

/// Values and bytes as a stack of equal transformer layers gives them: few
/// distinct items, many of each.
inline Problem layerItems(size_t n) {
  static const State shapes[] = {
      {int64_t(1) << 37, 64 << 20}, {int64_t(1) << 36, 16 << 20},
      {int64_t(1) << 38, 64 << 20}, {96 << 20, 32 << 10},
      {64 << 20, 32 << 20},         {172 << 20, 172 << 20},
      {3 << 20, 64 << 10},          {48 << 20, 16 << 20}};
  Problem p;
  for (size_t i = 0; i < n; ++i)
    p.states.push_back(shapes[i % 8]);
  for (const State &s : p.states)
    p.capacity += s.weight;
  p.capacity /= 2;
  return p;
}

/// `n` classes of `k` states, heavier ones worth more.
inline Problem classesOf(size_t n, size_t k, int64_t top, uint64_t seed) {
  Random random(seed);
  Problem p;
  p.classStart.push_back(0);
  int64_t most = 0;
  for (size_t c = 0; c < n; ++c) {
    int64_t weight = 0, value = 0;
    for (size_t s = 0; s < k; ++s) {
      p.states.push_back({value, weight, 0});
      weight += random.upTo(top - 1) + 1;
      value += random.upTo(top - 1) + 1;
    }
    most += p.states.back().weight;
    p.classStart.push_back(uint32_t(p.states.size()));
  }
  p.capacity = most / 2;
  return p;
}

} // namespace memopt::knapsack

#endif // MEMOPT_TEST_KNAPSACK_LARGEPROBLEM_H
