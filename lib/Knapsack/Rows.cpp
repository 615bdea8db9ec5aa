//===- Rows.cpp - What table and Hirschberg rows share --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

namespace memopt::knapsack {

template <class P>
bool rowGroups(const Reduced<P> &reduced, Buffer<RowGroup> &groups) {
  for (uint32_t k = 0; k < reduced.kindCount(); ++k) {
    bool chunks = reduced.optionCount(k) == 1;
    uint32_t left = reduced.memberCount(k);
    for (uint32_t size = 1; left; size *= chunks ? 2 : 1) {
      uint32_t copies = std::min(size, left);
      if (!groups.push({k, copies}))
        return false;
      left -= copies;
    }
  }
  return true;
}

template <class P, class V>
bool rowShifts(const Reduced<P> &reduced, RowGroup group, int64_t capacity,
               Buffer<Shift<V>> &shifts) {
  shifts.clear();
  for (uint32_t j = 1; j <= reduced.optionCount(group.kind); ++j) {
    Option<P> o = reduced.option(group.kind, j);
    if (o.weight > capacity / group.copies)
      break;
    if (!shifts.push({o.weight * group.copies, V(o.profit * group.copies)}))
      return false;
  }
  return true;
}

template <class P> RowExtent<P> rowExtent(const Reduced<P> &reduced) {
  RowExtent<P> extent;
  for (size_t k = 0; k < reduced.kindCount(); ++k) {
    Option<P> top = reduced.option(k, reduced.optionCount(k));
    extent.weight += top.weight * reduced.memberCount(k);
    extent.profit += top.profit * reduced.memberCount(k);
  }
  extent.weight = std::min(extent.weight, reduced.capacity);
  return extent;
}

template <class P>
bool solveRow(const Reduced<P> &reduced, Watch &watch, Buffer<P> &row) {
  Meter unlimited(SIZE_MAX);
  Buffer<RowGroup> groups(unlimited);
  Buffer<Shift<P>> shifts(unlimited);
  if (!row.assign(size_t(reduced.capacity) + 1, 0) ||
      !rowGroups(reduced, groups))
    return watch.outOfMemory();
  for (RowGroup group : groups) {
    if (watch.expired())
      return false;
    if (!rowShifts(reduced, group, reduced.capacity, shifts))
      return watch.outOfMemory();
    relax(row.data(), reduced.capacity, shifts.data(), shifts.size());
  }
  return true;
}

#define INSTANTIATE(P)                                                         \
  template bool rowGroups(const Reduced<P> &, Buffer<RowGroup> &);             \
  template RowExtent<P> rowExtent(const Reduced<P> &);                         \
  template bool solveRow(const Reduced<P> &, Watch &, Buffer<P> &);
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

template bool rowShifts(const Reduced<int64_t> &, RowGroup, int64_t,
                        Buffer<Shift<int32_t>> &);
template bool rowShifts(const Reduced<int64_t> &, RowGroup, int64_t,
                        Buffer<Shift<int64_t>> &);
template bool rowShifts(const Reduced<Int128> &, RowGroup, int64_t,
                        Buffer<Shift<Int128>> &);

} // namespace memopt::knapsack
