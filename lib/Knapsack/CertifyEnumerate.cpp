//===- CertifyEnumerate.cpp - Enumerating what a bound leaves -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the freedoms of a margin one by one and keeps the sums
// (weight, profit) that may still reach the need. The order, and with it what
// is to come after each step, is fixed before: the need does not move.
//
//===----------------------------------------------------------------------===//

#include "CertifyImpl.h"

#include <algorithm>
#include <numeric>

namespace memopt::knapsack::proof {

namespace {

using Sum = Deviation;

/// What is still to come after a step.
struct Rest {
  Price up{0, 1};         ///< The most profit a unit of weight may add.
  Price down{0, 0};       ///< The least that giving one back costs, if any.
  int64_t weightUnit = 0; ///< All weights to come are multiples of it.
  int64_t profitUnit = 0;
};

/// l < r for l, r > 0.
bool cheaper(const Price &l, const Price &r) {
  return Wide(l.profit) * r.weight < Wide(r.profit) * l.weight;
}

int64_t floorTo(int64_t x, int64_t unit) {
  int64_t rest = x % unit;
  return x - rest - (rest < 0 ? unit : 0);
}

class Enumerator {
public:
  Enumerator(const Margin &margin, Meter &meter, Watch &watch)
      : margin(margin), meter(meter), watch(watch), deviations(meter),
        freedoms(meter), order(meter), rests(meter), sums(meter), merged(meter),
        other(meter) {}

  Verdict run() {
    if (!formChunks() || !arrange() || !lookAhead() || !sums.push({0, 0}))
      return outOfMemory();
    if (margin.slack >= 0 && margin.need <= 0)
      return Verdict::NotOptimal;
    for (size_t step = 0; step < order.size() && !sums.empty(); ++step) {
      if (watch.expired())
        return Verdict::Undecided;
      if (!addAll(freedoms[order[step]]) || !sums.reserve(merged.size()))
        return outOfMemory();
      if (prune(rests[step]))
        return Verdict::NotOptimal;
    }
    return Verdict::Optimal;
  }

private:
  Verdict outOfMemory() {
    watch.outOfMemory();
    return Verdict::Undecided;
  }

  const Deviation &only(const Freedom &f) const { return deviations[f.first]; }

  /// Equal decisions with one deviation become 1, 2, 4, ... and a rest of them.
  bool formChunks() {
    Buffer<Deviation> singles(meter);
    for (const Freedom &f : margin.freedoms) {
      if (f.count == 1) {
        if (!singles.push(margin.deviations[f.first]))
          return false;
        continue;
      }
      if (!freedoms.push({uint32_t(deviations.size()), f.count, 1}))
        return false;
      for (uint32_t d = 0; d < f.count; ++d)
        if (!deviations.push(Deviation(margin.deviations[f.first + d])))
          return false;
    }
    std::sort(singles.begin(), singles.end(), lighter);
    for (size_t i = 0, j; i < singles.size(); i = j) {
      for (j = i; j < singles.size() && !lighter(singles[i], singles[j]); ++j)
        ;
      int64_t left = int64_t(j - i);
      for (int64_t size = 1; left > 0; size *= 2) {
        int64_t n = std::min(size, left);
        if (!freedoms.push({uint32_t(deviations.size()), 1, uint32_t(n)}) ||
            !deviations.push({singles[i].weight * n, singles[i].profit * n}))
          return false;
        left -= n;
      }
    }
    return true;
  }

  static bool lighter(const Deviation &a, const Deviation &b) {
    return a.weight != b.weight ? a.weight < b.weight : a.profit > b.profit;
  }

  static Price priceOf(const Deviation &d) {
    return d.weight < 0 ? Price{-d.profit, -d.weight}
                        : Price{d.profit, d.weight};
  }

  /// Judged by the first deviation, which only matters for the order.
  static bool isUp(const Deviation &d) { return d.weight > 0; }

  /// Few freedoms with odd profits first; then by distance from the price, the
  /// ones that add weight and the ones that give it back in turn.
  bool arrange() {
    Buffer<uint32_t> ups(meter), downs(meter);
    for (uint32_t f = 0; f < freedoms.size(); ++f)
      if (!(isUp(only(freedoms[f])) ? ups : downs).push(f))
        return false;
    std::sort(ups.begin(), ups.end(), [&](uint32_t a, uint32_t b) {
      return closer(b, a) || (!closer(a, b) && a < b);
    });
    std::sort(downs.begin(), downs.end(), [&](uint32_t a, uint32_t b) {
      return closer(a, b) || (!closer(b, a) && a < b);
    });
    for (size_t i = 0; i < std::max(ups.size(), downs.size()); ++i)
      if ((i < downs.size() && !order.push(downs[i])) ||
          (i < ups.size() && !order.push(ups[i])))
        return false;
    putOddFirst();
    return true;
  }
  bool closer(uint32_t a, uint32_t b) const {
    return cheaper(priceOf(only(freedoms[a])), priceOf(only(freedoms[b])));
  }

  bool isOdd(uint32_t f, int64_t modulus) const {
    const Deviation *d = &only(freedoms[f]);
    return std::any_of(d, d + freedoms[f].count, [&](const Deviation &x) {
      return x.profit % modulus != 0;
    });
  }

  void putOddFirst() {
    size_t few = std::max<size_t>(12, order.size() / 8);
    for (int k = 40; k > 0; --k) {
      auto odd = [&](uint32_t f) { return isOdd(f, int64_t(1) << k); };
      size_t count = size_t(std::count_if(order.begin(), order.end(), odd));
      if (count > few)
        continue;
      std::stable_partition(order.begin(), order.end(), odd);
      return;
    }
  }

  /// Computes `rests` from the last step backwards.
  bool lookAhead() {
    if (!rests.resize(order.size()))
      return false;
    Rest rest;
    for (size_t step = order.size(); step-- > 0;) {
      rests[step] = rest;
      const Freedom &f = freedoms[order[step]];
      for (uint32_t d = f.first; d < f.first + f.count; ++d) {
        const Deviation &x = deviations[d];
        Price p = priceOf(x);
        if (x.weight > 0 && cheaper(rest.up, p))
          rest.up = p;
        if (x.weight < 0 && (!rest.down.weight || cheaper(p, rest.down)))
          rest.down = p;
        rest.weightUnit = std::gcd(rest.weightUnit, x.weight);
        rest.profitUnit = std::gcd(rest.profitUnit, x.profit);
      }
    }
    return true;
  }

  /// sums := sums merged with each of its copies moved by a deviation.
  bool addAll(const Freedom &f) {
    merged.clear();
    if (!merged.resize(sums.size()))
      return false;
    std::copy(sums.begin(), sums.end(), merged.begin());
    for (uint32_t d = f.first; d < f.first + f.count; ++d) {
      const Deviation by = deviations[d];
      if (!other.resize(merged.size() + sums.size()))
        return false;
      const Sum *a = merged.begin(), *b = sums.begin();
      for (Sum &out : other) {
        Sum moved{};
        if (b != sums.end())
          moved = {b->weight + by.weight, b->profit + by.profit};
        bool takeMoved =
            b != sums.end() && (a == merged.end() || lighter(moved, *a));
        out = takeMoved ? moved : *a;
        a += !takeMoved;
        b += takeMoved;
      }
      merged.swap(other);
    }
    return true;
  }

  /// sums := what of `merged` may still reach the need. True where a sum
  /// reaches it and fits. `sums` has room for all.
  bool prune(const Rest &rest) {
    int64_t unit = std::max<int64_t>(rest.weightUnit, 1);
    int64_t step = std::max<int64_t>(rest.profitUnit, 1);
    int64_t best = INT64_MIN, bucket = INT64_MAX;
    bool lastKept = false;
    sums.clear();
    for (const Sum &s : merged) {
      if (s.profit <= best)
        continue;
      best = s.profit;
      int64_t room = int64_t(margin.slack - s.weight);
      // Multiples of `step` that still have to come: rounded up.
      Wide lack = margin.need - s.profit;
      if (room >= 0 && lack <= 0)
        return true;
      room = rest.weightUnit ? floorTo(room, unit) : room;
      if (lack > 0)
        lack = (lack + step - 1) / step * step;
      else
        lack = -((-lack) / step * step);
      const Price &price = room >= 0 ? rest.up : rest.down;
      bool keep =
          price.weight && Wide(room) * price.profit >= lack * price.weight;
      // Lighter and less profitable in the same bucket is dominated.
      if (room == bucket && lastKept)
        sums.truncate(sums.size() - 1);
      bucket = room;
      lastKept = keep;
      if (keep)
        sums.append(s);
    }
    return false;
  }

  const Margin &margin;
  Meter &meter;
  Watch &watch;
  Buffer<Deviation> deviations;
  Buffer<Freedom> freedoms;
  Buffer<uint32_t> order;
  Buffer<Rest> rests;
  Buffer<Sum> sums, merged, other;
};

} // namespace

Verdict enumerate(const Margin &margin, Meter &meter, Watch &watch) {
  return Enumerator(margin, meter, watch).run();
}

} // namespace memopt::knapsack::proof
