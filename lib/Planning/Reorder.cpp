//===- Reorder.cpp - an order that needs less at once ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Reorder.h"

#include <algorithm>
#include <set>

using namespace memopt;

namespace {

/// List scheduling of the kernels of a schedule.
class Reorderer {
public:
  Reorderer(const StepGraph &graph, const Schedule &base,
            const ScheduleReads &reads, const FusionPlan &fusion)
      : graph(graph), base(base), fusion(fusion) {
    int count = fusion.getKernelCount();
    readers.resize(count);
    waiting.assign(count, 0);
    forward.assign(count, 0);
    readersLeft.assign(graph.values.size(), 0);
    int fixed = -1;
    for (int k = 0; k < count; ++k) {
      std::set<int> before;
      bool movable = true;
      for (int m = fusion.begin[k]; m < fusion.begin[k + 1]; ++m) {
        int p = fusion.members[m];
        forward[k] |= isForwardRun(graph, base.order[p]);
        if (base.order[p].op == graph.forwardEnd - 1)
          forwardEnd = k;
        movable &= graph.ops[base.order[p].op].movable;
        for (int r = reads.begin[p]; r < reads.begin[p + 1]; ++r)
          if (reads.source[r] >= 0)
            before.insert(fusion.kernelOf[reads.source[r]]);
      }
      if (!movable) {
        if (fixed >= 0)
          before.insert(fixed);
        fixed = k;
      }
      before.erase(k);
      waiting[k] = static_cast<int>(before.size());
      for (int b : before)
        readers[b].push_back(k);
      for (int v : readsOf(k))
        ++readersLeft[v];
    }
  }

  std::vector<Run> run() {
    for (bool side : {true, false}) {
      int left = 0;
      for (int k = 0; k < fusion.getKernelCount(); ++k)
        if (forward[k] == side) {
          ++left;
          if (waiting[k] == 0)
            ready.insert(k);
        }
      for (; left > 0; --left)
        emit(choose());
    }
    return std::move(order);
  }

private:
  /// Values that a kernel reads from outside, each once.
  std::vector<int> readsOf(int kernel) const {
    std::vector<int> values;
    for (int m = fusion.begin[kernel]; m < fusion.begin[kernel + 1]; ++m)
      for (const StepOperand &operand :
           graph.ops[base.order[fusion.members[m]].op].operands)
        values.push_back(operand.value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  /// Bytes that are free after the kernel less those that it leaves.
  int64_t gain(int kernel) const {
    int64_t bytes = 0;
    for (int v : readsOf(kernel)) {
      const StepValue &value = graph.values[v];
      if (value.op >= 0 && !value.returned && readersLeft[v] == 1)
        bytes += value.bytes;
    }
    for (int m = fusion.begin[kernel]; m < fusion.begin[kernel + 1]; ++m)
      for (int v : graph.ops[base.order[fusion.members[m]].op].results)
        if (readersLeft[v] > 0 || graph.values[v].returned)
          bytes -= graph.values[v].bytes;
    return bytes;
  }

  /// The first ready kernel that frees at least what it leaves, else the first.
  /// The one that ends the forward waits for all others of the forward.
  int choose() const {
    int first = -1;
    for (int k : ready) {
      if (k == forwardEnd && ready.size() > 1)
        continue;
      if (gain(k) >= 0)
        return k;
      if (first < 0)
        first = k;
    }
    return first;
  }

  void emit(int kernel) {
    ready.erase(kernel);
    for (int m = fusion.begin[kernel]; m < fusion.begin[kernel + 1]; ++m)
      order.push_back(base.order[fusion.members[m]]);
    for (int v : readsOf(kernel))
      --readersLeft[v];
    for (int reader : readers[kernel])
      if (--waiting[reader] == 0 && forward[reader] == forward[kernel])
        ready.insert(reader);
  }

  const StepGraph &graph;
  const Schedule &base;
  const FusionPlan &fusion;
  std::vector<std::vector<int>> readers;
  std::vector<int> waiting, readersLeft;
  std::vector<char> forward;
  int forwardEnd = -1; // the kernel of the forward's last op
  std::set<int> ready;
  std::vector<Run> order;
};

/// True where the op that ends the forward is the last one of it: what stands
/// before it in the order counts as saved by who reads the step again.
bool endsForward(const StepGraph &graph, const std::vector<Run> &order) {
  int last = -1;
  for (const Run &run : order)
    if (isForwardRun(graph, run))
      last = run.op;
  return last == graph.forwardEnd - 1;
}

/// (peak, bytes summed over the ops of the step).
std::pair<int64_t, __int128> judge(const StepGraph &graph,
                                   const Schedule &schedule,
                                   const PeakOptions &options) {
  ScheduleReads reads;
  if (!resolveReads(graph, schedule, reads).empty())
    return {INT64_MAX, 0};
  FusionPlan fusion = fuse(graph, schedule, reads);
  PeakMemory peak = simulatePeak(graph, schedule, reads, fusion, options);
  __int128 sum = 0;
  for (int k : fusion.kernelOf)
    sum += peak.bytes[k];
  return {peak.peakBytes, sum};
}

} // namespace

Schedule memopt::reorderStep(const StepGraph &graph,
                             const PeakOptions &options) {
  Schedule base = captureSchedule(graph), better = base;
  ScheduleReads reads;
  if (!resolveReads(graph, base, reads).empty())
    return base;
  FusionPlan fusion = fuse(graph, base, reads);
  better.order = Reorderer(graph, base, reads, fusion).run();
  if (!endsForward(graph, better.order))
    return base;
  return judge(graph, better, options) < judge(graph, base, options) ? better
                                                                     : base;
}
