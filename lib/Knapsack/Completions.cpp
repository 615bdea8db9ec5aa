//===- Completions.cpp - Ending a sweep early -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attempts that long lists are worth: completing every state at once by the
// best move still to come; a few times by the best sum of the groups still to
// come, kept in a beam of their own (meeting in the middle, Horowitz and Sahni,
// Journal of the ACM 21(2), 1974); and a bound by the number of items. The
// first two find the optimum early, the last one proves it early.
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

namespace memopt::knapsack {

/// Bounds the gain by the number of items, once.
template <class P> bool Sweep<P>::tryCardinality() {
  constexpr size_t kLong = 4000, kLongInBeam = 400;
  if constexpr (sizeof(P) == sizeof(int64_t)) {
    size_t longEnough = list.wasCut() ? kLongInBeam : kLong;
    if (triedCardinality || !core.single || list.merged().size() < longEnough)
      return true;
    triedCardinality = true;
    Int128 bound;
    if (!cardinalityBound(core, z, meter, bound))
      return false;
    upper = std::min(upper, std::max(bound, Int128(z)));
  }
  return true;
}

/// All moves by one group still to come and, for `pairs`, by two of the nearest
/// ones; by rising weight, each replaced by the most profitable one up to it.
template <class P>
bool Sweep<P>::collectMoves(bool pairs, Buffer<Move> &moves) const {
  constexpr size_t kNear = 64;
  Buffer<uint32_t> open(meter);
  auto collect = [&](const Buffer<uint32_t> &side, size_t from) {
    size_t found = 0;
    for (size_t i = from; i < side.size(); ++i) {
      if (list.isDone(side[i]))
        continue;
      const Delta<P> &d = *core.begin(side[i]);
      if (!moves.push({d.weight, d.profit, side[i], kNone}) ||
          (found++ < kNear && !open.push(side[i])))
        return false;
    }
    return true;
  };
  if (!collect(order.ups, list.atUp) || !collect(order.downs, list.atDown))
    return false;
  for (size_t i = 0; pairs && i < open.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Delta<P> &c = *core.begin(open[i]), &d = *core.begin(open[j]);
      if (!moves.push(
              {c.weight + d.weight, c.profit + d.profit, open[i], open[j]}))
        return false;
    }
  std::sort(moves.begin(), moves.end(), [](const Move &a, const Move &b) {
    if (a.weight != b.weight)
      return a.weight < b.weight;
    if (a.profit != b.profit)
      return a.profit > b.profit;
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  for (size_t i = 1; i < moves.size(); ++i)
    if (moves[i - 1].profit >= moves[i].profit) {
      int64_t weight = moves[i].weight;
      moves[i] = moves[i - 1];
      moves[i].weight = weight;
    }
  return true;
}

/// Completes each merged state by the best move still to come. Now and then,
/// since it costs as much as a step; wide beams try pairs of moves.
template <class P> bool Sweep<P>::tryCompletions() {
  constexpr size_t kFew = 2000, kFewInBeam = 64, kMany = 400000;
  constexpr size_t kPairBeam = 2500;
  const Buffer<ListState<P>> &states = list.merged();
  bool pairs = plan.beam == 0 || plan.beam > kPairBeam;
  size_t least = list.wasCut() ? kFewInBeam : kFew;
  if (!core.single || states.size() < least || states.size() > kMany ||
      z >= upper || list.stepCount() % (pairs ? 8 : 2) == 0)
    return true;
  Buffer<Move> moves(meter);
  if (!collectMoves(pairs, moves))
    return false;
  // States come by rising weight, so the moves that fit become fewer.
  size_t fitting = moves.size();
  for (const ListState<P> &s : states) {
    while (fitting && moves[fitting - 1].weight > core.slack - s.weight)
      --fitting;
    if (!fitting)
      break;
    const Move &move = moves[fitting - 1];
    if (s.profit + move.profit <= z)
      continue;
    z = s.profit + move.profit;
    best = {true, s, list.stepCount(), {move.first, move.second}, false};
  }
  return true;
}

/// A few times after half of the groups: completes each state by the best sum
/// of the other groups. Late in the sweep those are multiples of a large G, and
/// the states that the beam ranks first leave a slack that is one, too.
template <class P> bool Sweep<P>::tryPartners() {
  constexpr size_t kFew = 64, kJoins = 4, kEighths = 8;
  if (joins == kJoins || list.states().size() < kFew || z >= upper ||
      list.stepCount() * kEighths < core.groupCount() * (kJoins + joins))
    return true;
  ++joins;
  constexpr size_t kWidest = 60000;
  StateList<P> partners(core, order, meter, plan.beam ? plan.beam : kWidest,
                        false);
  return makePartners(partners) && joinPartners(partners);
}

/// Processes the groups that `list` has not.
template <class P> bool Sweep<P>::makePartners(StateList<P> &partners) {
  if (!partners.begin(z))
    return false;
  size_t longest = std::max(order.ups.size(), order.downs.size());
  for (size_t i = 0; i < longest; ++i)
    for (bool up : {false, true}) {
      const Buffer<uint32_t> &side = up ? order.ups : order.downs;
      if (i >= side.size() || list.isDone(side[i]) ||
          !partners.isOpen(side[i], up, z))
        continue;
      if (watch.expired() || partners.states().empty())
        return true;
      // A record is the partner of the empty sum, which joinPartners looks at.
      P unused = z;
      ListState<P> *record;
      partners.skipClosed(z);
      if (!partners.advance(side[i], unused, record) || !partners.commit())
        return false;
    }
  return true;
}

/// Takes the best pair of states that fits together. Profits rise with weights,
/// so the heaviest partner that fits is the best.
template <class P> bool Sweep<P>::joinPartners(StateList<P> &partners) {
  const Buffer<ListState<P>> &others = partners.states();
  size_t fitting = others.size();
  P reached = z;
  ListState<P> state{}, partner{};
  for (const ListState<P> &s : list.states()) {
    while (fitting && others[fitting - 1].weight > core.slack - s.weight)
      --fitting;
    if (!fitting)
      break;
    if (s.profit + others[fitting - 1].profit <= reached)
      continue;
    state = s;
    partner = others[fitting - 1];
    reached = state.profit + partner.profit;
  }
  if (reached == z)
    return true;
  // The partner's decisions are noted now, since its list is not kept.
  Buffer<uint32_t> picks(meter);
  if (!picks.assign(core.groupCount(), 0) ||
      !partners.recover(partner, partners.stepCount(), watch, picks))
    return false;
  z = reached;
  best = {true, state, list.stepCount(), {kNone, kNone}, true};
  partnerPicks.swap(picks);
  return true;
}

#define INSTANTIATE(P)                                                         \
  template bool Sweep<P>::tryCardinality();                                    \
  template bool Sweep<P>::tryCompletions();                                    \
  template bool Sweep<P>::tryPartners();
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
