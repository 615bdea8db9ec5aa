//===- Sweep.h - One pass over a core ---------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep processes the groups of a core from the break outwards in a state
// list. With a beam it is a heuristic that also bounds what it dropped; without
// one, or where the beam dropped nothing, it is a proof.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_SWEEP_H
#define MEMOPT_LIB_KNAPSACK_SWEEP_H

#include "StateList.h"

namespace memopt::knapsack {

enum class SweepEnd {
  Proved,    ///< No larger gain exists than the one found.
  Truncated, ///< The beam dropped states.
  Stopped,   ///< By a limit, see Watch.
  Outgrown,  ///< The lists passed `maxBytes`.
};

/// The few groups that keep the gcd of the weights or of the profits small may
/// come first: G or H, and what is pruned by it, are then large for the rest.
enum class FineFirst { None, Weights, Profits };

struct SweepPlan {
  size_t beam = 0; ///< States kept after each step; 0: all.
  FineFirst first = FineFirst::None;
  size_t maxBytes = SIZE_MAX;
};

template <class P> class Sweep {
public:
  Sweep(const Core<P> &core, Meter &meter, Watch &watch, const SweepPlan &plan);

  /// Looks for gains above `z`; none above `upper` exists.
  SweepEnd run(P z, Int128 upper);

  bool improved() const { return best.found; }
  /// The best gain found, or the `z` that `run` was given.
  P gain() const { return z; }
  /// No gain is larger.
  Int128 upperBound() const;

  /// Sets `picks[g]` to 1 + the delta that the best choice takes of group g, or
  /// to 0. False where a limit stopped it.
  bool recover(Buffer<uint32_t> &picks);

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Where the best gain was found: a state after so many steps, and what it
  /// was completed by, the only deltas of up to two more groups or a partner.
  struct Best {
    bool found = false;
    ListState<P> state{};
    size_t steps = 0;
    uint32_t extra[2] = {kNone, kNone};
    bool hasPartner = false;
  };
  /// The only deltas of one or two groups, as one.
  struct Move {
    int64_t weight;
    P profit;
    uint32_t first, second;
  };

  SweepEnd sweep();
  SweepEnd stopped();
  template <class Select> bool addFine(Select select);
  bool chooseFine();
  uint32_t nextGroup();
  bool step(uint32_t group);

  bool tryCardinality();
  bool tryCompletions();
  bool collectMoves(bool pairs, Buffer<Move> &moves) const;
  bool tryPartners();
  bool makePartners(StateList<P> &partners);
  bool joinPartners(StateList<P> &partners);

  const Core<P> &core;
  Meter &meter;
  Watch &watch;
  const SweepPlan plan;

  P start = 0, z = 0;
  Int128 upper = 0;
  Best best;

  CoreOrder order;
  StateList<P> list;
  Buffer<uint32_t> partnerPicks; ///< Of the best partner, as recover() does.
  Buffer<uint32_t> fine;         ///< Groups that come first.
  size_t atFine = 0;
  bool lastWasUp = true;
  bool triedCardinality = false;
  size_t joins = 0;
  double pending = 0; ///< Largest bound left when stopped, less `start`.
};

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_SWEEP_H
