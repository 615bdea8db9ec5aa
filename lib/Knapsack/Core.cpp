//===- Core.cpp - Deviations that an improvement may need -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace memopt::knapsack {

namespace {

template <class P> class CoreBuilder {
public:
  CoreBuilder(const Reduced<P> &in, const Break<P> &lp, P z, Core<P> &out)
      : in(in), lp(lp), z(z), out(out) {}

  bool run() {
    out.groups.clear();
    out.deltas.clear();
    out.slack = lp.slack;
    out.unit = 1;
    out.up = lp.up;
    out.down = lp.down;
    out.single = true;
    out.keySpan = in.keySpan;
    out.profitUnit = in.profitUnit;
    for (uint32_t k = 0; k < in.kindCount(); ++k) {
      uint32_t moved = k == lp.broken.kind ? lp.copies : 0;
      if (!addPart(k, lp.current[k], in.memberCount(k) - moved) ||
          !addPart(k, lp.broken.to, moved))
        return false;
    }
    if (!out.groups.push({uint32_t(out.deltas.size()), 0, 0, 0}))
      return false;
    scale();
    return splitProfits();
  }

private:
  /// Groups for `members` of kind `k` that all stand at option `from`.
  bool addPart(uint32_t k, uint32_t from, uint32_t members) {
    if (!members)
      return true;
    uint32_t begin = uint32_t(out.deltas.size());
    Option<P> at = in.option(k, from);
    for (uint32_t j = 0, e = in.optionCount(k); j <= e; ++j) {
      Option<P> o = in.option(k, j);
      Delta<P> d{o.weight - at.weight, o.profit - at.profit, j};
      if (j != from && out.improves(d.weight, d.profit, z) &&
          !out.deltas.push(d))
        return false;
    }
    uint32_t found = uint32_t(out.deltas.size()) - begin;
    if (!found)
      return true;
    uint32_t most = std::min(members, mostDeviations(begin));
    return found == 1 ? addChunks(begin, k, from, most)
                      : addCopies(begin, found, k, from, most);
  }

  /// How many members may deviate at once. Each costs at least
  /// loss = l weight - profit >= 0 of the budget slack l - (z + 1) that an
  /// improvement leaves, l = up or down; both sides times the rate's weight.
  uint32_t mostDeviations(uint32_t begin) const {
    if constexpr (sizeof(P) > sizeof(int64_t))
      return UINT32_MAX; // The products do not fit.
    Int128 most = UINT32_MAX;
    for (const Rate<P> &l : {lp.up, lp.down}) {
      if (!l.exists())
        continue;
      Int128 budget = Int128(lp.slack) * l.profit - (Int128(z) + 1) * l.weight;
      Int128 least = -1;
      for (size_t d = begin; d < out.deltas.size(); ++d) {
        const Delta<P> &x = out.deltas[d];
        Int128 loss = Int128(x.weight) * l.profit - Int128(x.profit) * l.weight;
        least = least < 0 || loss < least ? loss : least;
      }
      if (least > 0)
        most = std::min(most, budget / least);
    }
    return uint32_t(std::max<Int128>(most, 1));
  }

  /// Members with one delta become chunks of 1, 2, 4, ... and a rest.
  bool addChunks(uint32_t delta, uint32_t k, uint32_t from, uint32_t members) {
    Delta<P> one = out.deltas[delta];
    out.deltas.truncate(delta);
    for (uint32_t size = 1; members; size *= 2) {
      uint32_t copies = std::min(size, members);
      if (!out.groups.push({uint32_t(out.deltas.size()), k, from, copies}) ||
          !out.deltas.push({one.weight * copies, one.profit * copies, one.to}))
        return false;
      members -= copies;
    }
    return true;
  }

  /// Members with several deltas become a group each.
  bool addCopies(uint32_t begin, uint32_t count, uint32_t k, uint32_t from,
                 uint32_t members) {
    out.single = false;
    for (uint32_t m = 0; m < members; ++m) {
      if (!out.groups.push({begin + m * count, k, from, 1}))
        return false;
      for (uint32_t d = 0; m && d < count; ++d)
        if (!out.deltas.push(Delta<P>(out.deltas[begin + d])))
          return false;
    }
    return true;
  }

  /// All deviations are multiples of g, so the slack may round down to one;
  /// profit/weight times g is the rate per unit.
  void scale() {
    int64_t g = 0;
    for (const Delta<P> &d : out.deltas)
      g = gcdOf(g, d.weight);
    out.unit = std::max<int64_t>(g, 1);
    for (Delta<P> &d : out.deltas)
      d.weight /= out.unit;
    out.slack /= out.unit;
    setRates();
  }

  /// Divisions by K are slow, so values and keys are told apart once.
  bool splitProfits() {
    out.values.clear();
    out.keys.clear();
    if (in.keySpan == 1)
      return true;
    for (const Delta<P> &d : out.deltas) {
      Int128 profit = Int128(d.profit) * in.profitUnit;
      Int128 value = floorDiv(profit, in.keySpan);
      value += profit - value * in.keySpan > in.keySpan / 2;
      Int128 key = profit - value * in.keySpan;
      if (!out.values.push(P(value)) ||
          !out.keys.push(double(key < 0 ? -key : key) / double(in.profitUnit)))
        return false;
    }
    return true;
  }

  /// The best rates within the core, in its unit. Weight and profit of a delta
  /// have the same sign. A relaxation over the core alone needs no others, and
  /// the core's up <= Break::up <= Break::down <= the core's down.
  void setRates() {
    out.up = out.down = {};
    for (const Delta<P> &d : out.deltas) {
      if (d.weight > 0) {
        Rate<P> r{d.profit, d.weight};
        if (!out.up.exists() || compare(r, out.up) > 0)
          out.up = r;
      } else if (d.weight < 0) {
        Rate<P> r{-d.profit, -d.weight};
        if (!out.down.exists() || compare(r, out.down) < 0)
          out.down = r;
      }
    }
  }

  const Reduced<P> &in;
  const Break<P> &lp;
  const P z;
  Core<P> &out;
};

} // namespace

template <class P>
bool buildCore(const Reduced<P> &in, const Break<P> &lp, P z, Core<P> &out) {
  return CoreBuilder<P>(in, lp, z, out).run();
}

template bool buildCore(const Reduced<int64_t> &, const Break<int64_t> &,
                        int64_t, Core<int64_t> &);
template bool buildCore(const Reduced<Int128> &, const Break<Int128> &, Int128,
                        Core<Int128> &);

} // namespace memopt::knapsack
