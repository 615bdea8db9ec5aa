//===- Certify.cpp - An independent proof of optimality -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At a price l >= 0 per unit of weight every choice x has
//
//   P(x) = l C + sum_i m_i - l (C - W(x)) - sum_i loss_i(x),
//   m_i = max_a (p_ia - l w_ia),  loss_ia = m_i - (p_ia - l w_ia) >= 0,
//
// so P(x) > z takes l (C - W(x)) + sum of losses <= l C + sum_i m_i - (z + 1),
// the budget. A negative budget is a proof; otherwise only alternatives whose
// loss is within the budget are left to enumerate.
//
//===----------------------------------------------------------------------===//

#include "CertifyImpl.h"

#include <algorithm>
#include <cmath>

namespace memopt::knapsack {

namespace proof {

Instance::Instance(const Problem &problem, bool useKeys)
    : problem(problem), useKeys(useKeys), span(1) {
  Wide value = 1;
  for (size_t i = 0, n = size(); i < n; ++i) {
    int64_t v = 0, k = 0;
    for (uint32_t a = 0, e = alternatives(i); a < e; ++a) {
      v = std::max(v, problem.alternative(i, a).value);
      k = std::max(k, problem.alternative(i, a).key);
    }
    value += v;
    span += useKeys ? k : 0;
  }
  Wide limit = Wide(1) << 63;
  fitting = value <= limit && span <= limit && value * span <= limit;
}

namespace {

/// The best alternative at a price: largest p - l w, the lightest of those.
uint32_t bestAt(const Instance &in, size_t i, Price l, Wide &reduced) {
  uint32_t best = 0;
  Deviation at{};
  for (uint32_t a = 0, e = in.alternatives(i); a < e; ++a) {
    Deviation x = in.alternative(i, a);
    Wide value = Wide(x.profit) * l.weight - Wide(x.weight) * l.profit;
    if (a == 0 || value > reduced ||
        (value == reduced && x.weight < at.weight)) {
      best = a;
      at = x;
      reduced = value;
    }
  }
  return best;
}

/// The weight of the best choice at a real price.
double weightAt(const Instance &in, double price) {
  double sum = 0;
  for (size_t i = 0, n = in.size(); i < n; ++i) {
    double best = 0, weight = 0;
    for (uint32_t a = 0, e = in.alternatives(i); a < e; ++a) {
      Deviation x = in.alternative(i, a);
      double value = double(x.profit) - price * double(x.weight);
      if (a == 0 || value > best) {
        best = value;
        weight = double(x.weight);
      }
    }
    sum += weight;
  }
  return sum;
}

/// Keeps in `best` the rate of two alternatives that is nearest to `price`.
void offerRate(const Deviation &x, const Deviation &y, double price,
               double &distance, Price &best) {
  int64_t w = x.weight - y.weight, p = x.profit - y.profit;
  if (w < 0) {
    w = -w;
    p = -p;
  }
  if (w <= 0 || p < 0)
    return;
  double d = std::fabs(double(p) / double(w) - price);
  if (d < distance) {
    distance = d;
    best = {p, w};
  }
}

} // namespace

Price findPrice(const Instance &in) {
  double low = 0, high = 1;
  while (weightAt(in, high) > double(in.capacity()) && high < 1e300)
    high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    if (middle == low || middle == high)
      break;
    (weightAt(in, middle) > double(in.capacity()) ? low : high) = middle;
  }
  Price best{0, 1};
  double distance = high; // That of the price 0.
  for (size_t i = 0, n = in.size(); i < n; ++i)
    for (uint32_t a = 0, e = in.alternatives(i); a < e; ++a)
      for (uint32_t b = 0; b < a; ++b)
        offerRate(in.alternative(i, a), in.alternative(i, b), high, distance,
                  best);
  return best;
}

/// Sets slack, need and closed; returns the budget times the price's weight.
static Wide findBudget(const Instance &in, Price l, int64_t z, Margin &out) {
  Wide budget = Wide(l.profit) * in.capacity() - (Wide(z) + 1) * l.weight;
  out.slack = in.capacity();
  out.need = Wide(z) + 1;
  for (size_t i = 0, n = in.size(); i < n; ++i) {
    Wide reduced = 0;
    Deviation best = in.alternative(i, bestAt(in, i, l, reduced));
    budget += reduced;
    out.slack -= best.weight;
    out.need -= best.profit;
  }
  out.closed = budget < 0;
  return budget;
}

bool findMargin(const Instance &in, Price l, int64_t z, Margin &out) {
  Wide budget = findBudget(in, l, z, out);
  for (size_t i = 0, n = in.size(); i < n && !out.closed; ++i) {
    Wide most = 0;
    uint32_t best = bestAt(in, i, l, most);
    Deviation at = in.alternative(i, best);
    uint32_t first = uint32_t(out.deviations.size());
    for (uint32_t a = 0, e = in.alternatives(i); a < e; ++a) {
      Deviation x = in.alternative(i, a);
      Wide loss =
          most - (Wide(x.profit) * l.weight - Wide(x.weight) * l.profit);
      if (a != best && loss <= budget &&
          !out.deviations.push({x.weight - at.weight, x.profit - at.profit}))
        return false;
    }
    uint32_t count = uint32_t(out.deviations.size()) - first;
    if (count && !out.freedoms.push({first, count, 1}))
      return false;
  }
  return true;
}

} // namespace proof

namespace {

Certificate decided(Verdict verdict, std::string reason) {
  Certificate c;
  c.verdict = verdict;
  c.reason = std::move(reason);
  return c;
}

Certificate prove(const Problem &problem, const Totals &totals,
                  const Limits &limits, bool useKeys) {
  using namespace proof;
  Meter meter(limits.bytes);
  Watch watch(limits);
  Instance in(problem, useKeys);
  int64_t z = in.profit(totals);
  Margin margin(meter);
  Certificate result;
  if (!findMargin(in, findPrice(in), z, margin))
    result = decided(Verdict::Undecided, "stopped by the memory limit");
  else if (margin.closed)
    result = decided(Verdict::Optimal, "by the bound at one price");
  else if (!in.isMultipleChoice() && closedByCardinality(in, z))
    result = decided(Verdict::Optimal, "by a bound on the number of items");
  else
    switch (enumerate(margin, meter, watch)) {
    case Verdict::Optimal:
      result = decided(Verdict::Optimal, "by enumeration within the bound");
      break;
    case Verdict::NotOptimal:
      result = decided(Verdict::NotOptimal, "a better choice exists");
      break;
    case Verdict::Undecided:
      result = decided(Verdict::Undecided,
                       std::string("stopped by the ") + name(watch.stop()));
      break;
    }
  result.peakBytes = meter.peakBytes();
  return result;
}

} // namespace

const char *name(Verdict verdict) {
  switch (verdict) {
  case Verdict::Optimal:
    return "optimal";
  case Verdict::NotOptimal:
    return "not-optimal";
  case Verdict::Undecided:
    return "undecided";
  }
  return "";
}

Certificate certify(const Problem &problem, const Choice &choice,
                    const Limits &limits) {
  Totals totals;
  if (std::string error = check(problem); !error.empty())
    return decided(Verdict::NotOptimal, error);
  if (std::string error = verify(problem, choice, totals); !error.empty())
    return decided(Verdict::NotOptimal, error);
  if (proof::Instance(problem, true).fits())
    return prove(problem, totals, limits, true);
  if (!proof::Instance(problem, false).fits())
    return decided(Verdict::Undecided, "the values are too large to sum");
  Certificate c = prove(problem, totals, limits, false);
  c.reason += "; the value only, the keys are too large to sum";
  return c;
}

Certificate certifyInfeasible(const Problem &problem) {
  if (std::string error = check(problem); !error.empty())
    return decided(Verdict::NotOptimal, error);
  int64_t lightest = 0;
  for (size_t i = 0, n = problem.size(); i < n; ++i) {
    int64_t least = problem.alternative(i, 0).weight;
    for (uint32_t a = 1, e = problem.alternatives(i); a < e; ++a)
      least = std::min(least, problem.alternative(i, a).weight);
    lightest += least;
  }
  if (lightest > problem.capacity)
    return decided(Verdict::Optimal,
                   "the lightest choice weighs " + std::to_string(lightest));
  return decided(Verdict::NotOptimal, "the lightest choice fits");
}

} // namespace memopt::knapsack
