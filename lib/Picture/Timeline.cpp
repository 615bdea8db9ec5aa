//===- Timeline.cpp - bytes by kind over a schedule -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Picture/Timeline.h"
#include "MemOpt/Analysis/FusedStep.h"
#include "MemOpt/Analysis/Repeats.h"

#include <algorithm>

using namespace mlir;
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

namespace {
/// Says what the storages of a schedule are for.
class Kinds {
public:
  Kinds(const TrainingStep &step, const BuiltStepGraph &built,
        const Schedule &schedule, const ScheduleReads &reads)
      : built(built), crosses(findCrossing(built.graph, schedule, reads)),
        repeats(built.graph.ops.size(), 0) {
    // A step that was rematerialized already has its copies as ops.
    for (Operation *op : findRecomputed(step.getBody(), step.getForwardEnd()))
      if (auto entry = built.opIndex.find(op); entry != built.opIndex.end())
        repeats[entry->second] = 1;
  }

  MemoryKind get(const LiveValue &live) const {
    const StepValue &value = built.graph.values[live.value];
    if (live.copy > 0)
      return Recomputed;
    if (value.returned)
      return Results;
    if (value.op >= 0 && repeats[value.op])
      return Recomputed;
    if (!crosses[live.value])
      return Transients;
    Type element = getElementTypeOrSelf(built.values[live.value].getType());
    return element.isInteger(8) ? Codes : Activations;
  }

private:
  const BuiltStepGraph &built;
  std::vector<char> crosses, repeats;
};
} // namespace

Timeline memopt::traceSchedule(const TrainingStep &step,
                               const BuiltStepGraph &built,
                               const Schedule &schedule) {
  const StepGraph &graph = built.graph;
  Timeline timeline;
  ScheduleReads reads;
  if (!resolveReads(graph, schedule, reads).empty())
    return timeline;
  FusionPlan fusion = fuse(graph, schedule, reads);
  PeakMemory peak = simulatePeak(graph, schedule, reads, fusion);
  Kinds kinds(step, built, schedule, reads);
  int64_t arguments = 0;
  for (const StepValue &value : graph.values)
    arguments += value.op < 0 ? value.bytes : 0;
  int count = fusion.getKernelCount();
  int stride = std::max(1, (count + samples - 1) / samples);
  bool forward = true;
  for (int first = 0; first < count; first += stride) {
    auto begin = peak.bytes.begin() + first;
    auto end = peak.bytes.begin() + std::min(first + stride, count);
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
      bytes[kinds.get(live)] += live.bytes;
    timeline.bytes.push_back(bytes);
  }
  return timeline;
}

FailureOr<Timeline> memopt::traceAsWritten(const TrainingStep &step) {
  FailureOr<FusedStep> fused = fuseAsWritten(step);
  if (failed(fused))
    return failure();
  return traceSchedule(step, fused->built, fused->schedule);
}
