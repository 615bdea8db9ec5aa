//===- Cardinality.cpp - Bound by the number of items ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace memopt::knapsack {

namespace {

/// `copies` equal items of a core, in absolute terms.
struct Element {
  int64_t profit, weight;
  uint32_t copies;
};

/// An upper bound: its floor, and the fraction lost, to compare neighbours by.
struct Value {
  Int128 whole;
  double fraction;
  bool operator<=(const Value &o) const {
    return double(whole - o.whole) + (fraction - o.fraction) <= 1e-9;
  }
};

class CardinalityBound {
public:
  CardinalityBound(Meter &meter) : elements(meter), scratch(meter) {}

  bool build(const Core<int64_t> &core) {
    capacity = core.slack;
    for (size_t g = 0; g < core.groupCount(); ++g) {
      const Delta<int64_t> &d = *core.begin(g);
      int64_t copies = core.groups[g].copies;
      bool in = d.weight < 0;
      Element e{(in ? -d.profit : d.profit) / copies,
                (in ? -d.weight : d.weight) / copies, uint32_t(copies)};
      if (in) {
        capacity += e.weight * copies;
        base += e.profit * copies;
      }
      if (!elements.push(e))
        return false;
    }
    return scratch.resize(elements.size());
  }

  /// The bound relative to the base choice; `z` where at most z is possible.
  Int128 run(int64_t z) {
    int64_t most = mostItems(), least = leastItems(z);
    if (least < 0 || least > most)
      return z;
    int64_t top = 0;
    for (const Element &e : elements)
      top = std::max(top, e.profit);
    Int128 best = relax(0).whole;
    best = std::min(best, search(+1, most, top));
    best = std::min(best, search(-1, least, top));
    return best - base;
  }

private:
  /// How many items fit: the lightest first.
  int64_t mostItems() {
    std::sort(
        elements.begin(), elements.end(),
        [](const Element &a, const Element &b) { return a.weight < b.weight; });
    int64_t room = capacity, items = 0;
    for (const Element &e : elements) {
      int64_t fit = std::min<int64_t>(room / e.weight, e.copies);
      items += fit;
      room -= fit * e.weight;
      if (fit < e.copies)
        break;
    }
    return items;
  }

  /// How many items a gain above z takes, the most profitable first; -1 where
  /// all together do not reach it.
  int64_t leastItems(int64_t z) {
    std::sort(
        elements.begin(), elements.end(),
        [](const Element &a, const Element &b) { return a.profit > b.profit; });
    Int128 need = base + z + 1;
    int64_t items = 0;
    for (const Element &e : elements) {
      if (need <= 0)
        return items;
      int64_t take = std::min<int64_t>(
          int64_t((need + e.profit - 1) / e.profit), e.copies);
      items += take;
      need -= Int128(take) * e.profit;
    }
    return need <= 0 ? items : -1;
  }

  /// max sum (p - m) x of the relaxation, only where p > m.
  Value relax(int64_t m) {
    size_t n = 0;
    for (const Element &e : elements)
      if (e.profit > m)
        scratch[n++] = {e.profit - m, e.weight, e.copies};
    std::sort(scratch.begin(), scratch.begin() + n,
              [](const Element &a, const Element &b) {
                return Int128(a.profit) * b.weight >
                       Int128(b.profit) * a.weight;
              });
    Value value{0, 0};
    int64_t room = capacity;
    for (size_t i = 0; i < n; ++i) {
      const Element &e = scratch[i];
      int64_t fit = std::min<int64_t>(room / e.weight, e.copies);
      room -= fit * e.weight;
      value.whole += Int128(fit) * e.profit;
      if (fit == e.copies)
        continue;
      Int128 rest = Int128(room) * e.profit;
      value.whole += rest / e.weight;
      value.fraction = double(int64_t(rest % e.weight)) / double(e.weight);
      break;
    }
    return value;
  }

  /// The least of sign m k + relax(sign m) over 0 <= m <= top. The function is
  /// convex up to rounding, and every m gives a bound.
  Int128 search(int sign, int64_t k, int64_t top) {
    auto at = [&](int64_t m) {
      Value v = relax(sign * m);
      v.whole += Int128(sign) * m * k;
      return v;
    };
    int64_t low = 0, high = top;
    Int128 best = at(0).whole;
    while (high - low > 2) {
      int64_t middle = low + (high - low) / 2;
      Value a = at(middle), b = at(middle + 1);
      best = std::min({best, a.whole, b.whole});
      if (a <= b)
        high = middle + 1 < high ? middle + 1 : middle;
      else
        low = middle;
    }
    for (int64_t m = low; m <= high; ++m)
      best = std::min(best, at(m).whole);
    return best;
  }

  Buffer<Element> elements, scratch;
  int64_t capacity = 0;
  Int128 base = 0;
};

} // namespace

bool cardinalityBound(const Core<int64_t> &core, int64_t z, Meter &meter,
                      Int128 &bound) {
  CardinalityBound search(meter);
  if (!search.build(core))
    return false;
  bound = search.run(z);
  return true;
}

} // namespace memopt::knapsack
