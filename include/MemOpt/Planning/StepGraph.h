//===- StepGraph.h - a training step without IR -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the planner knows of a training step: ops in program order, the storages
// they make, in bytes, and how each op iterates. Views, broadcasts, transposes,
// constants and inits are gone: an operand is the storage that is read in the
// end. Bytes and FLOPs are exact integers.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_STEPGRAPH_H
#define MEMOPT_PLANNING_STEPGRAPH_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memopt {

/// How an op iterates: what decides which ops can share a kernel.
enum class OpClass : uint8_t {
  Contraction,     ///< matrix products, convolutions: a library's kernel
  Elementwise,     ///< each result point from one point of each operand
  RowReduction,    ///< reduces trailing dimensions: softmax, norms, losses
  ColumnReduction, ///< reduces leading dimensions: bias and gamma gradients
  Movement,        ///< gathers, scatters, concatenations, copies that stay
  Opaque,          ///< anything else: a kernel of its own
};

struct StepOperand {
  int value = -1;
  /// Read at the very point that is computed (or, by a row op, within the very
  /// row), so that inside one kernel it can stay in registers. False for
  /// broadcast, transposed or gathered reads.
  bool aligned = false;
};

struct StepOp {
  OpClass opClass = OpClass::Opaque;
  /// Size of the iteration space (for a reduction: of what is reduced).
  int64_t points = 0;
  /// Points of a row, for RowReduction and for elementwise ops on the same
  /// rows; 1 where rows mean nothing.
  int64_t rowLength = 1;
  int64_t flops = 0;
  /// Bytes of an element of the operands, for the device's rate.
  int elementBytes = 4;
  /// May run twice: no random numbers, side effects, collectives or unknown
  /// calls.
  bool recomputable = true;
  /// May change its place in the order: free of side effects.
  bool movable = true;
  std::vector<StepOperand> operands;
  std::vector<int> results;
};

struct StepValue {
  int64_t bytes = 0;
  /// The op that makes it; -1 for an argument, which is always there.
  int op = -1;
  /// A result of the function: alive to the end, and keeping it costs nothing.
  bool returned = false;
  /// What a person sees in reports: `%12 linalg.batch_matmul`.
  std::string name;
};

/// Ops in program order; ops [0, forwardEnd) are the forward.
struct StepGraph {
  std::vector<StepOp> ops;
  std::vector<StepValue> values;
  int forwardEnd = 0;

  /// Empty where the graph is sane; else what is wrong (operands made later,
  /// negative numbers, sums that pass 2^62).
  std::string check() const;
};

/// One run of an op. Copy 0 is where the step as captured computes it; copies
/// 1, 2, ... are recomputations in the backward, numbered in the order in which
/// they run.
struct Run {
  int op = -1;
  int copy = 0;
};

inline bool operator==(const Run &a, const Run &b) {
  return a.op == b.op && a.copy == b.copy;
}

/// What is kept, what is recomputed, and in which order everything runs.
///
/// A kept value is made by copy 0 and read by everyone. A value that is not
/// kept is read from copy 0 by the forward; the backward, and every
/// recomputation, reads it from the latest recomputation of its op that stands
/// before the reader. The order holds copy 0 of every op, and the
/// recomputations.
struct Schedule {
  std::vector<char> kept; // one flag a value: its copy 0 serves the backward
  std::vector<Run> order;
};

/// True for the runs of the forward: copy 0 of an op before its end.
inline bool isForwardRun(const StepGraph &graph, Run run) {
  return run.copy == 0 && run.op < graph.forwardEnd;
}

/// The step as captured: program order, everything that the backward reads
/// kept.
Schedule captureSchedule(const StepGraph &graph);

/// Where each run's operands come from.
struct ScheduleReads {
  /// The operands of the run at position p are sources [begin[p], begin[p +
  /// 1]), in the op's order of operands.
  std::vector<int> begin;
  /// Position of the run that makes the operand; -1 for an argument.
  std::vector<int> source;
};

/// An op that waits for its operands, and the next of them to look at.
using WaitingOps = std::vector<std::pair<int, size_t>>;

/// Calls run(op) for `first` and for each op that it needs and whose value
/// isThere(value) denies, operands first; run must make isThere true for what
/// the op makes. `waiting` is scratch, empty before and after.
template <typename IsThere, typename RunOp>
void runOperandsFirst(const StepGraph &graph, int first, WaitingOps &waiting,
                      IsThere isThere, RunOp run) {
  waiting.push_back({first, 0});
  while (!waiting.empty()) {
    auto &[op, next] = waiting.back();
    const std::vector<StepOperand> &operands = graph.ops[op].operands;
    while (next < operands.size() && isThere(operands[next].value))
      ++next;
    if (next < operands.size()) {
      waiting.push_back({graph.values[operands[next].value].op, 0});
      continue;
    }
    run(op);
    waiting.pop_back();
  }
}

/// Resolves the reads of a schedule. Empty where the schedule is sane; else
/// what is wrong with it: an op that is missing or runs twice as copy 0, copies
/// out of order, an op run again that may not, a value read before it is made.
std::string resolveReads(const StepGraph &graph, const Schedule &schedule,
                         ScheduleReads &reads);

} // namespace memopt

#endif // MEMOPT_PLANNING_STEPGRAPH_H
