//===- Reduced.cpp - Bases, options, equal decisions, gcds ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduced.h"

#include <numeric>

namespace memopt::knapsack {

namespace {

/// Adds the largest `field` of each decision.
Int128 sumOfLargest(const Problem &p, int64_t State::*field) {
  Int128 sum = 0;
  for (size_t i = 0, n = p.size(); i < n; ++i) {
    int64_t best = 0;
    for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a)
      best = std::max(best, p.alternative(i, a).*field);
    sum += best;
  }
  return sum;
}

/// No choice has a larger sum of keys than K - 1.
Int128 keySpanOf(const Problem &p) { return sumOfLargest(p, &State::key) + 1; }

/// One alternative with the weight and profit that `reduce` sorts by.
template <class P> struct Alternative {
  P profit;
  int64_t weight;
  uint32_t number;
};

template <class P>
bool lighterFirst(const Alternative<P> &a, const Alternative<P> &b) {
  if (a.weight != b.weight)
    return a.weight < b.weight;
  if (a.profit != b.profit)
    return a.profit > b.profit;
  return a.number < b.number;
}

/// The lightest alternative, the most profitable of those, the first of those:
/// nothing lighter exists, so no undominated choice is below it.
template <class P>
Alternative<P> baseOf(const Problem &p, size_t i, Int128 span) {
  Alternative<P> base{};
  for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a) {
    State s = p.alternative(i, a);
    Alternative<P> x{P(s.value * span + s.key), s.weight, a};
    if (a == 0 || lighterFirst(x, base))
      base = x;
  }
  return base;
}

/// Reduction in three steps: options of each decision, equal decisions side by
/// side, one kind for each run of equal ones.
template <class P> class Reducer {
public:
  Reducer(const Problem &p, Meter &meter, Watch &watch, Reduced<P> &out)
      : p(p), watch(watch), out(out), scratch(meter), options(meter),
        first(meter), alternative(meter) {}

  bool run() {
    out.keySpan = keySpanOf(p);
    for (size_t i = 0, n = p.size(); i < n; ++i) {
      Alternative<P> base = baseOf<P>(p, i, out.keySpan);
      out.baseWeight += base.weight; // Sums fit, by `check`.
      out.baseProfit += base.profit;
    }
    int64_t slack = p.capacity - out.baseWeight;
    out.feasible = slack >= 0;
    if (!out.feasible)
      return true;
    if (!collectOptions(slack) || !sortDecisions() || !formKinds())
      return watch.outOfMemory();
    scale(slack);
    return true;
  }

private:
  /// Appends decision i's undominated options; those heavier than the slack
  /// can never be afforded.
  bool addOptions(size_t i, int64_t slack) {
    Alternative<P> base = baseOf<P>(p, i, out.keySpan);
    scratch.clear();
    for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a) {
      State s = p.alternative(i, a);
      Alternative<P> x{P(s.value * out.keySpan + s.key - base.profit),
                       s.weight - base.weight, a};
      if (x.weight > 0 && x.weight <= slack && x.profit > 0 && !scratch.push(x))
        return false;
    }
    std::sort(scratch.begin(), scratch.end(), lighterFirst<P>);
    P best = 0;
    for (const Alternative<P> &x : scratch) {
      if (x.profit <= best)
        continue;
      best = x.profit;
      if (!options.push({x.profit, x.weight}))
        return false;
      if (p.isMultipleChoice() && !alternative.push(x.number))
        return false;
    }
    return true;
  }

  bool collectOptions(int64_t slack) {
    size_t n = p.size();
    if (!options.reserve(p.isMultipleChoice() ? 0 : n) ||
        !first.resize(n + 1) || !out.members.reserve(n))
      return false;
    for (size_t i = 0; i < n; ++i) {
      first[i] = uint32_t(options.size());
      if (!addOptions(i, slack))
        return false;
      if (options.size() > first[i] && !out.members.push(uint32_t(i)))
        return false;
    }
    first[n] = uint32_t(options.size());
    return true;
  }

  /// Falling rate of the first option, then heavier first, then whatever tells
  /// decisions apart; 0 for equal ones.
  int compareDecisions(uint32_t a, uint32_t b) const {
    const Option<P> *x = &options[first[a]], *y = &options[first[b]];
    if (int c = compare(Rate<P>{y->profit, y->weight},
                        Rate<P>{x->profit, x->weight}))
      return c;
    if (x->weight != y->weight)
      return x->weight > y->weight ? -1 : 1;
    if (!p.isMultipleChoice())
      return 0;
    uint32_t n = first[a + 1] - first[a], m = first[b + 1] - first[b];
    if (n != m)
      return n < m ? -1 : 1;
    for (uint32_t j = 0; j < n; ++j) {
      if (x[j].weight != y[j].weight)
        return x[j].weight < y[j].weight ? -1 : 1;
      if (x[j].profit != y[j].profit)
        return x[j].profit < y[j].profit ? -1 : 1;
      uint32_t u = alternative[first[a] + j], v = alternative[first[b] + j];
      if (u != v)
        return u < v ? -1 : 1;
    }
    return 0;
  }

  bool sortDecisions() {
    std::sort(out.members.begin(), out.members.end(),
              [&](uint32_t a, uint32_t b) {
                int c = compareDecisions(a, b);
                return c ? c < 0 : a < b;
              });
    return true;
  }

  bool formKinds() {
    size_t count = 0, total = 0;
    for (size_t i = 0; i < out.members.size(); ++i)
      if (startsKind(i)) {
        ++count;
        total += first[out.members[i] + 1] - first[out.members[i]];
      }
    if (!out.kinds.reserve(count + 1) || !out.options.reserve(total) ||
        !out.alternative.reserve(p.isMultipleChoice() ? total : 0))
      return false;
    for (size_t i = 0; i < out.members.size(); ++i)
      if (startsKind(i) && !addKind(i))
        return false;
    return out.kinds.push(
        {uint32_t(out.options.size()), uint32_t(out.members.size())});
  }

  bool startsKind(size_t i) const {
    return i == 0 || compareDecisions(out.members[i - 1], out.members[i]);
  }

  bool addKind(size_t i) {
    if (!out.kinds.push({uint32_t(out.options.size()), uint32_t(i)}))
      return false;
    uint32_t d = out.members[i];
    for (uint32_t o = first[d]; o < first[d + 1]; ++o) {
      if (!out.options.push(options[o]))
        return false;
      if (p.isMultipleChoice() && !out.alternative.push(alternative[o]))
        return false;
    }
    return true;
  }

  /// sum of multiples of g <= C  <=>  sum of quotients <= floor(C / g).
  void scale(int64_t slack) {
    int64_t g = 0;
    P h = 0;
    for (const Option<P> &o : out.options) {
      g = gcdOf(g, o.weight);
      h = gcdOf(h, o.profit);
    }
    out.weightUnit = std::max<int64_t>(g, 1);
    out.profitUnit = std::max<P>(h, 1);
    for (Option<P> &o : out.options) {
      o.weight /= out.weightUnit;
      o.profit /= out.profitUnit;
    }
    out.capacity = slack / out.weightUnit;
  }

  const Problem &p;
  Watch &watch;
  Reduced<P> &out;
  Buffer<Alternative<P>> scratch;
  Buffer<Option<P>> options; ///< By decision.
  Buffer<uint32_t> first;    ///< Of each decision's options.
  Buffer<uint32_t> alternative;
};

} // namespace

bool profitsAreNarrow(const Problem &p) {
  // value K + key < (value + 1) K.
  Int128 value = sumOfLargest(p, &State::value) + 1, span = keySpanOf(p);
  Int128 limit = Int128(1) << 62;
  return span < limit && value < limit && value * span < limit;
}

template <class P>
bool reduce(const Problem &problem, Meter &meter, Watch &watch,
            Reduced<P> &out) {
  return Reducer<P>(problem, meter, watch, out).run();
}

template <class P>
void expand(const Problem &problem, const Reduced<P> &reduced,
            const Counts &counts, PositionOrder order, Choice &choice) {
  choice.resize(problem.size());
  for (size_t i = 0; i < choice.size(); ++i)
    choice[i] = int32_t(baseOf<P>(problem, i, reduced.keySpan).number);
  for (size_t k = 0; k < reduced.kindCount(); ++k) {
    const uint32_t *members = &reduced.members[reduced.kinds[k].firstMember];
    uint32_t n = reduced.memberCount(k), at = 0;
    uint32_t begin = reduced.kinds[k].firstOption;
    for (uint32_t o = reduced.kinds[k + 1].firstOption; o-- > begin;)
      for (uint32_t c = counts.taken[o]; c; --c, ++at) {
        uint32_t m = order == PositionOrder::EarlierFirst ? at : n - 1 - at;
        choice[members[m]] =
            problem.isMultipleChoice() ? int32_t(reduced.alternative[o]) : 1;
      }
  }
}

#define INSTANTIATE(P)                                                         \
  template bool reduce(const Problem &, Meter &, Watch &, Reduced<P> &);       \
  template void expand(const Problem &, const Reduced<P> &, const Counts &,    \
                       PositionOrder, Choice &);
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
