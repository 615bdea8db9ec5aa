//===- Recomputation.cpp - where recomputed values are made ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Recomputation.h"
#include "FlatStep.h"

#include <algorithm>

using namespace memopt;

namespace {

/// In the place of a position.
constexpr int argument = -1, missing = -2;

/// One pass over the backward that makes what is missing.
class Placement {
public:
  /// `found`: for each value the position at which the forward makes it for the
  /// backward, or `argument`, or `missing`; `anew`: flags of values that are
  /// made anew for each group. Appends to the order and the reads of the
  /// forward.
  Placement(const FlatStep &step, std::vector<int> found,
            const std::vector<char> &anew, std::vector<Run> &order,
            ScheduleReads &reads)
      : step(step), found(std::move(found)), anew(anew), order(order),
        reads(reads), again(this->found.size(), 0), copies(step.ops.size(), 0),
        visited(step.ops.size(), 0) {
    for (size_t v = 0; v < again.size(); ++v)
      again[v] = this->found[v] == missing;
  }

  void makeGroup(const int *begin, const int *end) {
    // Values that take a contraction come first.
    wanted.clear();
    for (const int *o = begin; o != end; ++o)
      forEachOperand(*o, [&](const FlatOperand &operand) {
        if (found[operand.value] == missing)
          wanted.push_back(operand);
      });
    if (wanted.size() > 1)
      std::stable_partition(wanted.begin(), wanted.end(),
                            [&](const FlatOperand &operand) {
                              return takesContraction(operand.maker);
                            });
    for (const FlatOperand &operand : wanted)
      if (found[operand.value] == missing)
        make(operand.maker);
    for (const int *o = begin; o != end; ++o)
      run(*o, 0);
    for (int v : passing)
      found[v] = missing;
    passing.clear();
  }

private:
  template <typename F> void forEachOperand(int op, F visit) const {
    for (int i = step.ops[op].operandBegin, e = step.ops[op + 1].operandBegin;
         i < e; ++i)
      visit(step.operands[i]);
  }

  /// Runs an op on what its operands are now.
  void run(int op, int copy) {
    int position = static_cast<int>(order.size());
    order.push_back({op, copy});
    forEachOperand(op, [&](const FlatOperand &operand) {
      reads.source.push_back(found[operand.value]);
    });
    reads.begin.push_back(static_cast<int>(reads.source.size()));
    for (int r = step.ops[op].resultBegin, e = step.ops[op + 1].resultBegin;
         r < e; ++r) {
      int v = step.results[r].value;
      // What is kept is read from copy 0, also where the op runs again.
      if (copy == 0 || again[v])
        found[v] = position;
      if (copy > 0 && again[v] && anew[v])
        passing.push_back(v);
    }
  }

  /// Runs an op again, and before it what makes the operands that are missing.
  void make(int first) {
    waiting.push_back({first, step.ops[first].operandBegin});
    while (!waiting.empty()) {
      auto &[op, next] = waiting.back();
      int end = step.ops[op + 1].operandBegin;
      while (next < end && found[step.operands[next].value] != missing)
        ++next;
      if (next < end) {
        int maker = step.operands[next].maker;
        waiting.push_back({maker, step.ops[maker].operandBegin});
        continue;
      }
      run(op, ++copies[op]);
      waiting.pop_back();
    }
  }

  /// Whether running an op again, with what that needs, runs a contraction.
  bool takesContraction(int first) {
    ++visit;
    walk.assign(1, first);
    while (!walk.empty()) {
      int op = walk.back();
      walk.pop_back();
      if (step.ops[op].opClass == OpClass::Contraction)
        return true;
      forEachOperand(op, [&](const FlatOperand &operand) {
        if (found[operand.value] != missing || visited[operand.maker] == visit)
          return;
        visited[operand.maker] = visit;
        walk.push_back(operand.maker);
      });
    }
    return false;
  }

  const FlatStep &step;
  /// Where the backward reads each value now.
  std::vector<int> found;
  const std::vector<char> &anew;
  std::vector<Run> &order;
  ScheduleReads &reads;
  /// Flags of values that are made again, how often each op ran again, and
  /// values that are there for this group only.
  std::vector<char> again;
  std::vector<int> copies, passing;
  std::vector<FlatOperand> wanted;
  /// Ops that wait for their operands, and the next of them to look at.
  std::vector<std::pair<int, int>> waiting;
  std::vector<int> walk, visited;
  int visit = 0;
};

} // namespace

RecomputationPlacer::RecomputationPlacer(const StepGraph &graph,
                                         const Schedule &base)
    : graph(graph), step(std::make_shared<FlatStep>(graph)),
      made(graph.values.size(), argument), alwaysKept(graph.values.size(), 0) {
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
        addForward(run);
      else
        backward.push_back(run.op);
    }
    if (static_cast<int>(backward.size()) > groupBegin.back())
      groupBegin.push_back(static_cast<int>(backward.size()));
  }
}

void RecomputationPlacer::addForward(Run run) {
  int position = static_cast<int>(forward.size());
  forward.push_back(run);
  for (const StepOperand &operand : graph.ops[run.op].operands)
    forwardReads.source.push_back(made[operand.value]);
  forwardReads.begin.push_back(static_cast<int>(forwardReads.source.size()));
  for (int v : graph.ops[run.op].results)
    made[v] = position;
}

Schedule RecomputationPlacer::place(const KeepChoice &choice) const {
  ScheduleReads reads;
  return place(choice, reads);
}

Schedule RecomputationPlacer::place(const KeepChoice &choice,
                                    ScheduleReads &reads) const {
  Schedule schedule;
  schedule.kept = choice.kept;
  std::vector<int> found = made;
  for (size_t v = 0; v < alwaysKept.size(); ++v) {
    schedule.kept[v] |= alwaysKept[v];
    if (!schedule.kept[v] && found[v] >= 0)
      found[v] = missing;
  }
  schedule.order = forward;
  reads = forwardReads;
  Placement placement(*step, std::move(found), choice.rebuilt, schedule.order,
                      reads);
  for (size_t g = 0; g + 1 < groupBegin.size(); ++g)
    placement.makeGroup(&backward[0] + groupBegin[g],
                        &backward[0] + groupBegin[g + 1]);
  return schedule;
}
