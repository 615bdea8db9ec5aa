//===- Incumbent.cpp - First feasible choices -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Break.h"

namespace memopt::knapsack {

namespace {

/// Exchanges are looked for among this many steps on each side of the break:
/// what the reduction leaves over lies there.
constexpr size_t kWindow = 256;

struct Candidate {
  int64_t weight;
  uint32_t kind;
};

template <class P> class IncumbentFinder {
public:
  IncumbentFinder(const Reduced<P> &in, const Break<P> &lp, Meter &meter)
      : in(in), lp(lp), ups(meter) {}

  bool run(Incumbent<P> &out) {
    if (!baseCounts(in, lp, out.counts) || !collectUps())
      return false;
    out.profit = lp.profit;
    if (lp.everythingFits)
      return true;
    findExchange();
    if (exchangeProfit > greedyProfit(nullptr))
      applyExchange(out);
    else
      out.profit = greedyProfit(&out.counts);
    return true;
  }

private:
  /// Profit of taking what fits, from the broken step on; applied to `counts`
  /// where given. Only steps from where a kind stands can be taken.
  P greedyProfit(Counts *counts) const {
    P profit = lp.profit;
    int64_t slack = lp.slack;
    for (size_t i = lp.place, n = lp.stepCount(in); i < n && slack; ++i) {
      Step s = lp.step(i);
      if (lp.current[s.kind] != s.from)
        continue;
      Option<P> a = in.option(s.kind, s.from), b = in.option(s.kind, s.to);
      int64_t members = in.memberCount(s.kind);
      if (s.kind == lp.broken.kind)
        members -= lp.copies;
      int64_t fit = std::min(slack / (b.weight - a.weight), members);
      slack -= fit * (b.weight - a.weight);
      profit += fit * (b.profit - a.profit);
      if (!counts || !fit)
        continue;
      uint32_t first = in.kinds[s.kind].firstOption;
      if (s.from)
        counts->taken[first + s.from - 1] -= uint32_t(fit);
      counts->taken[first + s.to - 1] += uint32_t(fit);
    }
    return profit;
  }

  bool isUp(uint32_t k) const {
    return in.optionCount(k) == 1 && lp.current[k] == 0;
  }
  bool isDown(uint32_t k) const {
    return in.optionCount(k) == 1 &&
           (lp.current[k] == 1 || (k == lp.broken.kind && lp.copies));
  }

  /// The items left out near the break, by rising weight, each replaced by the
  /// most profitable one up to its weight.
  bool collectUps() {
    size_t end = std::min(lp.stepCount(in), lp.place + kWindow);
    for (size_t i = lp.place; i < end; ++i) {
      uint32_t k = lp.step(i).kind;
      if (isUp(k) && !ups.push({in.option(k, 1).weight, k}))
        return false;
    }
    std::sort(
        ups.begin(), ups.end(), [](const Candidate &a, const Candidate &b) {
          return a.weight != b.weight ? a.weight < b.weight : a.kind < b.kind;
        });
    for (size_t i = 1; i < ups.size(); ++i)
      if (profitOf(ups[i - 1].kind) >= profitOf(ups[i].kind))
        ups[i].kind = ups[i - 1].kind;
    return true;
  }

  P profitOf(uint32_t k) const { return in.option(k, 1).profit; }

  /// Tries to make room by taking out `down` (or nothing) and fill it best.
  void consider(bool hasDown, uint32_t down) {
    int64_t room = lp.slack + (hasDown ? in.option(down, 1).weight : 0);
    auto after = std::upper_bound(
        ups.begin(), ups.end(), room,
        [](int64_t w, const Candidate &c) { return w < c.weight; });
    if (after == ups.begin())
      return;
    uint32_t up = after[-1].kind;
    P profit = lp.profit + profitOf(up) - (hasDown ? profitOf(down) : 0);
    if (profit > exchangeProfit) {
      exchangeProfit = profit;
      takesOut = hasDown;
      out = down;
      into = up;
    }
  }

  void findExchange() {
    exchangeProfit = lp.profit;
    consider(false, 0);
    size_t begin = lp.place - std::min(lp.place, kWindow);
    for (size_t i = begin; i <= lp.place; ++i)
      if (uint32_t k = lp.step(i).kind; isDown(k))
        consider(true, k);
  }

  void applyExchange(Incumbent<P> &incumbent) const {
    Buffer<uint32_t> &taken = incumbent.counts.taken;
    incumbent.profit = exchangeProfit;
    ++taken[in.kinds[into].firstOption];
    if (takesOut)
      --taken[in.kinds[out].firstOption];
  }

  const Reduced<P> &in;
  const Break<P> &lp;
  Buffer<Candidate> ups;
  P exchangeProfit = 0;
  bool takesOut = false;
  uint32_t out = 0, into = 0;
};

} // namespace

template <class P>
bool findIncumbent(const Reduced<P> &in, const Break<P> &lp, Meter &meter,
                   Incumbent<P> &out) {
  return IncumbentFinder<P>(in, lp, meter).run(out);
}

template bool findIncumbent(const Reduced<int64_t> &, const Break<int64_t> &,
                            Meter &, Incumbent<int64_t> &);
template bool findIncumbent(const Reduced<Int128> &, const Break<Int128> &,
                            Meter &, Incumbent<Int128> &);

} // namespace memopt::knapsack
