//===- RowKernelsTest.cpp - The row kernels of every instruction set ------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowKernels.h"
#include "RandomProblem.h"

#include <gtest/gtest.h>

using namespace memopt::knapsack;

namespace {

/// The definition, one column at a time.
template <class V>
void relaxPlainly(std::vector<V> &row, int64_t top,
                  const std::vector<Shift<V>> &shifts) {
  for (int64_t j = top; j >= 0; --j)
    for (const Shift<V> &s : shifts)
      if (s.weight <= j)
        row[j] = std::max<V>(row[j], row[j - s.weight] + s.profit);
}

/// Weights below, at and above the length of a vector; rows that end anywhere.
template <class V> void expectSame(VectorSet set) {
  if (!isAvailable(set))
    GTEST_SKIP() << "this machine does not have the instructions";
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    int64_t top = random.upTo(i % 2 ? 40 : 400);
    std::vector<V> row(size_t(top) + 1), expected;
    for (V &x : row)
      x = V(random.upTo(1000));
    std::vector<Shift<V>> shifts;
    int64_t weight = 0;
    for (int64_t s = random.upTo(4); s >= 0; --s) {
      weight += random.upTo(i % 3 ? 5 : 60) + 1;
      shifts.push_back({weight, V(random.upTo(500))});
    }
    expected = row;
    relaxPlainly(expected, top, shifts);
    relaxWith(set, row.data(), top, shifts.data(), shifts.size());
    ASSERT_EQ(row, expected);
  }
}

TEST(RowKernels, Baseline32) { expectSame<int32_t>(VectorSet::Baseline); }
TEST(RowKernels, Baseline64) { expectSame<int64_t>(VectorSet::Baseline); }
TEST(RowKernels, Avx2With32) { expectSame<int32_t>(VectorSet::Avx2); }
TEST(RowKernels, Avx2With64) { expectSame<int64_t>(VectorSet::Avx2); }
TEST(RowKernels, Avx512With32) { expectSame<int32_t>(VectorSet::Avx512); }
TEST(RowKernels, Avx512With64) { expectSame<int64_t>(VectorSet::Avx512); }

} // namespace
