//===- FlatStep.h - a step graph in a few arrays ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a simulation reads of a step graph, without names and without a list on
// the heap for each op: planning walks all ops of thousands of schedules.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_FLATSTEP_H
#define MEMOPT_LIB_PLANNING_FLATSTEP_H

#include "MemOpt/Planning/StepGraph.h"

namespace memopt {

struct FlatOperand {
  int value;
  int maker; // the op that makes it; -1 for an argument
  int slot;  // which of its maker's results it is
  bool aligned;
};

struct FlatResult {
  int value;
  bool returned;
  int64_t bytes;
};

struct FlatOp {
  /// Where its operands and results begin; those of the next op end them.
  int operandBegin, resultBegin;
  OpClass opClass;
  bool movable;
  /// Of the full iteration space, and how many rows it has (-1: rows have no
  /// length).
  int64_t points, rows;
  int64_t resultBytes; // of all its results
};

/// Immutable.
struct FlatStep {
  explicit FlatStep(const StepGraph &graph);

  int getResultCount(int op) const {
    return ops[op + 1].resultBegin - ops[op].resultBegin;
  }
  bool isForward(Run run) const { return run.copy == 0 && run.op < forwardEnd; }

  std::vector<FlatOp> ops; // and one more, at which the lists end
  std::vector<FlatOperand> operands;
  std::vector<FlatResult> results;
  int forwardEnd;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_FLATSTEP_H
