//===- FlatStep.cpp - a step graph in a few arrays ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatStep.h"

using namespace memopt;

FlatStep::FlatStep(const StepGraph &graph) : forwardEnd(graph.forwardEnd) {
  std::vector<int> slots(graph.values.size(), 0);
  for (const StepOp &op : graph.ops)
    for (size_t i = 0; i < op.results.size(); ++i)
      slots[op.results[i]] = static_cast<int>(i);
  auto addOp = [&](const StepOp &op) {
    FlatOp flat{static_cast<int>(operands.size()),
                static_cast<int>(results.size()),
                op.opClass,
                op.movable,
                op.points,
                op.rowLength > 0 ? op.points / op.rowLength : -1,
                0};
    for (const StepOperand &operand : op.operands)
      operands.push_back({operand.value, graph.values[operand.value].op,
                          slots[operand.value], operand.aligned});
    for (int v : op.results) {
      const StepValue &value = graph.values[v];
      results.push_back({v, value.returned, value.bytes});
      flat.resultBytes += value.bytes;
    }
    ops.push_back(flat);
  };
  ops.reserve(graph.ops.size() + 1);
  for (const StepOp &op : graph.ops)
    addOp(op);
  addOp(StepOp());
}
