//===- Table.cpp - Dynamic programming with a full table ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// F_i(j) = max over the options o of group i with w_o <= j (and doing nothing)
//          of F_{i-1}(j - w_o) + p_o
//
// One row of values is kept, and for every group and column the number of the
// option taken, packed into as many bits as the group needs.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

namespace memopt::knapsack {

namespace {

/// Decisions of all groups, `bits` of them side by side for each column.
class DecisionTable {
public:
  DecisionTable(Meter &meter) : words(meter) {}

  bool reserve(Int128 bits) {
    return bits <= Int128(SIZE_MAX) && words.assign(size_t(bits / 64) + 1, 0);
  }
  void write(size_t at, unsigned bits, uint32_t value) {
    for (unsigned b = 0; b < bits; ++b, ++at)
      words[at / 64] |= uint64_t(value >> b & 1) << at % 64;
  }
  uint32_t read(size_t at, unsigned bits) const {
    uint32_t value = 0;
    for (unsigned b = 0; b < bits; ++b, ++at)
      value |= uint32_t(words[at / 64] >> at % 64 & 1) << b;
    return value;
  }

private:
  Buffer<uint64_t> words;
};

template <class P> class TableSolver {
public:
  TableSolver(const Reduced<P> &in, Meter &meter, Watch &watch)
      : in(in), watch(watch), columns(rowExtent(in).weight + 1), groups(meter),
        shifts(meter), row(meter), table(meter) {}

  bool run(Counts &best) {
    if (!allocate() || !best.taken.assign(in.options.size(), 0))
      return watch.outOfMemory();
    size_t at = 0;
    for (RowGroup group : groups) {
      if (watch.expired())
        return false;
      if (!rowShifts(in, group, columns - 1, shifts))
        return watch.outOfMemory();
      fill(at, bitsOf(group));
      at += size_t(columns) * bitsOf(group);
    }
    walkBack(at, best);
    return true;
  }

private:
  /// Enough bits for the options and for doing nothing.
  unsigned bitsOf(RowGroup group) const {
    return 32 - __builtin_clz(in.optionCount(group.kind));
  }

  bool allocate() {
    if (!rowGroups(in, groups))
      return false;
    Int128 bits = 0;
    for (RowGroup group : groups)
      bits += Int128(columns) * bitsOf(group);
    return table.reserve(bits) && row.assign(size_t(columns), 0);
  }

  void fill(size_t at, unsigned bits) {
    for (int64_t j = columns - 1; j >= 0; --j) {
      uint32_t taken = 0;
      for (uint32_t s = 0; s < shifts.size() && shifts[s].weight <= j; ++s) {
        P other = row[j - shifts[s].weight] + shifts[s].profit;
        if (other > row[j]) {
          row[j] = other;
          taken = s + 1;
        }
      }
      if (taken)
        table.write(at + size_t(j) * bits, bits, taken);
    }
  }

  void walkBack(size_t at, Counts &best) {
    int64_t j = columns - 1;
    for (size_t g = groups.size(); g-- > 0;) {
      unsigned bits = bitsOf(groups[g]);
      at -= size_t(columns) * bits;
      uint32_t taken = table.read(at + size_t(j) * bits, bits);
      if (!taken)
        continue;
      uint32_t kind = groups[g].kind;
      best.taken[in.kinds[kind].firstOption + taken - 1] += groups[g].copies;
      j -= in.option(kind, taken).weight * groups[g].copies;
    }
  }

  const Reduced<P> &in;
  Watch &watch;
  int64_t columns;
  Buffer<RowGroup> groups;
  Buffer<Shift<P>> shifts;
  Buffer<P> row;
  DecisionTable table;
};

} // namespace

template <class P>
bool solveTable(const Reduced<P> &reduced, Meter &meter, Watch &watch,
                Counts &best) {
  return TableSolver<P>(reduced, meter, watch).run(best);
}

template bool solveTable(const Reduced<int64_t> &, Meter &, Watch &, Counts &);
template bool solveTable(const Reduced<Int128> &, Meter &, Watch &, Counts &);

} // namespace memopt::knapsack
