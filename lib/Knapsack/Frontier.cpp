//===- Frontier.cpp - Optima at many capacities ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Frontier.h"

#include "Rows.h"
#include "Solvers.h"

namespace memopt::knapsack {

namespace {

/// What an answer of a single solve says of its capacity.
void setPoint(FrontierPoint &point, const Answer &answer) {
  point.feasible = answer.feasible;
  point.optimal = answer.optimal;
  point.value = answer.value;
  point.key = answer.key;
  point.upperBound = answer.upperBound;
}

/// A row is swept where that takes at most so many columns of work for each
/// capacity: about what a list takes.
constexpr int64_t kColumnsPerPoint = int64_t(1) << 20;

template <class P> class FrontierSweep {
public:
  FrontierSweep(const Problem &p, const SolveOptions &options, Frontier &out)
      : p(p), options(options), out(out), meter(options.limits.bytes),
        watch(options.limits), reduced(meter) {}

  void run() {
    if (reduce(p, meter, watch, reduced)) {
      bool useRow =
          options.solver == Solver::Hirschberg ||
          (options.solver == Solver::Auto && reduced.feasible && rowIsShort());
      out.solver = useRow ? Solver::Hirschberg : Solver::List;
      if (!useRow || !reduced.feasible || !sweepRow())
        for (FrontierPoint &point : out.points)
          solveAt(point, !useRow);
    } else {
      for (FrontierPoint &point : out.points)
        fallBack(point);
    }
    out.stop = watch.stop();
    out.peakBytes = meter.peakBytes();
  }

private:
  bool rowIsShort() const {
    Int128 work = (Int128(reduced.capacity) + 1) * reduced.members.size();
    return work <= Int128(kColumnsPerPoint) * out.points.size();
  }

  /// Whether anything fits; the base choice is the lightest.
  bool startPoint(FrontierPoint &point) const {
    point.feasible = point.capacity >= reduced.baseWeight;
    point.optimal = !point.feasible;
    return point.feasible;
  }

  int64_t columnOf(const FrontierPoint &point) const {
    return (point.capacity - reduced.baseWeight) / reduced.weightUnit;
  }

  void setProfit(FrontierPoint &point, P profit, Int128 upper) const {
    Totals totals = splitProfit(reduced, profit);
    point.value = totals.value;
    point.key = totals.key;
    Int128 bound = upper * reduced.profitUnit + reduced.baseProfit;
    point.upperBound =
        int64_t(std::min<Int128>(bound / reduced.keySpan, INT64_MAX));
    point.optimal = upper == profit;
  }

  /// One row holds the optimum at every capacity.
  bool sweepRow() {
    Buffer<P> row(meter);
    if (!solveRow(reduced, watch, row))
      return false;
    for (FrontierPoint &point : out.points)
      if (startPoint(point)) {
        P profit = row[size_t(columnOf(point))];
        setProfit(point, profit, profit);
      }
    return true;
  }

  /// Kinds and their order hold for every capacity; the break moves.
  void solveAt(FrontierPoint &point, bool exactly) {
    if (!startPoint(point))
      return;
    reduced.capacity = columnOf(point);
    Break<P> lp(meter);
    Incumbent<P> best(meter);
    if (!findBreak(reduced, lp) || !findIncumbent(reduced, lp, meter, best)) {
      watch.outOfMemory();
      fallBack(point);
      return;
    }
    Int128 upper = lp.upper;
    bool outgrown = false;
    if (exactly && !watch.expired())
      solveList(reduced, lp, meter, watch, SIZE_MAX, best, upper, outgrown);
    setProfit(point, best.profit, upper);
  }

  /// Without memory for anything else.
  void fallBack(FrontierPoint &point) const {
    setPoint(point, choiceAt(p, point.capacity, options));
  }

  const Problem &p;
  const SolveOptions &options;
  Frontier &out;
  Meter meter;
  Watch watch;
  Reduced<P> reduced;
};

/// For solvers that have no sweep.
void solveEach(const Problem &p, const SolveOptions &options, Frontier &out) {
  out.solver = options.solver;
  for (FrontierPoint &point : out.points) {
    Answer answer = choiceAt(p, point.capacity, options);
    setPoint(point, answer);
    out.peakBytes = std::max(out.peakBytes, answer.peakBytes);
    if (answer.stop != Stop::Proved)
      out.stop = answer.stop;
  }
}

} // namespace

Frontier frontier(const Problem &problem,
                  const std::vector<int64_t> &capacities,
                  const SolveOptions &options) {
  Frontier out;
  Problem p = problem;
  p.capacity = 0;
  for (int64_t capacity : capacities) {
    if (capacity < 0)
      out.error = "the capacity is negative (" + std::to_string(capacity) + ")";
    p.capacity = std::max(p.capacity, capacity);
    FrontierPoint point;
    point.capacity = capacity;
    out.points.push_back(point);
  }
  if (out.error.empty())
    out.error = check(p);
  if (!out.error.empty()) {
    out.points.clear();
    return out;
  }
  if (options.solver == Solver::Exhaustive || options.solver == Solver::Table)
    solveEach(p, options, out);
  else if (profitsAreNarrow(p))
    FrontierSweep<int64_t>(p, options, out).run();
  else
    FrontierSweep<Int128>(p, options, out).run();
  return out;
}

Answer choiceAt(const Problem &problem, int64_t capacity,
                const SolveOptions &options) {
  Problem p = problem;
  p.capacity = capacity;
  return solve(p, options);
}

} // namespace memopt::knapsack
