//===- Solve.cpp - From a problem to an answer ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Solve.h"

#include "Rows.h"
#include "Solvers.h"

namespace memopt::knapsack {

namespace {

/// The best value any alternative of decision `i` has that may still fit.
int64_t bestValue(const Problem &p, size_t i, int64_t room) {
  int64_t best = 0;
  for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a)
    if (p.alternative(i, a).weight <= room)
      best = std::max(best, p.alternative(i, a).value);
  return best;
}

/// The lightest alternative; of equal ones the most valuable.
uint32_t lightest(const Problem &p, size_t i) {
  uint32_t base = 0;
  for (uint32_t a = 1, e = p.alternatives(i); a < e; ++a) {
    State s = p.alternative(i, a), b = p.alternative(i, base);
    if (s.weight < b.weight || (s.weight == b.weight && s.value > b.value))
      base = a;
  }
  return base;
}

/// Runs one solver on a problem that passed `check`.
template <class P> class Driver {
public:
  Driver(const Problem &p, const SolveOptions &options, Answer &answer)
      : p(p), options(options), answer(answer), meter(options.limits.bytes),
        watch(options.limits), reduced(meter), lp(meter), best(meter) {}

  void run() {
    answer.solver =
        options.solver == Solver::Auto ? Solver::List : options.solver;
    bool ready = reduce(p, meter, watch, reduced);
    answer.feasible = reduced.feasible;
    if (!answer.feasible) {
      answer.optimal = true;
      finish();
      return;
    }
    bool solved = ready && relaxAndSolve();
    if (haveIncumbent)
      takeIncumbent(solved);
    else if (!exhausted)
      answer.upperBound = solveInPlace(p, options.order, answer.choice);
    answer.optimal = solved;
    Totals totals;
    answer.error = verify(p, answer.choice, totals);
    answer.value = totals.value;
    answer.weight = totals.weight;
    answer.key = totals.key;
    if (solved)
      answer.upperBound = answer.value;
    answer.upperBound = std::max(answer.upperBound, answer.value);
    finish();
  }

private:
  bool relaxAndSolve() {
    if (!findBreak(reduced, lp) || !findIncumbent(reduced, lp, meter, best))
      return watch.outOfMemory();
    haveIncumbent = true;
    upper = lp.upper;
    switch (options.solver) {
    case Solver::Exhaustive:
      return solveAll();
    case Solver::Table:
      return solveRows(solveTable<P>);
    case Solver::Hirschberg:
      return solveRows(solveHirschberg<P>);
    case Solver::List:
    case Solver::Auto:
      return solveByList();
    }
    return false;
  }

  bool solveAll() {
    exhausted = solveExhaustive(p, options.order, watch, answer.choice);
    haveIncumbent = !exhausted;
    return exhausted;
  }

  /// The rows use neither bounds nor incumbent.
  template <class Rows> bool solveRows(Rows rows) {
    Counts counts(meter);
    if (!rows(reduced, meter, watch, counts))
      return false;
    best.counts.taken.swap(counts.taken);
    return true;
  }

  bool solveByList() {
    bool isAuto = options.solver == Solver::Auto, outgrown = false;
    size_t maxBytes = SIZE_MAX;
    if (isAuto) {
      Int128 rows = 2 * rowBytes(reduced);
      if (rows < Int128(meter.left()))
        maxBytes = std::max(size_t(rows), kSmallLists);
    }
    if (solveList(reduced, lp, meter, watch, maxBytes, best, upper, outgrown))
      return true;
    if (!outgrown)
      return false;
    answer.solver = Solver::Hirschberg;
    return solveRows(solveHirschberg<P>);
  }

  void takeIncumbent(bool solved) {
    expand(p, reduced, best.counts, options.order, answer.choice);
    Int128 profit = upper * reduced.profitUnit + reduced.baseProfit;
    answer.upperBound =
        int64_t(std::min<Int128>(profit / reduced.keySpan, INT64_MAX));
  }

  void finish() {
    answer.stop = watch.stop();
    answer.peakBytes = meter.peakBytes();
  }

  /// Lists below this are kept even where rows would be smaller.
  static constexpr size_t kSmallLists = 1 << 16;

  const Problem &p;
  const SolveOptions &options;
  Answer &answer;
  Meter meter;
  Watch watch;
  Reduced<P> reduced;
  Break<P> lp;
  Incumbent<P> best;
  Int128 upper = 0;
  bool haveIncumbent = false, exhausted = false;
};

} // namespace

int64_t solveInPlace(const Problem &p, PositionOrder order, Choice &choice) {
  size_t n = p.size();
  choice.resize(n);
  int64_t room = p.capacity, upper = 0;
  for (size_t i = 0; i < n; ++i) {
    choice[i] = int32_t(lightest(p, i));
    room -= p.alternative(i, choice[i]).weight;
  }
  int64_t slack = room;
  for (size_t j = 0; j < n; ++j) {
    size_t i = order == PositionOrder::EarlierFirst ? j : n - 1 - j;
    State base = p.alternative(i, choice[i]);
    upper += bestValue(p, i, base.weight + slack);
    for (uint32_t a = 0, e = p.alternatives(i); a < e; ++a) {
      State now = p.alternative(i, choice[i]), s = p.alternative(i, a);
      if (s.value > now.value && s.weight - now.weight <= room) {
        room -= s.weight - now.weight;
        choice[i] = int32_t(a);
      }
    }
  }
  return upper;
}

const char *name(Solver solver) {
  switch (solver) {
  case Solver::Auto:
    return "auto";
  case Solver::Exhaustive:
    return "exhaustive";
  case Solver::Table:
    return "table";
  case Solver::Hirschberg:
    return "hirschberg";
  case Solver::List:
    return "list";
  }
  return "";
}

const char *name(Stop stop) {
  switch (stop) {
  case Stop::Proved:
    return "proved";
  case Stop::TimeLimit:
    return "time-limit";
  case Stop::MemoryLimit:
    return "memory-limit";
  case Stop::Cancelled:
    return "cancelled";
  case Stop::TooLarge:
    return "too-large";
  }
  return "";
}

Answer solve(const Problem &problem, const SolveOptions &options) {
  Answer answer;
  answer.error = check(problem);
  if (!answer.error.empty())
    return answer;
  if (profitsAreNarrow(problem))
    Driver<int64_t>(problem, options, answer).run();
  else
    Driver<Int128>(problem, options, answer).run();
  return answer;
}

} // namespace memopt::knapsack
