//===- CertifyImpl.h - What the parts of certify share ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here is used by a solver, and nothing of a solver is used here: only
// counted memory, the watch, and plain integers. Profits are value K + key with
// K one more than the sum of the largest keys, see docs/knapsack.md.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_CERTIFYIMPL_H
#define MEMOPT_LIB_KNAPSACK_CERTIFYIMPL_H

#include "MemOpt/Knapsack/Certify.h"
#include "Memory.h"
#include "Watch.h"

namespace memopt::knapsack::proof {

__extension__ typedef __int128 Wide;

/// A multiplier profit / weight with weight > 0.
struct Price {
  int64_t profit = 0, weight = 1;
};

/// A change of one decision against the best choice at a price.
struct Deviation {
  int64_t weight, profit;
};

/// Up to `copies` equal decisions that may deviate, each in one of several
/// ways.
struct Freedom {
  uint32_t first, count; ///< Into Margin::deviations.
  uint32_t copies;
};

/// What is left to refute at a price: any better choice is the best choice at
/// the price plus deviations whose weights sum to at most `slack` and whose
/// profits sum to at least `need`.
struct Margin {
  explicit Margin(Meter &meter) : deviations(meter), freedoms(meter) {}
  Buffer<Deviation> deviations;
  Buffer<Freedom> freedoms;
  Wide slack = 0; ///< Negative: the best choice at the price is too heavy.
  Wide need = 0;
  bool closed = false; ///< The bound at the price refutes it already.
};

/// A problem as one profit per state.
class Instance {
public:
  Instance(const Problem &problem, bool useKeys);
  size_t size() const { return problem.size(); }
  uint32_t alternatives(size_t i) const { return problem.alternatives(i); }
  int64_t capacity() const { return problem.capacity; }
  Deviation alternative(size_t i, uint32_t a) const {
    State s = problem.alternative(i, a);
    return {s.weight, int64_t(s.value * span + (useKeys ? s.key : 0))};
  }
  int64_t profit(const Totals &totals) const {
    return int64_t(totals.value * span + (useKeys ? totals.key : 0));
  }
  /// Whether all sums of profits fit into 64 bits.
  bool fits() const { return fitting; }
  bool isMultipleChoice() const { return problem.isMultipleChoice(); }

private:
  const Problem &problem;
  bool useKeys, fitting;
  Wide span;
};

/// A price at which the best choice weighs about the capacity.
Price findPrice(const Instance &in);

/// What a profit above `z` would take at a price. False where memory ran out.
bool findMargin(const Instance &in, Price price, int64_t z, Margin &out);

/// Whether bounds by the number of items taken rule out a profit above `z`; for
/// the 0/1 form.
bool closedByCardinality(const Instance &in, int64_t z);

/// Enumerates what is left of a margin.
Verdict enumerate(const Margin &margin, Meter &meter, Watch &watch);

} // namespace memopt::knapsack::proof

#endif // MEMOPT_LIB_KNAPSACK_CERTIFYIMPL_H
