//===- Core.h - Deviations that an improvement may need ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For any multiplier l between Break::up and Break::down, a choice that
// deviates from the base choice by d = (weight, profit) in one decision is
// worth at most
//
//   profit + d.profit + l (slack - d.weight);
//
// the smallest of these is at `up` where slack >= d.weight and at `down`
// otherwise (Dembo and Hammer, Methods of Operations Research 36, 1980).
// Deviations whose bound does not exceed the incumbent are left out. What is
// left is the core.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_CORE_H
#define MEMOPT_LIB_KNAPSACK_CORE_H

#include "Break.h"

namespace memopt::knapsack {

/// A move of a group away from the base choice; both signs occur.
template <class P> struct Delta {
  int64_t weight; ///< In units of Core::unit.
  P profit;
  uint32_t to; ///< The option moved to.
};

/// `copies` members of a kind that stand at option `from` and move together.
struct Group {
  uint32_t firstDelta;
  uint32_t kind, from, copies;
};

template <class P> struct Core {
  explicit Core(Meter &meter)
      : groups(meter), deltas(meter), values(meter), keys(meter) {}

  Buffer<Group> groups;    ///< One more than there are groups.
  Buffer<Delta<P>> deltas; ///< By group.
  Buffer<P> values;        ///< Parallel to the deltas where there are keys.
  Buffer<double> keys;
  int64_t slack = 0;  ///< In units of `unit`.
  int64_t unit = 1;   ///< gcd of the deltas' weights.
  Rate<P> up, down;   ///< Of the break, per unit.
  bool single = true; ///< Every group has one delta.
  Int128 keySpan = 1; ///< K of Profit.h.
  P profitUnit = 1;   ///< The unit of the profits.

  size_t groupCount() const { return groups.size() - 1; }
  const Delta<P> *begin(size_t g) const {
    return &deltas[groups[g].firstDelta];
  }
  const Delta<P> *end(size_t g) const {
    return deltas.begin() + groups[g + 1].firstDelta;
  }

  /// The value in a delta's profit, where profit = value K + key with
  /// |key| <= K / 2. In units of 1 where there are keys, of the profits
  /// otherwise.
  P valueOf(const Delta<P> &d) const {
    return keySpan == 1 ? d.profit : values[&d - deltas.begin()];
  }
  /// |key|, in the profits' unit.
  double keyOf(const Delta<P> &d) const {
    return keySpan == 1 ? 0 : keys[&d - deltas.begin()];
  }
  /// K in the profits' unit where there are keys.
  double keyScale() const {
    return keySpan == 1 ? 1 : double(keySpan) / double(profitUnit);
  }

  /// Whether a choice with this deviation may gain more than `z` over the base
  /// choice.
  bool improves(int64_t weight, P profit, P z) const {
    int64_t rest = slack - weight;
    Int128 need = Int128(z) + 1 - profit;
    if (rest < 0)
      return down.exists() && gains(rest, down, need);
    return up.exists() ? gains(rest, up, need) : need <= 0;
  }
};

/// Collects what may gain more than `z` over the base choice. False where
/// memory ran out.
template <class P>
bool buildCore(const Reduced<P> &in, const Break<P> &lp, P z, Core<P> &out);

/// An upper bound on what a single-delta core may gain over the base choice, by
/// a Lagrangian on the number of items: with at most k items,
///
///   max sum p x  <=  min over m >= 0 of  m k + max sum (p - m) x,
///
/// and likewise with m < 0 for at least k items. Or `z` where no gain above it
/// is possible.
bool cardinalityBound(const Core<int64_t> &core, int64_t z, Meter &meter,
                      Int128 &bound);

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_CORE_H
