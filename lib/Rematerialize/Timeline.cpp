//===- Timeline.cpp - bytes by kind over a schedule -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include <algorithm>

using namespace memopt;

static constexpr int samples = 400;

/// Which forward values the backward reads from the forward.
static std::vector<char> findCrossing(const StepGraph &graph,
                                      const Schedule &schedule,
                                      const ScheduleReads &reads) {
  std::vector<char> crosses(graph.values.size(), 0);
  for (size_t p = 0; p < schedule.order.size(); ++p) {
    if (isForwardRun(graph, schedule.order[p]))
      continue;
    const StepOp &op = graph.ops[schedule.order[p].op];
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (int source = reads.source[reads.begin[p] + i];
          source >= 0 && isForwardRun(graph, schedule.order[source]))
        crosses[op.operands[i].value] = 1;
  }
  return crosses;
}

static MemoryKind getKind(const StepGraph &graph, const LiveValue &live,
                          const std::vector<char> &crosses) {
  const StepValue &value = graph.values[live.value];
  if (live.copy > 0)
    return Recomputed;
  if (value.returned)
    return Results;
  if (!crosses[live.value])
    return Transients;
  bool isCode = value.name.find("memopt.encode") != std::string::npos;
  return isCode ? Codes : Activations;
}

Timeline memopt::traceSchedule(const StepGraph &graph,
                               const Schedule &schedule) {
  Timeline timeline;
  ScheduleReads reads;
  if (!resolveReads(graph, schedule, reads).empty())
    return timeline;
  FusionPlan fusion = fuse(graph, schedule, reads);
  PeakMemory peak = simulatePeak(graph, schedule, reads, fusion);
  std::vector<char> crosses = findCrossing(graph, schedule, reads);
  int64_t arguments = 0;
  for (const StepValue &value : graph.values)
    arguments += value.op < 0 ? value.bytes : 0;
  int count = fusion.getKernelCount();
  int step = std::max(1, (count + samples - 1) / samples);
  bool forward = true;
  for (int first = 0; first < count; first += step) {
    auto begin = peak.bytes.begin() + first;
    auto end = peak.bytes.begin() + std::min(first + step, count);
    int kernel =
        static_cast<int>(std::max_element(begin, end) - peak.bytes.begin());
    int position = fusion.members[fusion.begin[first]];
    if (forward && !isForwardRun(graph, schedule.order[position])) {
      forward = false;
      timeline.backward = timeline.bytes.size();
    }
    std::array<int64_t, KindCount> bytes{};
    bytes[Arguments] = arguments;
    for (const LiveValue &live :
         listLive(graph, schedule, reads, fusion, kernel))
      bytes[getKind(graph, live, crosses)] += live.bytes;
    timeline.bytes.push_back(bytes);
  }
  return timeline;
}
