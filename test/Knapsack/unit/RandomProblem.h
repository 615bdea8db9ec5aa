//===- RandomProblem.h - Small random problems of both forms ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_KNAPSACK_RANDOMPROBLEM_H
#define MEMOPT_TEST_KNAPSACK_RANDOMPROBLEM_H

#include "MemOpt/Knapsack/Problem.h"

namespace memopt::knapsack {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same numbers with every
/// standard library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  /// A number from 0 to `top`.
  int64_t upTo(int64_t top) { return int64_t(next() % (uint64_t(top) + 1)); }
  bool oneIn(int64_t n) { return upTo(n - 1) == 0; }

private:
  uint64_t state;
};

/// Up to 12 items. Covers zero weights and values, ties, equal items, keys of
/// all sizes, capacity 0, a single item, all fitting, none fitting, and sums
/// near 2^62.
Problem randomItems(Random &random);

/// Up to 8 classes of up to 4 states, likewise; some have no choice that fits.
Problem randomClasses(Random &random);

/// 50 to 300 items or classes whose rows are short, of every correlation
/// between value and weight, with and without keys: long enough for beams,
/// completions, replays and the cardinality bound.
Problem randomLarge(Random &random);

/// The floor of capacity / gcd of the weights: how long a row is.
int64_t rowLength(const Problem &problem);

} // namespace memopt::knapsack

#endif // MEMOPT_TEST_KNAPSACK_RANDOMPROBLEM_H
