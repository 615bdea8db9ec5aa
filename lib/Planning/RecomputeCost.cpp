//===- RecomputeCost.cpp - what running an op again costs -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/RecomputeCost.h"
#include "MemOpt/Planning/Recomputation.h"

#include <algorithm>

using namespace memopt;

namespace {

constexpr __int128 limit = static_cast<__int128>(1) << 62;

int64_t readBytes(const StepOp &op, int64_t bytes) {
  if (op.opClass == OpClass::Contraction)
    return bytes;
  __int128 points = static_cast<__int128>(op.points) * op.elementBytes;
  return points < bytes ? static_cast<int64_t>(points) : bytes;
}

/// The traffic of each run of a schedule: its share of its kernel's.
class Traffic {
public:
  Traffic(const StepGraph &graph, const Schedule &schedule,
          const ScheduleReads &reads, const FusionPlan &fusion)
      : graph(graph), schedule(schedule), reads(reads), fusion(fusion) {
    findLeaving();
    bytes.assign(schedule.order.size(), 0);
    readIn.assign(graph.values.size(), -1);
    for (int k = 0; k < fusion.getKernelCount(); ++k) {
      // The step's own runs first: what they read, they read anyway.
      for (bool again : {false, true})
        for (int m = fusion.begin[k]; m < fusion.begin[k + 1]; ++m)
          if (int p = fusion.members[m]; (schedule.order[p].copy != 0) == again)
            addRun(p, k);
    }
  }

  /// For each position, bytes that its run reads and writes outside the kernel.
  std::vector<int64_t> bytes;

private:
  const StepOp &opAt(int p) const { return graph.ops[schedule.order[p].op]; }

  /// Marks the results that other kernels read.
  void findLeaving() {
    leaves.assign(schedule.order.size(), {});
    for (size_t p = 0; p < schedule.order.size(); ++p) {
      const StepOp &op = opAt(static_cast<int>(p));
      for (size_t i = 0; i < op.operands.size(); ++i) {
        int source = reads.source[reads.begin[p] + static_cast<int>(i)];
        if (source < 0 || fusion.kernelOf[source] == fusion.kernelOf[p])
          continue;
        auto &list = leaves[source];
        int v = op.operands[i].value;
        if (std::find(list.begin(), list.end(), v) == list.end())
          list.push_back(v);
      }
    }
  }

  void addRun(int p, int kernel) {
    const StepOp &op = opAt(p);
    int64_t sum = 0;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      int source = reads.source[reads.begin[p] + static_cast<int>(i)];
      int v = op.operands[i].value;
      if (source >= 0 && fusion.kernelOf[source] == kernel)
        continue;
      if (readIn[v] == kernel)
        continue;
      readIn[v] = kernel;
      sum += readBytes(op, graph.values[v].bytes);
    }
    for (int v : op.results) {
      bool returned = graph.values[v].returned && schedule.order[p].copy == 0;
      if (returned ||
          std::find(leaves[p].begin(), leaves[p].end(), v) != leaves[p].end())
        sum += graph.values[v].bytes;
    }
    bytes[p] = sum;
  }

  const StepGraph &graph;
  const Schedule &schedule;
  const ScheduleReads &reads;
  const FusionPlan &fusion;
  std::vector<std::vector<int>> leaves;
  std::vector<int> readIn; // the last kernel that read the value from outside
};

/// Every value that is no contraction's (or a gather's) is recomputed.
KeepChoice referenceChoice(const StepGraph &graph) {
  KeepChoice choice;
  for (const StepValue &value : graph.values) {
    OpClass c = value.op < 0 ? OpClass::Opaque : graph.ops[value.op].opClass;
    choice.kept.push_back(c == OpClass::Contraction || c == OpClass::Movement ||
                          c == OpClass::Opaque);
  }
  choice.rebuilt.assign(graph.values.size(), 1);
  return choice;
}

int64_t ownTraffic(const StepGraph &graph, const StepOp &op) {
  int64_t bytes = 0;
  for (const StepOperand &operand : op.operands)
    bytes += readBytes(op, graph.values[operand.value].bytes);
  for (int v : op.results)
    bytes += graph.values[v].bytes;
  return bytes;
}

/// No sum of a few terms below may overflow: reads repeat a value once an op.
std::string checkTraffic(const StepGraph &graph) {
  __int128 sum = 0;
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    for (const StepOperand &operand : graph.ops[o].operands)
      sum += graph.values[operand.value].bytes;
    for (int v : graph.ops[o].results)
      sum += graph.values[v].bytes;
    if (sum > limit)
      return "the traffic up to op " + std::to_string(o) + " passes 2^62 bytes";
  }
  return {};
}

} // namespace

std::vector<int64_t> memopt::priceOps(const StepGraph &graph,
                                      const Device &device,
                                      std::string &error) {
  if (error = graph.check(); !error.empty())
    return {};
  if (error = checkTraffic(graph); !error.empty())
    return {};
  Schedule schedule = RecomputationPlacer(graph, captureSchedule(graph))
                          .place(referenceChoice(graph));
  ScheduleReads reads;
  if (error = resolveReads(graph, schedule, reads); !error.empty())
    return {};
  FusionPlan fusion = fuse(graph, schedule, reads);
  Traffic traffic(graph, schedule, reads, fusion);
  std::vector<int64_t> bytes(graph.ops.size(), 0), prices;
  for (size_t p = 0; p < schedule.order.size(); ++p) {
    Run run = schedule.order[p];
    // What the original said counts only where no copy runs.
    bytes[run.op] = run.copy > 1 ? std::max(bytes[run.op], traffic.bytes[p])
                                 : traffic.bytes[p];
  }
  __int128 sum = 0;
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const StepOp &op = graph.ops[o];
    int64_t moved =
        op.opClass == OpClass::Contraction ? ownTraffic(graph, op) : bytes[o];
    int64_t flops = op.opClass == OpClass::Contraction ? op.flops : 0;
    auto price = device.rooflinePicoseconds(flops, op.elementBytes, moved);
    sum += price.value_or(0);
    if (!price || sum > limit) {
      error =
          "the cost up to op " + std::to_string(o) + " passes 2^62 picoseconds";
      return {};
    }
    prices.push_back(*price);
  }
  return prices;
}

std::optional<int64_t> memopt::timeSchedule(const StepGraph &graph,
                                            const Schedule &schedule,
                                            const ScheduleReads &reads,
                                            const FusionPlan &fusion,
                                            const Device &device) {
  Traffic traffic(graph, schedule, reads, fusion);
  __int128 sum = 0;
  for (int k = 0; k < fusion.getKernelCount(); ++k) {
    __int128 bytes = 0, flops = 0;
    int elementBytes = 1;
    for (int m = fusion.begin[k]; m < fusion.begin[k + 1]; ++m) {
      int p = fusion.members[m];
      const StepOp &op = graph.ops[schedule.order[p].op];
      bytes += traffic.bytes[p];
      // FLOPs outside matrix products do not bound a kernel.
      if (op.opClass == OpClass::Contraction) {
        flops += op.flops;
        elementBytes = std::max(elementBytes, op.elementBytes);
      }
    }
    if (bytes > limit || flops > limit)
      return std::nullopt;
    auto time = device.rooflinePicoseconds(
        static_cast<int64_t>(flops), elementBytes, static_cast<int64_t>(bytes));
    if (!time || (sum += *time) > limit)
      return std::nullopt;
  }
  return static_cast<int64_t>(sum);
}
