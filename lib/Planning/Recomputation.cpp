//===- Recomputation.cpp - where recomputed values are made ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Recomputation.h"

#include <algorithm>

using namespace memopt;

namespace {

/// One pass over the backward that makes what is missing.
class Placement {
public:
  Placement(const StepGraph &graph, const KeepChoice &choice,
            const std::vector<char> &alwaysKept, std::vector<Run> &order)
      : graph(graph), choice(choice), alwaysKept(alwaysKept), order(order),
        copies(graph.ops.size(), 0), madeIn(graph.ops.size(), -1) {}

  void makeGroup(const int *begin, const int *end, int groupNumber) {
    group = groupNumber;
    // Values that take a contraction come first.
    missing.clear();
    for (const int *o = begin; o != end; ++o)
      for (const StepOperand &operand : graph.ops[*o].operands)
        if (!isThere(operand.value))
          missing.push_back(operand.value);
    if (missing.size() > 1)
      std::stable_partition(missing.begin(), missing.end(),
                            [&](int v) { return takesContraction(v); });
    for (int v : missing)
      make(v);
    for (const int *o = begin; o != end; ++o)
      order.push_back({*o, 0});
  }

private:
  /// Whether a backward run can read the value now.
  bool isThere(int v) const {
    int maker = graph.values[v].op;
    if (maker < 0 || maker >= graph.forwardEnd || choice.kept[v] ||
        alwaysKept[v])
      return true;
    return choice.rebuilt[v] ? madeIn[maker] == group : copies[maker] > 0;
  }

  /// Makes a value with all it needs, operands first.
  void make(int v) {
    if (isThere(v))
      return;
    runOperandsFirst(
        graph, graph.values[v].op, waiting,
        [&](int operand) { return isThere(operand); },
        [&](int op) {
          order.push_back({op, ++copies[op]});
          madeIn[op] = group;
        });
  }

  /// Whether making the value runs a contraction.
  bool takesContraction(int v) {
    if (visited.empty())
      visited.assign(graph.ops.size(), -1);
    ++visit;
    walk.assign(1, graph.values[v].op);
    while (!walk.empty()) {
      int op = walk.back();
      walk.pop_back();
      if (graph.ops[op].opClass == OpClass::Contraction)
        return true;
      for (const StepOperand &operand : graph.ops[op].operands) {
        int maker = graph.values[operand.value].op;
        if (isThere(operand.value) || visited[maker] == visit)
          continue;
        visited[maker] = visit;
        walk.push_back(maker);
      }
    }
    return false;
  }

  const StepGraph &graph;
  const KeepChoice &choice;
  const std::vector<char> &alwaysKept;
  std::vector<Run> &order;
  std::vector<int> copies, madeIn;
  int group = 0, visit = 0;
  std::vector<int> missing, walk, visited;
  WaitingOps waiting;
};

} // namespace

RecomputationPlacer::RecomputationPlacer(const StepGraph &graph,
                                         const Schedule &base)
    : graph(graph), alwaysKept(graph.values.size(), 0) {
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const StepValue &value = graph.values[v];
    alwaysKept[v] = value.op < 0 || value.returned || value.bytes == 0 ||
                    !graph.ops[value.op].recomputable;
  }
  ScheduleReads reads;
  if (!resolveReads(graph, base, reads).empty())
    return;
  FusionPlan kernels = fuse(graph, base, reads);
  groupBegin.push_back(0);
  for (int k = 0; k < kernels.getKernelCount(); ++k) {
    for (int m = kernels.begin[k]; m < kernels.begin[k + 1]; ++m) {
      Run run = base.order[kernels.members[m]];
      if (isForwardRun(graph, run))
        forward.push_back(run);
      else
        backward.push_back(run.op);
    }
    if (static_cast<int>(backward.size()) > groupBegin.back())
      groupBegin.push_back(static_cast<int>(backward.size()));
  }
}

Schedule RecomputationPlacer::place(const KeepChoice &choice) const {
  Schedule schedule;
  schedule.kept = choice.kept;
  for (size_t v = 0; v < alwaysKept.size(); ++v)
    schedule.kept[v] |= alwaysKept[v];
  schedule.order = forward;
  Placement placement(graph, choice, alwaysKept, schedule.order);
  for (size_t g = 0; g + 1 < groupBegin.size(); ++g)
    placement.makeGroup(&backward[0] + groupBegin[g],
                        &backward[0] + groupBegin[g + 1], static_cast<int>(g));
  return schedule;
}
