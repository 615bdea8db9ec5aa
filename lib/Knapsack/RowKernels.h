//===- RowKernels.h - The inner loop of the dense rows ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_ROWKERNELS_H
#define MEMOPT_LIB_KNAPSACK_ROWKERNELS_H

#include "Profit.h"

#include <cstddef>

namespace memopt::knapsack {

/// An option as the rows see it: move by `weight` columns, gain `profit`.
template <class V> struct Shift {
  int64_t weight;
  V profit;
};

/// One decision with `count` options besides doing nothing, in place:
///
///   row[j] = max(row[j], max over shifts with weight <= j of
///                        row[j - weight] + profit),   j = top, top - 1, ..., 0
///
/// The right-hand sides are the old values, since every weight is >= 1 and j
/// falls. `shifts` stand by rising weight. The vectors are as wide as the
/// machine that runs this allows.
void relax(int32_t *row, int64_t top, const Shift<int32_t> *shifts,
           size_t count);
void relax(int64_t *row, int64_t top, const Shift<int64_t> *shifts,
           size_t count);
void relax(Int128 *row, int64_t top, const Shift<Int128> *shifts, size_t count);

/// The instruction sets that the kernels are compiled for.
enum class VectorSet { Baseline, Avx2, Avx512 };

/// Whether this machine has them.
bool isAvailable(VectorSet set);

/// `relax` with a set that is available, for tests.
void relaxWith(VectorSet set, int32_t *row, int64_t top,
               const Shift<int32_t> *shifts, size_t count);
void relaxWith(VectorSet set, int64_t *row, int64_t top,
               const Shift<int64_t> *shifts, size_t count);

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_ROWKERNELS_H
