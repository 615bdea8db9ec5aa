//===- PeakMemory.cpp - bytes alive while a step runs ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakSimulator.h"

#include <algorithm>

using namespace memopt;

PeakSimulator::PeakSimulator(const FlatStep &step, const PeakOptions &options)
    : step(step) {
  for (const FlatResult &result : step.results)
    aligned.push_back((result.bytes + options.alignment - 1) /
                      options.alignment * options.alignment);
}

void PeakSimulator::findDeaths(const std::vector<Run> &order,
                               const ScheduleReads &reads,
                               const FusionPlan &fusion) {
  base.resize(order.size());
  int total = 0;
  for (size_t p = 0; p < order.size(); ++p) {
    base[p] = total;
    total += step.getResultCount(order[p].op);
  }
  deaths.assign(total, -1);
  for (size_t p = 0; p < order.size(); ++p) {
    int reader = fusion.kernelOf[p];
    const FlatOperand *operand =
        step.operands.data() + step.ops[order[p].op].operandBegin;
    for (int r = reads.begin[p]; r < reads.begin[p + 1]; ++r, ++operand)
      if (int source = reads.source[r]; source >= 0) {
        int &death = deaths[base[source] + operand->slot];
        death = std::max(death, reader);
      }
  }
}

/// Calls visit(position, result, birth, death) for each storage of the
/// schedule, in the order of positions, with the index of its result in the
/// step; kernels birth to death hold it.
template <typename F>
void PeakSimulator::forEachStorage(const std::vector<Run> &order,
                                   const FusionPlan &fusion, F visit) const {
  int lastKernel = fusion.getKernelCount() - 1;
  const int *nextDeath = deaths.data();
  for (size_t p = 0; p < order.size(); ++p) {
    int birth = fusion.kernelOf[p], op = order[p].op;
    for (int r = step.ops[op].resultBegin, e = step.ops[op + 1].resultBegin;
         r < e; ++r) {
      int death = *nextDeath++;
      if (step.results[r].returned && order[p].copy == 0)
        death = lastKernel;
      else if (death == birth)
        continue; // only its own kernel reads it
      visit(static_cast<int>(p), r, birth, std::max(birth, death));
    }
  }
}

PeakMemory PeakSimulator::run(const std::vector<Run> &order,
                              const ScheduleReads &reads,
                              const FusionPlan &fusion) {
  PeakMemory peak;
  int count = fusion.getKernelCount();
  findDeaths(order, reads, fusion);
  forward.assign(count, 0);
  for (size_t p = 0; p < order.size(); ++p)
    forward[fusion.kernelOf[p]] = step.isForward(order[p]);
  peak.bytes.assign(count + 1, 0);
  forEachStorage(order, fusion, [&](int, int r, int birth, int death) {
    peak.bytes[birth] += aligned[r];
    peak.bytes[death + 1] -= aligned[r];
    if (forward[birth] && !forward[death] && !step.results[r].returned)
      peak.savedBytes += step.results[r].bytes;
  });
  peak.bytes.pop_back();
  int64_t alive = 0;
  for (int k = 0; k < count; ++k) {
    peak.bytes[k] = alive += peak.bytes[k];
    if (peak.peakKernel < 0 || alive > peak.peakBytes) {
      peak.peakBytes = alive;
      peak.peakKernel = k;
    }
  }
  return peak;
}

std::vector<LiveValue> PeakSimulator::list(const std::vector<Run> &order,
                                           const ScheduleReads &reads,
                                           const FusionPlan &fusion,
                                           int kernel) {
  std::vector<LiveValue> live;
  findDeaths(order, reads, fusion);
  forEachStorage(order, fusion, [&](int p, int r, int birth, int death) {
    if (birth <= kernel && kernel <= death)
      live.push_back({step.results[r].value, order[p].copy, aligned[r]});
  });
  return live;
}

PeakMemory memopt::simulatePeak(const StepGraph &graph,
                                const Schedule &schedule,
                                const ScheduleReads &reads,
                                const FusionPlan &fusion,
                                const PeakOptions &options) {
  FlatStep step(graph);
  return PeakSimulator(step, options).run(schedule.order, reads, fusion);
}

std::vector<LiveValue> memopt::listLive(const StepGraph &graph,
                                        const Schedule &schedule,
                                        const ScheduleReads &reads,
                                        const FusionPlan &fusion, int kernel,
                                        const PeakOptions &options) {
  FlatStep step(graph);
  return PeakSimulator(step, options)
      .list(schedule.order, reads, fusion, kernel);
}
