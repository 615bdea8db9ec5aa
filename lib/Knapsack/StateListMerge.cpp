//===- StateListMerge.cpp - Merging, dominance and bounds -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hot loops of the list solver. Which of two states comes first cannot be
// predicted, so the loops select rather than branch.
//
//===----------------------------------------------------------------------===//

#include "StateList.h"

namespace memopt::knapsack {

/// Receives states by rising weight (of equal weights, the more profitable
/// first) and appends those that are neither dominated nor out of reach.
template <class P, bool Coarse> struct Emitter {
  Emitter(const Bounds &bounds, int64_t slack, P z)
      : bounds(bounds), slack(slack), z(z) {}

  ListState<P> *out = nullptr;
  size_t count = 0;
  const Bounds bounds;
  const int64_t slack;
  P z;
  ListState<P> best{};
  bool improved = false;

  inline void operator()(int64_t weight, P profit, uint64_t history) {
    bool keep = profit > highest;
    highest = keep ? profit : highest;
    int64_t rest = slack - weight;
    if (__builtin_expect(rest >= 0 && profit > z, 0)) {
      z = profit;
      best = {weight, profit, history};
      improved = true;
    }
    if (Coarse) {
      if (!keep)
        return;
      bool same = rest >= lastRest;
      rest = same ? lastRest : roundDown(rest, bounds);
      count -= same && lastKept;
      lastRest = rest;
    }
    double gap = double(profit - z);
    keep &= (Coarse ? reachCoarse(gap, rest, bounds)
                    : reach(gap, rest, bounds)) >= 1;
    lastKept = keep;
    out[count] = {weight, profit, history};
    count += keep;
  }

private:
  static constexpr P kLowest =
      sizeof(P) == sizeof(int64_t) ? P(INT64_MIN) : P(-kUnbounded);
  P highest = kLowest;
  int64_t lastRest = INT64_MAX; ///< The last state's bucket.
  bool lastKept = false;
};

/// Grows `next` ahead of the loop, which then appends without asking.
template <class P>
template <bool Coarse>
bool StateList<P>::makeRoom(Emitter<P, Coarse> &out, size_t room) {
  next.truncate(out.count);
  size_t need = out.count + room + 1;
  if (need > next.capacity() &&
      !next.reserve(std::max(need, out.count + out.count / 4)))
    return false;
  out.out = next.data();
  return true;
}

template <class P>
template <bool Coarse>
void StateList<P>::finish(const Emitter<P, Coarse> &out, P &z) {
  next.truncate(out.count);
  z = out.z;
  found = out.improved;
  best = out.best;
}

/// How far a merge may run before it makes room again.
static size_t strideOf(size_t listSize) {
  return std::max<size_t>(64, listSize / 4);
}

/// A group with one delta: the list and its moved copy.
template <class P>
template <bool Coarse>
bool StateList<P>::mergeOne(uint32_t group, P &z) {
  const Delta<P> delta = *core.begin(group);
  Emitter<P, Coarse> emit(nextBounds, core.slack, z);
  const ListState<P> *stay = list.begin(), *move = stay, *end = list.end();
  while (stay != end || move != end) {
    size_t left = size_t(end - stay) + size_t(end - move);
    size_t stride = std::min(strideOf(list.size()), left);
    if (!makeRoom(emit, stride))
      return false;
    for (; stride && stay != end && move != end; --stride) {
      int64_t moved = move->weight + delta.weight;
      P gained = move->profit + delta.profit;
      bool first = stay->weight < moved ||
                   (stay->weight == moved && stay->profit >= gained);
      uint64_t history = (first ? stay : move)->history << 1 | !first;
      emit(first ? stay->weight : moved, first ? stay->profit : gained,
           history);
      stay += first;
      move += !first;
    }
    for (; stride && stay != end && move == end; --stride, ++stay)
      emit(stay->weight, stay->profit, stay->history << 1);
    for (; stride && move != end && stay == end; --stride, ++move)
      emit(move->weight + delta.weight, move->profit + delta.profit,
           move->history << 1 | 1);
  }
  finish(emit, z);
  return true;
}

/// A group with several deltas: the list and a moved copy for each open delta.
template <class P>
template <bool Coarse>
bool StateList<P>::mergeMany(uint32_t group, P &z) {
  const unsigned bits = bitsOf(group);
  const ListState<P> *end = list.end();
  cursors.clear();
  if (!cursors.push({list.begin(), {0, 0, 0}, 0}))
    return false;
  for (const Delta<P> *d = core.begin(group); d != core.end(group); ++d)
    if (core.improves(d->weight, d->profit, z) &&
        !cursors.push({list.begin(), *d, uint64_t(d - core.begin(group)) + 1}))
      return false;
  Emitter<P, Coarse> emit(nextBounds, core.slack, z);
  for (size_t left = list.size() * cursors.size(), stride = 0; left; --left) {
    if (stride-- == 0) {
      stride = std::min(strideOf(list.size()), left);
      if (!makeRoom(emit, stride--))
        return false;
    }
    Cursor *first = nullptr;
    int64_t weight = 0;
    P profit = 0;
    for (Cursor &c : cursors) {
      if (c.at == end)
        continue;
      int64_t w = c.at->weight + c.delta.weight;
      P p = c.at->profit + c.delta.profit;
      if (!first || w < weight || (w == weight && p > profit)) {
        first = &c;
        weight = w;
        profit = p;
      }
    }
    emit(weight, profit, first->at->history << bits | first->code);
    ++first->at;
  }
  finish(emit, z);
  return true;
}

/// Empties `next` and gives it room for what a step usually makes, so that it
/// need not be copied while it grows.
template <class P> bool StateList<P>::prepareNext() {
  size_t usual = list.size() + list.size() / 8;
  next.clear();
  if (next.capacity() >= usual)
    return true;
  next.release();
  return next.reserve(usual);
}

/// Merges `list` into `next`; `list` and its bounds stand.
template <class P> bool StateList<P>::merge(uint32_t group, P &z) {
  done[group] = 1;
  skipClosed(z);
  updateBounds(z);
  if (!prepareNext())
    return false;
  bool one = core.end(group) - core.begin(group) == 1;
  if (nextBounds.coarse())
    return one ? mergeOne<true>(group, z) : mergeMany<true>(group, z);
  return one ? mergeOne<false>(group, z) : mergeMany<false>(group, z);
}

/// An upper bound on the gain that a state of `list` may lead to, less `start`.
template <class P> double StateList<P>::boundOf(const ListState<P> &s) const {
  return reachCoarse(double(s.profit - start), core.slack - s.weight, bounds);
}

template <class P> double StateList<P>::largestBound() const {
  double most = 0;
  for (const ListState<P> &s : list)
    most = std::max(most, boundOf(s));
  return most;
}

/// What the beam ranks states by. Equal bounds are common, so the bound is
/// taken as it comes, without the allowance for rounding, and the spread keeps
/// states of all weights.
template <class P>
typename StateList<P>::BeamKey StateList<P>::beamKey(uint32_t index) const {
  const ListState<P> &s = list[index];
  int64_t rest = roundDown(core.slack - s.weight, bounds);
  return {double(s.profit - start) + filled(rest, bounds),
          uint32_t(index * 2654435761ull >> 7), index};
}

template <class P> bool StateList<P>::commit() {
  list.swap(next);
  bounds = nextBounds;
  if (!beam || list.size() <= beam)
    return true;
  cut = true;
  if (!keys.resize(list.size()))
    return false;
  for (uint32_t i = 0; i < list.size(); ++i)
    keys[i] = beamKey(i);
  auto before = [](const BeamKey &a, const BeamKey &b) {
    if (a.bound != b.bound)
      return a.bound > b.bound;
    return a.spread != b.spread ? a.spread < b.spread : a.index < b.index;
  };
  std::nth_element(keys.begin(), keys.begin() + beam, keys.end(), before);
  const BeamKey firstDropped = keys[beam];
  size_t kept = 0;
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (before(beamKey(i), firstDropped))
      list[kept++] = list[i];
    else
      dropped = std::max(dropped, boundOf(list[i]));
  }
  list.truncate(kept);
  return true;
}

#define INSTANTIATE(P)                                                         \
  template bool StateList<P>::merge(uint32_t, P &);                            \
  template bool StateList<P>::commit();                                        \
  template double StateList<P>::largestBound() const;
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
