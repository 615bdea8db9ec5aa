//===- StepGraph.cpp - a training step without IR -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/StepGraph.h"

using namespace memopt;

namespace {

constexpr __int128 limit = static_cast<__int128>(1) << 62;

std::string opName(size_t o) { return "op " + std::to_string(o); }

/// What is wrong with one op's operands and results, or nothing.
std::string checkOp(const StepGraph &graph, size_t o) {
  const StepOp &op = graph.ops[o];
  int valueCount = static_cast<int>(graph.values.size());
  if (op.points < 0 || op.flops < 0 || op.rowLength < 1 || op.elementBytes < 1)
    return opName(o) + " has a negative size, or an empty row or element";
  for (const StepOperand &operand : op.operands) {
    if (operand.value < 0 || operand.value >= valueCount)
      return opName(o) + " reads value " + std::to_string(operand.value) +
             ", which does not exist";
    if (graph.values[operand.value].op >= static_cast<int>(o))
      return opName(o) + " reads value " + std::to_string(operand.value) +
             ", which no earlier op makes";
  }
  for (int v : op.results)
    if (v < 0 || v >= valueCount || graph.values[v].op != static_cast<int>(o))
      return opName(o) + " and its result " + std::to_string(v) +
             " do not name each other";
  return {};
}

/// Follows a schedule run by run.
class ReadResolver {
public:
  ReadResolver(const StepGraph &graph, const Schedule &schedule,
               ScheduleReads &reads)
      : graph(graph), schedule(schedule), reads(reads),
        first(graph.ops.size(), -1), latest(graph.ops.size(), -1),
        copies(graph.ops.size(), 0) {}

  std::string resolve() {
    if (schedule.kept.size() != graph.values.size())
      return "the schedule has not one flag for each value";
    reads.begin.assign(1, 0);
    reads.source.clear();
    for (size_t p = 0; p < schedule.order.size(); ++p) {
      if (std::string error = resolveRun(static_cast<int>(p)); !error.empty())
        return "position " + std::to_string(p) + ": " + error;
      reads.begin.push_back(static_cast<int>(reads.source.size()));
    }
    for (size_t o = 0; o < graph.ops.size(); ++o)
      if (first[o] < 0)
        return opName(o) + " does not run";
    return {};
  }

private:
  std::string resolveRun(int position) {
    Run run = schedule.order[position];
    if (run.op < 0 || run.op >= static_cast<int>(graph.ops.size()))
      return "no such op: " + std::to_string(run.op);
    if (run.copy != 0 && !graph.ops[run.op].recomputable)
      return opName(run.op) + " may not run again";
    bool forward = isForwardRun(graph, run);
    for (const StepOperand &operand : graph.ops[run.op].operands) {
      int maker = graph.values[operand.value].op;
      int source = -1;
      if (maker >= 0) {
        bool original = forward || maker >= graph.forwardEnd ||
                        schedule.kept[operand.value];
        source = original ? first[maker] : latest[maker];
        if (source < 0)
          return opName(run.op) + " reads value " +
                 std::to_string(operand.value) + ", which is not there yet";
      }
      reads.source.push_back(source);
    }
    int expected =
        run.copy == 0 ? (first[run.op] < 0 ? 0 : -1) : copies[run.op] + 1;
    if (run.copy != expected)
      return opName(run.op) + " runs as copy " + std::to_string(run.copy) +
             " out of turn";
    if (run.copy == 0)
      first[run.op] = position;
    else
      latest[run.op] = position, copies[run.op] = run.copy;
    return {};
  }

  const StepGraph &graph;
  const Schedule &schedule;
  ScheduleReads &reads;
  std::vector<int> first, latest, copies;
};

} // namespace

std::string StepGraph::check() const {
  __int128 bytes = 0, flops = 0;
  for (size_t v = 0; v < values.size(); ++v) {
    const StepValue &value = values[v];
    if (value.bytes < 0)
      return "value " + std::to_string(v) + " has a negative size";
    if (value.op < -1 || value.op >= static_cast<int>(ops.size()))
      return "value " + std::to_string(v) + " is made by no op";
    bytes += value.bytes;
    if (bytes > limit)
      return "the bytes up to value " + std::to_string(v) + " pass 2^62";
  }
  std::vector<char> made(values.size(), 0);
  for (size_t o = 0; o < ops.size(); ++o) {
    if (std::string error = checkOp(*this, o); !error.empty())
      return error;
    for (int v : ops[o].results)
      made[v] = 1;
    flops += ops[o].flops;
    if (flops > limit)
      return "the FLOPs up to " + opName(o) + " pass 2^62";
  }
  for (size_t v = 0; v < values.size(); ++v)
    if (values[v].op >= 0 && !made[v])
      return opName(values[v].op) + " does not list its result " +
             std::to_string(v);
  if (forwardEnd < 0 || forwardEnd > static_cast<int>(ops.size()))
    return "the forward ends outside the step";
  return {};
}

Schedule memopt::captureSchedule(const StepGraph &graph) {
  Schedule schedule;
  schedule.kept.assign(graph.values.size(), 1);
  for (size_t o = 0; o < graph.ops.size(); ++o)
    schedule.order.push_back({static_cast<int>(o), 0});
  return schedule;
}

std::string memopt::resolveReads(const StepGraph &graph,
                                 const Schedule &schedule,
                                 ScheduleReads &reads) {
  return ReadResolver(graph, schedule, reads).resolve();
}
