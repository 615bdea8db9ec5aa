//===- Sweep.cpp - One pass over a core -----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"

namespace memopt::knapsack {

template <class P>
Sweep<P>::Sweep(const Core<P> &core, Meter &meter, Watch &watch,
                const SweepPlan &plan)
    : core(core), meter(meter), watch(watch), plan(plan), order(meter),
      list(core, order, meter, plan.beam, plan.first != FineFirst::None),
      partnerPicks(meter), fine(meter) {}

template <class P> SweepEnd Sweep<P>::run(P gain, Int128 limit) {
  start = z = gain;
  upper = limit;
  if (!orderGroups(core, order) || !chooseFine() || !list.begin(z)) {
    watch.outOfMemory();
    pending = 1e300;
    return SweepEnd::Stopped;
  }
  return sweep();
}

template <class P> SweepEnd Sweep<P>::stopped() {
  watch.outOfMemory(); // Unless the watch has another reason already.
  pending = list.largestBound();
  return SweepEnd::Stopped;
}

/// Steps until no group is left, nothing can improve, or a limit is reached.
template <class P> SweepEnd Sweep<P>::sweep() {
  while (true) {
    list.skipClosed(z);
    if (z >= upper)
      return SweepEnd::Proved;
    uint32_t group = list.states().empty() ? kNone : nextGroup();
    if (group == kNone)
      return list.wasCut() ? SweepEnd::Truncated : SweepEnd::Proved;
    if (watch.expired() || !step(group))
      return stopped();
    if (list.bytes() > plan.maxBytes) {
      pending = list.largestBound();
      return SweepEnd::Outgrown;
    }
  }
}

/// Adds the few groups whose selected numbers are not multiples of a power of
/// two, for the largest power for which they are few.
template <class P>
template <class Select>
bool Sweep<P>::addFine(Select select) {
  size_t few = std::max<size_t>(12, core.groupCount() / 8);
  size_t longest = std::max(order.ups.size(), order.downs.size());
  size_t before = fine.size();
  for (int k = 40; k >= 1; --k) {
    fine.truncate(before);
    for (size_t i = 0; i < longest; ++i)
      for (const Buffer<uint32_t> *side : {&order.downs, &order.ups}) {
        if (i >= side->size())
          continue;
        uint32_t g = (*side)[i];
        bool odd = std::any_of(core.begin(g), core.end(g), [&](auto &delta) {
          return (uint64_t(select(delta)) & ((uint64_t(1) << k) - 1)) != 0;
        });
        if (odd && !fine.push(g))
          return false;
      }
    if (fine.size() - before <= few)
      return true;
  }
  fine.truncate(before);
  return true;
}

template <class P> bool Sweep<P>::chooseFine() {
  fine.clear();
  switch (plan.first) {
  case FineFirst::None:
    return true;
  case FineFirst::Weights:
    return addFine([](const Delta<P> &d) { return d.weight; });
  case FineFirst::Profits:
    return addFine([&](const Delta<P> &d) { return core.valueOf(d); });
  }
  return true;
}

/// The two directions take turns.
template <class P> uint32_t Sweep<P>::nextGroup() {
  while (atFine < fine.size()) {
    uint32_t g = fine[atFine++];
    if (list.isOpen(g, true, z) || list.isOpen(g, false, z))
      return g;
  }
  bool hasUp = list.atUp < order.ups.size();
  bool hasDown = list.atDown < order.downs.size();
  if (!hasUp && !hasDown)
    return kNone;
  lastWasUp = hasUp && (!hasDown || !lastWasUp);
  return lastWasUp ? order.ups[list.atUp] : order.downs[list.atDown];
}

template <class P> bool Sweep<P>::step(uint32_t group) {
  ListState<P> *record;
  if (!list.advance(group, z, record))
    return false;
  if (record)
    best = {true, *record, list.stepCount(), {kNone, kNone}, false};
  return tryCardinality() && tryCompletions() && list.commit() && tryPartners();
}

template <class P> Int128 Sweep<P>::upperBound() const {
  if (z >= upper)
    return upper;
  double open = std::max(list.droppedBound(), pending);
  if (open >= 1e30)
    return upper;
  Int128 bound = Int128(start) + Int128(std::floor(std::max(open, 0.0)));
  return std::min(upper, std::max(bound, Int128(z)));
}

template <class P> bool Sweep<P>::recover(Buffer<uint32_t> &picks) {
  if (best.hasPartner)
    picks.swap(partnerPicks);
  else if (!picks.assign(core.groupCount(), 0))
    return watch.outOfMemory();
  for (uint32_t extra : best.extra)
    if (extra != kNone)
      picks[extra] = 1;
  return list.recover(best.state, best.steps, watch, picks);
}

#define INSTANTIATE(P)                                                         \
  template Sweep<P>::Sweep(const Core<P> &, Meter &, Watch &,                  \
                           const SweepPlan &);                                 \
  template SweepEnd Sweep<P>::run(P, Int128);                                  \
  template Int128 Sweep<P>::upperBound() const;                                \
  template bool Sweep<P>::recover(Buffer<uint32_t> &);
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
