//===- Reduced.h - The problem that the solvers work on ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem without what is decided at once: each decision starts at its base,
// the lightest alternative that no other dominates, and only its undominated
// heavier alternatives remain, as options relative to the base:
//
//   maximize  sum of option profits   subject to  sum of option weights <= C',
//   C' = floor((C - base weights) / gcd of the option weights).
//
// Equal decisions form one kind and are solved for counts.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_REDUCED_H
#define MEMOPT_LIB_KNAPSACK_REDUCED_H

#include "Memory.h"
#include "Profit.h"
#include "Watch.h"

namespace memopt::knapsack {

/// An alternative relative to its decision's base, in units of the gcds.
template <class P> struct Option {
  P profit;
  int64_t weight;
};

/// Equal decisions: options [firstOption, next kind's), members likewise.
struct Kind {
  uint32_t firstOption;
  uint32_t firstMember;
};

template <class P> struct Reduced {
  explicit Reduced(Meter &meter)
      : options(meter), kinds(meter), members(meter), alternative(meter) {}

  int64_t capacity = 0; ///< C', in units of `weightUnit`.
  int64_t weightUnit = 1;
  P profitUnit = 1;
  P baseProfit = 0; ///< In units of 1.
  int64_t baseWeight = 0;
  Int128 keySpan = 1; ///< K of Profit.h.
  bool feasible = true;

  /// Each kind's options by rising weight and profit; kinds by falling
  /// profit/weight of their first option.
  Buffer<Option<P>> options;
  Buffer<Kind> kinds;       ///< One more than there are kinds.
  Buffer<uint32_t> members; ///< Decision numbers; rising within a kind.
  /// Multiple choice: which alternative of the decision each option is.
  Buffer<uint32_t> alternative;

  size_t kindCount() const { return kinds.size() - 1; }
  uint32_t optionCount(size_t k) const {
    return kinds[k + 1].firstOption - kinds[k].firstOption;
  }
  uint32_t memberCount(size_t k) const {
    return kinds[k + 1].firstMember - kinds[k].firstMember;
  }
  /// Option `j` of kind `k`, where 0 is the base and 1 the lightest option.
  Option<P> option(size_t k, uint32_t j) const {
    return j ? options[kinds[k].firstOption + j - 1] : Option<P>{0, 0};
  }
  bool singleOptions() const { return options.size() == kindCount(); }
};

/// A choice for a reduced problem: how many members of its kind take each
/// option; the other members stay at their base.
struct Counts {
  explicit Counts(Meter &meter) : taken(meter) {}
  Buffer<uint32_t> taken; ///< Parallel to Reduced::options.
};

/// Whether every sum of profits of `problem` stays below 2^62.
bool profitsAreNarrow(const Problem &problem);

/// Reduces a problem that passes `check`. False where memory ran out.
template <class P>
bool reduce(const Problem &problem, Meter &meter, Watch &watch,
            Reduced<P> &out);

/// Turns counts into a choice for the original problem; members of a kind take
/// the heavier options in `order`.
template <class P>
void expand(const Problem &problem, const Reduced<P> &reduced,
            const Counts &counts, PositionOrder order, Choice &choice);

/// The profit of an answer in units of 1, as value and key.
template <class P> Totals splitProfit(const Reduced<P> &reduced, P scaled) {
  Int128 profit = Int128(scaled) * reduced.profitUnit + reduced.baseProfit;
  return {int64_t(profit / reduced.keySpan), 0,
          int64_t(profit % reduced.keySpan)};
}

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_REDUCED_H
