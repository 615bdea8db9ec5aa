//===- Break.cpp - The linear relaxation ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Break.h"

namespace memopt::knapsack {

namespace {

template <class P> Option<P> increment(const Reduced<P> &in, const Step &s) {
  Option<P> a = in.option(s.kind, s.from), b = in.option(s.kind, s.to);
  return {b.profit - a.profit, b.weight - a.weight};
}

template <class P> Rate<P> rateOf(const Option<P> &o) {
  return {o.profit, o.weight};
}

/// Appends the steps of kind `k` along the upper hull of its options. A point
/// that lies on or below the line between its neighbours is no corner.
template <class P>
bool addHull(const Reduced<P> &in, uint32_t k, Buffer<Step> &steps) {
  size_t begin = steps.size();
  for (uint32_t j = 1; j <= in.optionCount(k); ++j) {
    Step step{k, steps.size() > begin ? steps.back().to : 0, j};
    while (steps.size() > begin && compare(rateOf(increment(in, steps.back())),
                                           rateOf(increment(in, step))) <= 0) {
      step.from = steps.back().from;
      steps.truncate(steps.size() - 1);
    }
    if (!steps.push(step))
      return false;
  }
  return true;
}

template <class P> bool sortSteps(const Reduced<P> &in, Buffer<Step> &steps) {
  for (uint32_t k = 0; k < in.kindCount(); ++k)
    if (!addHull(in, k, steps))
      return false;
  std::sort(steps.begin(), steps.end(), [&](const Step &a, const Step &b) {
    if (int c = compare(rateOf(increment(in, a)), rateOf(increment(in, b))))
      return c > 0;
    return a.kind != b.kind ? a.kind < b.kind : a.to < b.to;
  });
  return true;
}

} // namespace

template <class P> bool findBreak(const Reduced<P> &in, Break<P> &out) {
  if (!in.singleOptions() && !sortSteps(in, out.steps))
    return false;
  if (!out.current.assign(in.kindCount(), 0))
    return false;
  out.slack = in.capacity;
  for (size_t i = 0, n = out.stepCount(in); i < n; ++i) {
    Step step = out.step(i);
    Option<P> inc = increment(in, step);
    uint32_t members = in.memberCount(step.kind);
    int64_t fit = std::min<int64_t>(out.slack / inc.weight, members);
    out.slack -= inc.weight * fit;
    out.profit += inc.profit * fit;
    if (fit)
      out.down = rateOf(inc);
    if (fit < members) {
      out.broken = step;
      out.place = i;
      out.copies = uint32_t(fit);
      out.up = rateOf(inc);
      out.upper = out.profit + gain(out.slack, out.up);
      return true;
    }
    out.current[step.kind] = step.to;
  }
  out.everythingFits = true;
  out.upper = out.profit;
  return true;
}

template <class P>
bool baseCounts(const Reduced<P> &in, const Break<P> &lp, Counts &counts) {
  if (!counts.taken.assign(in.options.size(), 0))
    return false;
  auto add = [&](size_t k, uint32_t option, uint32_t members) {
    if (option)
      counts.taken[in.kinds[k].firstOption + option - 1] += members;
  };
  for (size_t k = 0; k < in.kindCount(); ++k) {
    bool broken = !lp.everythingFits && k == lp.broken.kind;
    add(k, lp.current[k], in.memberCount(k) - (broken ? lp.copies : 0));
    if (broken)
      add(k, lp.broken.to, lp.copies);
  }
  return true;
}

#define INSTANTIATE(P)                                                         \
  template bool findBreak(const Reduced<P> &, Break<P> &);                     \
  template bool baseCounts(const Reduced<P> &, const Break<P> &, Counts &);
INSTANTIATE(int64_t)
INSTANTIATE(Int128)
#undef INSTANTIATE

} // namespace memopt::knapsack
