//===- StateList.h - A list of undominated states ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state is the sum of the deviations chosen so far: (weight, profit) relative
// to the base choice. A step merges the list, sorted by weight, with its copies
// moved by a group's deltas, and drops
//
//   - dominated states: not lighter and not more profitable than another
//     (where all deltas still to come are multiples of G, than another with the
//     same floor((slack - weight) / G));
//   - states that cannot gain more than the best gain z found so far:
//     with r = slack - weight rounded down to a multiple of G, f = r up for
//     r >= 0 and r down for r < 0, up and down the best rates still to come,
//     profit + f < z + 1. Where all values still to come are multiples of H,
//     and all keys sum to at most R, the gain K value + key is at most
//     floor((f + R) / (K H)) K H + R, which often is less than f.
//
// States carry the decisions of the last steps in 64 bits. Older decisions are
// found by running the same steps again up to where the bits begin, which is
// Hirschberg's idea on lists: memory is two lists, whatever the number of
// steps.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_STATELIST_H
#define MEMOPT_LIB_KNAPSACK_STATELIST_H

#include "Core.h"

#include <cmath>

namespace memopt::knapsack {

template <class P> struct ListState {
  int64_t weight;
  P profit;
  uint64_t history; ///< Decisions, the newest in the lowest bits.
};

/// What is still to come, in doubles; reach() allows for their rounding.
struct Bounds {
  double up = 0;        ///< No group adds weight: the slack stays empty.
  double down = 1e280;  ///< No group gives weight back: states must fit.
  int64_t unit = 1;     ///< G.
  double perUnit = 1;   ///< 1 / G.
  double profit = 1;    ///< K H.
  double perProfit = 1; ///< 1 / (K H).
  double keys = 0;      ///< R.
  bool coarse() const { return unit > 1 || profit > 1; }
};

/// floor(slack / unit) unit.
inline int64_t roundDown(int64_t slack, const Bounds &b) {
  constexpr int64_t kExact = int64_t(1) << 51;
  if (slack > -kExact && slack < kExact) {
    int64_t q = int64_t(double(slack) * b.perUnit); // Off by at most one.
    q -= q * b.unit > slack;
    q += (q + 1) * b.unit <= slack;
    return q * b.unit;
  }
  int64_t rest = slack % b.unit;
  return slack - rest - (rest < 0 ? b.unit : 0);
}

/// What filling `slack` (or, below 0, making it room) is worth at most.
inline double filled(int64_t slack, const Bounds &b) {
  return double(slack) * (slack >= 0 ? b.up : b.down);
}

/// An upper bound on `gap` + filled(slack). Every quantity is rounded to a
/// double a few times, each with a relative error of 2^-53.
inline double reach(double gap, int64_t slack, const Bounds &b) {
  double fill = filled(slack, b);
  return gap + fill + (std::fabs(gap) + std::fabs(fill)) * 1e-15;
}

/// The same with floor((f + R) / (K H)) K H + R for f = filled(slack), where
/// that is less.
inline double reachCoarse(double gap, int64_t slack, const Bounds &b) {
  constexpr double kExact = 2e15;
  double fill = filled(slack, b);
  double multiple = (fill + std::fabs(fill) * 1e-15 + b.keys) * b.perProfit;
  if (multiple > -kExact && multiple < kExact) {
    double whole = double(int64_t(multiple));
    double coarse = (whole - (whole > multiple)) * b.profit + b.keys;
    fill = coarse < fill ? coarse : fill;
  }
  return gap + fill + (std::fabs(gap) + std::fabs(fill) + b.keys) * 1e-15;
}

/// The groups of a core that have deltas of either sign, from the break
/// outwards.
struct CoreOrder {
  explicit CoreOrder(Meter &meter) : ups(meter), downs(meter) {}
  Buffer<uint32_t> ups, downs;
};

/// Sorts the groups. Among equal rates the odd weights come first: what remains
/// has the larger gcd.
template <class P> bool orderGroups(const Core<P> &core, CoreOrder &order);

template <class P, bool Coarse> struct Emitter;

template <class P> class StateList {
public:
  /// A beam keeps only the `beam` states of the largest bounds after each step;
  /// 0 keeps all. `unitAlways` looks for G and H in short lists too.
  StateList(const Core<P> &core, const CoreOrder &order, Meter &meter,
            size_t beam, bool unitAlways);

  /// The list of the empty sum. Like everything below, false where memory ran
  /// out.
  bool begin(P z);

  /// Merges the list with its copies moved by `group` into `next`, for
  /// completions to read. A state that fits and gains more than `z` raises it,
  /// and is left in `record`.
  bool advance(uint32_t group, P &z, ListState<P> *&record);

  /// Makes `next` the list, cut to the beam.
  bool commit();

  const Buffer<ListState<P>> &states() const { return list; }
  const Buffer<ListState<P>> &merged() const { return next; }

  /// Moves `atUp` and `atDown` to the first groups of the order that are not
  /// done and may still be part of a gain above z.
  void skipClosed(P z);
  bool isOpen(uint32_t group, bool up, P z) const;
  bool isDone(uint32_t group) const { return done[group]; }
  size_t atUp = 0, atDown = 0;

  size_t stepCount() const { return steps.size(); }
  bool wasCut() const { return cut; }
  /// The largest gain, less the `z` of begin(), that states which the beam
  /// dropped, or states of the list, may lead to.
  double droppedBound() const { return dropped; }
  double largestBound() const;
  size_t bytes() const {
    return (list.capacity() + next.capacity()) * sizeof(ListState<P>);
  }

  /// Sets `picks[g]` to 1 + the delta of group g that `state`, as it was after
  /// `count` steps, contains. Leaves the list unusable.
  bool recover(ListState<P> state, size_t count, Watch &watch,
               Buffer<uint32_t> &picks);

private:
  /// A step as it was made, so that it can be made again.
  struct Step {
    uint32_t group;
    P z;
  };
  struct BeamKey {
    double bound;
    uint32_t spread, index;
  };
  /// A list, or its copy moved by a delta, as the merge of several reads it.
  struct Cursor {
    const ListState<P> *at;
    Delta<P> delta;
    uint64_t code; ///< The decision that it stands for.
  };

  bool restart();
  void findUnits(P z);
  void updateBounds(P z);

  bool merge(uint32_t group, P &z);
  template <bool Coarse> bool mergeOne(uint32_t group, P &z);
  template <bool Coarse> bool mergeMany(uint32_t group, P &z);
  template <bool Coarse> bool makeRoom(Emitter<P, Coarse> &out, size_t room);
  template <bool Coarse> void finish(const Emitter<P, Coarse> &out, P &z);
  bool prepareNext();

  BeamKey beamKey(uint32_t index) const;
  double boundOf(const ListState<P> &s) const;

  unsigned bitsOf(uint32_t group) const;
  bool replay(size_t count, Watch &watch);
  bool find(ListState<P> &target) const;

  const Core<P> &core;
  const CoreOrder &order;
  const size_t beam;
  const bool unitAlways;

  P start = 0; ///< The z of begin().
  Buffer<ListState<P>> list, next;
  Buffer<Step> steps;
  Buffer<uint8_t> done;
  Buffer<BeamKey> keys;
  Buffer<Cursor> cursors;
  Bounds bounds; ///< Of the states in `list`.
  Bounds nextBounds;
  ListState<P> best{};
  bool found = false;
  bool cut = false;
  double dropped = 0;
};

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_STATELIST_H
