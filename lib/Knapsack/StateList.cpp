//===- StateList.cpp - Steps, bounds and recovery of a list ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateList.h"

namespace memopt::knapsack {

/// The best of the group's rates in one direction; no rate where it has none.
template <class P>
static Rate<P> bestRate(const Core<P> &core, uint32_t group, bool up) {
  Rate<P> best;
  for (const Delta<P> *d = core.begin(group); d != core.end(group); ++d) {
    if ((d->weight > 0) != up)
      continue;
    Rate<P> r{up ? d->profit : -d->profit, up ? d->weight : -d->weight};
    int c = best.exists() ? compare(r, best) : 0;
    if (!best.exists() || (up ? c > 0 : c < 0))
      best = r;
  }
  return best;
}

template <class P> bool orderGroups(const Core<P> &core, CoreOrder &order) {
  for (uint32_t g = 0; g < core.groupCount(); ++g) {
    if (bestRate(core, g, true).exists() && !order.ups.push(g))
      return false;
    if (bestRate(core, g, false).exists() && !order.downs.push(g))
      return false;
  }
  auto zeros = [&](uint32_t g) {
    return __builtin_ctzll(uint64_t(core.begin(g)->weight));
  };
  auto sort = [&](Buffer<uint32_t> &groups, bool up) {
    std::sort(groups.begin(), groups.end(), [&](uint32_t a, uint32_t b) {
      if (int c = compare(bestRate(core, a, up), bestRate(core, b, up)))
        return up ? c > 0 : c < 0;
      int u = zeros(a), v = zeros(b);
      return u != v ? u < v : a < b;
    });
  };
  sort(order.ups, true);
  sort(order.downs, false);
  return true;
}

template <class P>
StateList<P>::StateList(const Core<P> &core, const CoreOrder &order,
                        Meter &meter, size_t beam, bool unitAlways)
    : core(core), order(order), beam(beam), unitAlways(unitAlways), list(meter),
      next(meter), steps(meter), done(meter), keys(meter), cursors(meter) {}

template <class P> bool StateList<P>::begin(P z) {
  start = z;
  steps.clear();
  cut = false;
  dropped = 0;
  return restart();
}

template <class P> bool StateList<P>::restart() {
  atUp = atDown = 0;
  list.clear();
  next.clear();
  if (!done.assign(core.groupCount(), 0) || !list.push({0, 0, 0}))
    return false;
  skipClosed(start);
  updateBounds(start);
  bounds = nextBounds;
  return true;
}

template <class P>
bool StateList<P>::isOpen(uint32_t group, bool up, P z) const {
  if (done[group])
    return false;
  for (const Delta<P> *d = core.begin(group); d != core.end(group); ++d)
    if ((d->weight > 0) == up && core.improves(d->weight, d->profit, z))
      return true;
  return false;
}

template <class P> void StateList<P>::skipClosed(P z) {
  while (atUp < order.ups.size() && !isOpen(order.ups[atUp], true, z))
    ++atUp;
  while (atDown < order.downs.size() && !isOpen(order.downs[atDown], false, z))
    ++atDown;
}

/// Sets G, K H and R of `nextBounds` by the open deltas.
template <class P> void StateList<P>::findUnits(P z) {
  int64_t unit = 0;
  P value = 0;
  double keys = 0;
  auto add = [&](const Buffer<uint32_t> &side, size_t from) {
    for (size_t i = from; i < side.size(); ++i) {
      if (unit == 1 && value == 1 && core.keySpan == 1)
        return; // Nothing more to learn.
      uint32_t g = side[i];
      if (done[g])
        continue;
      double key = 0;
      for (const Delta<P> *d = core.begin(g); d != core.end(g); ++d)
        if (core.improves(d->weight, d->profit, z)) {
          unit = gcdOf(unit, d->weight);
          value = value == 1 ? value : gcdOf(value, core.valueOf(*d));
          key = std::max(key, core.keyOf(*d));
        }
      keys += key;
    }
  };
  add(order.ups, atUp);
  add(order.downs, atDown);
  nextBounds.unit = std::max<int64_t>(unit, 1);
  // Where keys could hide a whole multiple, nothing is rounded.
  double profit = double(value) * core.keyScale();
  if (profit > 2 * keys) {
    nextBounds.profit = profit;
    nextBounds.keys = keys * (1 + 1e-9);
  }
}

/// Sets `nextBounds` by what is still to come.
template <class P> void StateList<P>::updateBounds(P z) {
  // In shorter lists, finding common divisors costs more than it saves.
  constexpr size_t kShort = 64;
  nextBounds = Bounds();
  if (atUp < order.ups.size()) {
    Rate<P> r = bestRate(core, order.ups[atUp], true);
    nextBounds.up = double(r.profit) / double(r.weight);
  }
  if (atDown < order.downs.size()) {
    Rate<P> r = bestRate(core, order.downs[atDown], false);
    nextBounds.down = double(r.profit) / double(r.weight);
  }
  if (list.size() > kShort || unitAlways)
    findUnits(z);
  nextBounds.perUnit = 1.0 / double(nextBounds.unit);
  nextBounds.perProfit = 1.0 / nextBounds.profit;
}

template <class P>
bool StateList<P>::advance(uint32_t group, P &z, ListState<P> *&record) {
  record = nullptr;
  if (!steps.push({group, z}) || !merge(group, z))
    return false;
  if (found)
    record = &best;
  return true;
}

/// Room for the decision of a group: its deltas and doing nothing.
template <class P> unsigned StateList<P>::bitsOf(uint32_t group) const {
  return 32 - __builtin_clz(uint32_t(core.end(group) - core.begin(group)));
}

/// Makes the first `count` steps again.
template <class P> bool StateList<P>::replay(size_t count, Watch &watch) {
  if (!restart())
    return watch.outOfMemory();
  for (size_t i = 0; i < count; ++i) {
    P z = steps[i].z;
    if (watch.expired())
      return false;
    if (!merge(steps[i].group, z) || !commit())
      return watch.outOfMemory();
  }
  return true;
}

/// Looks up the state of the same weight and profit; sets its history.
template <class P> bool StateList<P>::find(ListState<P> &target) const {
  const ListState<P> *at =
      std::lower_bound(list.begin(), list.end(), target,
                       [](const ListState<P> &a, const ListState<P> &b) {
                         return a.weight < b.weight;
                       });
  if (at == list.end() || at->weight != target.weight ||
      at->profit != target.profit)
    return false;
  target.history = at->history;
  return true;
}

template <class P>
bool StateList<P>::recover(ListState<P> s, size_t count, Watch &watch,
                           Buffer<uint32_t> &picks) {
  for (size_t step = count; step > 0;) {
    unsigned used = 0;
    for (; step > 0; --step) {
      uint32_t group = steps[step - 1].group;
      unsigned bits = bitsOf(group);
      if (used + bits > 64)
        break;
      uint32_t code = uint32_t(s.history >> used & ((uint64_t(1) << bits) - 1));
      used += bits;
      if (!code)
        continue;
      picks[group] = code;
      const Delta<P> &d = core.begin(group)[code - 1];
      s.weight -= d.weight;
      s.profit -= d.profit;
    }
    if (step > 0 && (!replay(step, watch) || !find(s)))
      return false;
  }
  return s.weight == 0 && s.profit == 0;
}

#define INSTANTIATE(P)                                                         \
  template bool orderGroups(const Core<P> &, CoreOrder &);                     \
  template StateList<P>::StateList(const Core<P> &, const CoreOrder &,         \
                                   Meter &, size_t, bool);                     \
  template bool StateList<P>::begin(P);                                        \
  template bool StateList<P>::isOpen(uint32_t, bool, P) const;                 \
  template void StateList<P>::skipClosed(P);                                   \
  template void StateList<P>::updateBounds(P);                                 \
  template bool StateList<P>::advance(uint32_t, P &, ListState<P> *&);         \
  template unsigned StateList<P>::bitsOf(uint32_t) const;                      \
  template bool StateList<P>::recover(ListState<P>, size_t, Watch &,           \
                                      Buffer<uint32_t> &);
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
