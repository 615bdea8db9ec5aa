//===- Evaluator.cpp - what a choice costs and needs ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace memopt;

Simulation Evaluator::simulate(Candidate &candidate) {
  Simulation s;
  s.schedule = placer.place(
      {model.toStep(candidate.kept), model.toStep(candidate.rebuilt)});
  // A placed schedule is sane.
  (void)resolveReads(graph, s.schedule, s.reads);
  s.fusion = fuse(graph, s.schedule, s.reads);
  s.peak = simulatePeak(graph, s.schedule, s.reads, s.fusion, options);
  __int128 cost = 0;
  for (Run run : s.schedule.order)
    if (run.copy > 0)
      cost += prices[run.op];
  constexpr int64_t most = int64_t(1) << 62;
  candidate.cost = cost > most ? most : static_cast<int64_t>(cost);
  candidate.savedBytes = s.peak.savedBytes;
  candidate.peakBytes = s.peak.peakBytes;
  workLeft -= static_cast<int64_t>(s.schedule.order.size()) + 1;
  return s;
}
