//===- List.cpp - The list solver's portfolio -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beams of growing width find the incumbent cheaply, and every improvement
// makes the next core smaller; the last sweep keeps everything and proves it.
// A beam that never had to drop a state is a proof already.
//
//===----------------------------------------------------------------------===//

#include "Solvers.h"
#include "Sweep.h"

namespace memopt::knapsack {

namespace {

struct Pass {
  size_t beam;
  FineFirst first;
};
constexpr Pass kPasses[] = {{256, FineFirst::None},
                            {1400, FineFirst::Profits},
                            {12000, FineFirst::Weights},
                            {60000, FineFirst::Profits},
                            {0, FineFirst::Profits}};

template <class P> class ListSolver {
public:
  ListSolver(const Reduced<P> &in, const Break<P> &lp, Meter &meter,
             Watch &watch, size_t maxBytes, Incumbent<P> &best, Int128 &upper)
      : in(in), lp(lp), meter(meter), watch(watch), maxBytes(maxBytes),
        best(best), upper(upper) {}

  bool run(bool &outgrown) {
    for (const Pass &pass : kPasses) {
      if (best.profit >= upper)
        return true;
      SweepPlan plan;
      plan.beam = pass.beam;
      plan.first = pass.first;
      plan.maxBytes = maxBytes;
      SweepEnd end = sweep(plan);
      if (end == SweepEnd::Outgrown)
        outgrown = true;
      if (end != SweepEnd::Truncated)
        return end == SweepEnd::Proved;
    }
    return false; // Not reached: the last sweep drops nothing.
  }

private:
  SweepEnd sweep(const SweepPlan &plan) {
    Core<P> core(meter);
    P z = best.profit - lp.profit;
    if (!buildCore(in, lp, z, core)) {
      watch.outOfMemory();
      return SweepEnd::Stopped;
    }
    Sweep<P> sweep(core, meter, watch, plan);
    SweepEnd end = sweep.run(z, upper - lp.profit);
    upper = std::min(upper, lp.profit + sweep.upperBound());
    if (sweep.improved() && !take(core, sweep))
      return SweepEnd::Stopped;
    if (end == SweepEnd::Proved)
      upper = best.profit;
    return end;
  }

  /// Replaces the incumbent by the base choice with the sweep's deviations.
  bool take(const Core<P> &core, Sweep<P> &sweep) {
    P profit = lp.profit + sweep.gain();
    Buffer<uint32_t> picks(meter);
    if (!sweep.recover(picks))
      return false;
    if (!baseCounts(in, lp, best.counts))
      return watch.outOfMemory();
    for (size_t g = 0; g < core.groupCount(); ++g) {
      if (!picks[g])
        continue;
      const Group &group = core.groups[g];
      uint32_t first = in.kinds[group.kind].firstOption;
      if (group.from)
        best.counts.taken[first + group.from - 1] -= group.copies;
      if (uint32_t to = core.begin(g)[picks[g] - 1].to)
        best.counts.taken[first + to - 1] += group.copies;
    }
    best.profit = profit;
    return true;
  }

  const Reduced<P> &in;
  const Break<P> &lp;
  Meter &meter;
  Watch &watch;
  const size_t maxBytes;
  Incumbent<P> &best;
  Int128 &upper;
};

} // namespace

template <class P>
bool solveList(const Reduced<P> &in, const Break<P> &lp, Meter &meter,
               Watch &watch, size_t maxBytes, Incumbent<P> &best, Int128 &upper,
               bool &outgrown) {
  return ListSolver<P>(in, lp, meter, watch, maxBytes, best, upper)
      .run(outgrown);
}

template bool solveList(const Reduced<int64_t> &, const Break<int64_t> &,
                        Meter &, Watch &, size_t, Incumbent<int64_t> &,
                        Int128 &, bool &);
template bool solveList(const Reduced<Int128> &, const Break<Int128> &, Meter &,
                        Watch &, size_t, Incumbent<Int128> &, Int128 &, bool &);

} // namespace memopt::knapsack
