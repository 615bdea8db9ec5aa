//===- ChoiceModel.cpp - a step as a graph of choices ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/ChoiceModel.h"

using namespace memopt;

ChoiceModel::ChoiceModel(const StepGraph &step,
                         const std::vector<int64_t> &prices) {
  // Backwards: what the backward reads, and what its makers read.
  std::vector<char> wanted(step.ops.size(), 0);
  std::vector<char> needed(step.values.size(), 0);
  for (size_t o = step.forwardEnd; o < step.ops.size(); ++o)
    for (const StepOperand &operand : step.ops[o].operands)
      if (int maker = step.values[operand.value].op;
          maker >= 0 && maker < step.forwardEnd) {
        needed[operand.value] = 1;
        wanted[maker] = 1;
      }
  for (int o = step.forwardEnd - 1; o >= 0; --o)
    if (wanted[o])
      for (const StepOperand &operand : step.ops[o].operands)
        if (int maker = step.values[operand.value].op; maker >= 0)
          wanted[maker] = 1;
  choiceValue.assign(step.values.size(), -1);
  for (int o = 0; o < step.forwardEnd; ++o) {
    if (!wanted[o])
      continue;
    std::vector<int> operands;
    for (const StepOperand &operand : step.ops[o].operands)
      if (choiceValue[operand.value] >= 0)
        operands.push_back(choiceValue[operand.value]);
    std::vector<int64_t> bytes;
    for (int v : step.ops[o].results) {
      choiceValue[v] = static_cast<int>(stepValue.size());
      stepValue.push_back(v);
      bytes.push_back(step.values[v].returned ? 0 : step.values[v].bytes);
    }
    graph.addOp(prices[o], step.ops[o].recomputable, std::move(operands),
                bytes);
    stepOp.push_back(o);
  }
  for (size_t v = 0; v < stepValue.size(); ++v)
    if (needed[stepValue[v]])
      graph.setNeeded(static_cast<int>(v));
}

std::vector<char> ChoiceModel::toStep(const std::vector<char> &kept) const {
  std::vector<char> flags(choiceValue.size(), 0);
  for (size_t v = 0; v < kept.size(); ++v)
    flags[stepValue[v]] = kept[v];
  return flags;
}

std::vector<char> ChoiceModel::flags(const ChoicePlan &plan) const {
  std::vector<char> kept(stepValue.size(), 0);
  for (int v : plan.kept)
    kept[v] = 1;
  return kept;
}

ChoiceState::ChoiceState(const ChoiceGraph &graph,
                         const std::vector<char> &kept)
    : graph(&graph), kept(kept), uses(graph.getValues().size(), 0),
      demanded(graph.getOps().size(), 0) {
  for (const ChoiceValue &value : graph.getValues()) {
    if (value.needed)
      pending.push_back(static_cast<int>(pinned.size()));
    pinned.push_back(value.bytes == 0 ||
                     !graph.getOps()[value.op].recomputable);
  }
  settle();
}

void ChoiceState::toggle(int value) {
  if (pinned[value]) {
    kept[value] ^= 1;
    return;
  }
  int count = uses[value];
  if (count > 0) {
    uses[value] = 1;
    release(value);
    settle();
  }
  kept[value] ^= 1;
  if (count > 0) {
    want(value);
    settle();
    uses[value] = count;
  }
}

/// One more use; the first one keeps the value or runs its op.
void ChoiceState::want(int value) {
  if (uses[value]++ > 0)
    return;
  if (isKept(value)) {
    bytes += graph->getValues()[value].bytes;
    return;
  }
  int op = graph->getValues()[value].op;
  if (demanded[op]++ > 0)
    return;
  cost += graph->getOps()[op].cost;
  for (int u : graph->getOps()[op].operands)
    pending.push_back(u);
}

/// One use less; the last one undoes what the first one did.
void ChoiceState::release(int value) {
  if (--uses[value] > 0)
    return;
  if (isKept(value)) {
    bytes -= graph->getValues()[value].bytes;
    return;
  }
  int op = graph->getValues()[value].op;
  if (--demanded[op] > 0)
    return;
  cost -= graph->getOps()[op].cost;
  for (int u : graph->getOps()[op].operands)
    pending.push_back(-u - 1);
}

void ChoiceState::settle() {
  while (!pending.empty()) {
    int v = pending.back();
    pending.pop_back();
    if (v >= 0)
      want(v);
    else
      release(-v - 1);
  }
}
