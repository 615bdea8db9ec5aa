//===- PeakMemory.cpp - bytes alive while a step runs ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/PeakMemory.h"

#include <algorithm>

using namespace memopt;

namespace {

/// Calls visit(position, value, birth, death) for each storage of the schedule,
/// in the order of positions; kernels birth to death hold it.
template <typename F>
void forEachStorage(const StepGraph &graph, const Schedule &schedule,
                    const ScheduleReads &reads, const FusionPlan &fusion,
                    F visit) {
  const auto &order = schedule.order;
  // Death of the storage of result i of the run at p: deaths[base[p] + i].
  std::vector<int> base(order.size()), place(graph.values.size(), 0), deaths;
  for (const StepOp &op : graph.ops)
    for (size_t i = 0; i < op.results.size(); ++i)
      place[op.results[i]] = static_cast<int>(i);
  size_t total = 0;
  for (size_t p = 0; p < order.size(); ++p) {
    base[p] = static_cast<int>(total);
    total += graph.ops[order[p].op].results.size();
  }
  deaths.assign(total, -1);
  for (size_t p = 0; p < order.size(); ++p) {
    int reader = fusion.kernelOf[p], i = reads.begin[p];
    for (const StepOperand &operand : graph.ops[order[p].op].operands)
      if (int source = reads.source[i++]; source >= 0) {
        int &death = deaths[base[source] + place[operand.value]];
        death = std::max(death, reader);
      }
  }
  int lastKernel = fusion.getKernelCount() - 1;
  for (size_t p = 0; p < order.size(); ++p) {
    int birth = fusion.kernelOf[p];
    for (int v : graph.ops[order[p].op].results) {
      int death = deaths[base[p] + place[v]];
      bool returned = graph.values[v].returned && order[p].copy == 0;
      if (returned)
        death = lastKernel;
      else if (death == birth)
        continue; // only its own kernel reads it
      visit(static_cast<int>(p), v, birth, std::max(birth, death));
    }
  }
}

int64_t align(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

PeakMemory memopt::simulatePeak(const StepGraph &graph,
                                const Schedule &schedule,
                                const ScheduleReads &reads,
                                const FusionPlan &fusion,
                                const PeakOptions &options) {
  PeakMemory peak;
  int count = fusion.getKernelCount();
  peak.bytes.assign(count + 1, 0);
  std::vector<char> forward(count, 0);
  for (size_t p = 0; p < schedule.order.size(); ++p)
    forward[fusion.kernelOf[p]] = isForwardRun(graph, schedule.order[p]);
  forEachStorage(
      graph, schedule, reads, fusion, [&](int, int v, int birth, int death) {
        int64_t bytes = align(graph.values[v].bytes, options.alignment);
        peak.bytes[birth] += bytes;
        peak.bytes[death + 1] -= bytes;
        if (forward[birth] && !forward[death] && !graph.values[v].returned)
          peak.savedBytes += graph.values[v].bytes;
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

std::vector<LiveValue> memopt::listLive(const StepGraph &graph,
                                        const Schedule &schedule,
                                        const ScheduleReads &reads,
                                        const FusionPlan &fusion, int kernel,
                                        const PeakOptions &options) {
  std::vector<LiveValue> live;
  forEachStorage(
      graph, schedule, reads, fusion, [&](int p, int v, int birth, int death) {
        if (birth <= kernel && kernel <= death)
          live.push_back({v, schedule.order[p].copy,
                          align(graph.values[v].bytes, options.alignment)});
      });
  return live;
}
