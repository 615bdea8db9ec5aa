//===- Rows.h - Dynamic programming on rows over weights --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_ROWS_H
#define MEMOPT_LIB_KNAPSACK_ROWS_H

#include "Reduced.h"
#include "RowKernels.h"

namespace memopt::knapsack {

/// A decision of the rows: one member of a kind with several options, or a
/// chunk of `copies` members of a kind with one option.
struct RowGroup {
  uint32_t kind;
  uint32_t copies;
};

/// Splits every kind into groups. Chunks of 1, 2, 4, ... and a rest make every
/// count from 0 to the number of members.
template <class P>
bool rowGroups(const Reduced<P> &reduced, Buffer<RowGroup> &groups);

/// The group's options that fit into `capacity`, by rising weight; false where
/// memory ran out.
template <class P, class V>
bool rowShifts(const Reduced<P> &reduced, RowGroup group, int64_t capacity,
               Buffer<Shift<V>> &shifts);

/// The largest total weight and profit, so the row that can differ and whether
/// its values fit into 32 bits.
template <class P> struct RowExtent {
  int64_t weight = 0;
  P profit = 0;
};
template <class P> RowExtent<P> rowExtent(const Reduced<P> &reduced);

/// Bytes of one row of `solveHirschberg`.
template <class P> Int128 rowBytes(const Reduced<P> &reduced);

/// Each of these finds an optimal choice. False, and `watch` says why, where
/// they had to stop.
template <class P>
bool solveTable(const Reduced<P> &reduced, Meter &meter, Watch &watch,
                Counts &best);
template <class P>
bool solveHirschberg(const Reduced<P> &reduced, Meter &meter, Watch &watch,
                     Counts &best);

/// The optimal profit at every capacity from 0 to `reduced.capacity`, by one
/// sweep of a row.
template <class P>
bool solveRow(const Reduced<P> &reduced, Watch &watch, Buffer<P> &row);

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_ROWS_H
