//===- Hirschberg.cpp - Rows with divide and conquer ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With F_A(j) the best profit of the groups A within weight j and A = L u R,
//
//   F_A(c) = max over 0 <= j <= c of F_L(j) + F_R(c - j).
//
// Two rows give the best j; the halves are then solved with capacities j and
// c - j, whose rows together are no longer than the first ones. So the work is
// at most twice that of one sweep, and the memory two rows for any number of
// groups.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

namespace memopt::knapsack {

namespace {

template <class P, class V> class HirschbergSolver {
public:
  HirschbergSolver(const Reduced<P> &in, Meter &meter, Watch &watch)
      : in(in), watch(watch), groups(meter), shifts(meter), left(meter),
        right(meter) {}

  bool run(Counts &best) {
    size_t columns = size_t(rowExtent(in).weight) + 1;
    if (!rowGroups(in, groups) || !best.taken.assign(in.options.size(), 0) ||
        !left.resize(columns) || !right.resize(columns))
      return watch.outOfMemory();
    return solve(0, groups.size(), int64_t(columns) - 1, best);
  }

private:
  /// Solves groups [begin, end) within `capacity`.
  bool solve(size_t begin, size_t end, int64_t capacity, Counts &best) {
    if (end - begin <= 1 || fitsWhole(begin, end, capacity)) {
      for (size_t g = begin; g < end; ++g)
        takeLargest(groups[g], capacity, best);
      return true;
    }
    size_t middle = begin + (end - begin) / 2;
    int64_t topLeft, topRight;
    if (!sweep(left, begin, middle, capacity, topLeft) ||
        !sweep(right, middle, end, capacity, topRight))
      return false;
    int64_t at = split(capacity, topLeft, topRight);
    return solve(begin, middle, at, best) &&
           solve(middle, end, capacity - at, best);
  }

  bool fitsWhole(size_t begin, size_t end, int64_t capacity) const {
    for (size_t g = begin; g < end && capacity >= 0; ++g)
      capacity -= heaviest(groups[g]);
    return capacity >= 0;
  }

  int64_t heaviest(RowGroup group) const {
    return in.option(group.kind, in.optionCount(group.kind)).weight *
           group.copies;
  }

  /// Options rise in weight and profit, so the heaviest that fits is the best.
  void takeLargest(RowGroup group, int64_t capacity, Counts &best) {
    for (uint32_t j = in.optionCount(group.kind); j; --j)
      if (in.option(group.kind, j).weight <= capacity / group.copies) {
        best.taken[in.kinds[group.kind].firstOption + j - 1] += group.copies;
        return;
      }
  }

  /// Computes F of groups [begin, end) in row[0 .. top]; beyond top, the weight
  /// of everything, F does not change.
  bool sweep(Buffer<V> &row, size_t begin, size_t end, int64_t capacity,
             int64_t &top) {
    top = 0;
    row[0] = 0;
    for (size_t g = begin; g < end; ++g) {
      if (watch.expired())
        return false;
      if (!rowShifts(in, groups[g], capacity, shifts))
        return watch.outOfMemory();
      if (shifts.empty())
        continue;
      int64_t grown = std::min(capacity, top + shifts.back().weight);
      std::fill(row.begin() + top + 1, row.begin() + grown + 1, row[top]);
      top = grown;
      relax(row.data(), top, shifts.data(), shifts.size());
    }
    return true;
  }

  /// The smallest best j. Beyond topLeft the left half gains nothing more.
  int64_t split(int64_t capacity, int64_t topLeft, int64_t topRight) const {
    int64_t at = 0;
    V best = -1;
    for (int64_t j = 0; j <= topLeft; ++j) {
      V both = left[j] + right[std::min(capacity - j, topRight)];
      if (both > best) {
        best = both;
        at = j;
      }
    }
    return at;
  }

  const Reduced<P> &in;
  Watch &watch;
  Buffer<RowGroup> groups;
  Buffer<Shift<V>> shifts;
  Buffer<V> left, right;
};

/// Whether 32 bits hold every profit, which halves the rows.
bool fitsHalf(const Reduced<int64_t> &in) {
  return rowExtent(in).profit <= INT32_MAX;
}

} // namespace

template <> Int128 rowBytes(const Reduced<int64_t> &in) {
  return (Int128(rowExtent(in).weight) + 1) * (fitsHalf(in) ? 4 : 8);
}
template <> Int128 rowBytes(const Reduced<Int128> &in) {
  return (Int128(rowExtent(in).weight) + 1) * 16;
}

template <>
bool solveHirschberg(const Reduced<int64_t> &in, Meter &meter, Watch &watch,
                     Counts &best) {
  if (fitsHalf(in))
    return HirschbergSolver<int64_t, int32_t>(in, meter, watch).run(best);
  return HirschbergSolver<int64_t, int64_t>(in, meter, watch).run(best);
}

template <>
bool solveHirschberg(const Reduced<Int128> &in, Meter &meter, Watch &watch,
                     Counts &best) {
  return HirschbergSolver<Int128, Int128>(in, meter, watch).run(best);
}

} // namespace memopt::knapsack
