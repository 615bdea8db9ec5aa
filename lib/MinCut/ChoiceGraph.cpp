//===- ChoiceGraph.cpp - what to keep, what to recompute ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/MinCut/ChoiceGraph.h"

#include <algorithm>

using namespace memopt;

int ChoiceGraph::addOp(int64_t cost, bool recomputable,
                       std::vector<int> operands,
                       const std::vector<int64_t> &resultBytes) {
  int index = static_cast<int>(ops.size());
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  ops.push_back({cost, recomputable, std::move(operands), {}});
  for (int64_t bytes : resultBytes) {
    ops.back().results.push_back(static_cast<int>(values.size()));
    values.push_back({bytes, false, index, true});
  }
  return index;
}

std::string ChoiceGraph::check() const {
  constexpr __int128 limit = static_cast<__int128>(1) << 62;
  __int128 bytes = 0, cost = 0;
  for (size_t v = 0; v < values.size(); ++v) {
    if (values[v].bytes < 0)
      return "value " + std::to_string(v) + " has a negative size";
    if (!values[v].keepable && !ops[values[v].op].recomputable)
      return "value " + std::to_string(v) +
             " may neither be kept nor recomputed";
    bytes += values[v].bytes;
    if (bytes > limit)
      return "the bytes up to value " + std::to_string(v) + " pass 2^62";
  }
  for (size_t o = 0; o < ops.size(); ++o) {
    if (ops[o].cost < 0)
      return "op " + std::to_string(o) + " has a negative cost";
    cost += ops[o].cost;
    if (cost > limit)
      return "the costs up to op " + std::to_string(o) + " pass 2^62";
    for (int u : ops[o].operands)
      if (u < 0 || u >= static_cast<int>(values.size()) ||
          values[u].op >= static_cast<int>(o))
        return "op " + std::to_string(o) + " reads value " + std::to_string(u) +
               ", which no earlier op makes";
  }
  return {};
}

int64_t ChoiceGraph::totalBytes() const {
  int64_t sum = 0;
  for (const ChoiceValue &value : values)
    sum += value.bytes;
  return sum;
}

int64_t ChoiceGraph::totalCost() const {
  int64_t sum = 0;
  for (const ChoiceOp &op : ops)
    sum += op.cost;
  return sum;
}

ChoicePlan memopt::planFromKept(const ChoiceGraph &graph,
                                const std::vector<char> &candidates) {
  const auto &values = graph.getValues();
  const auto &ops = graph.getOps();
  std::vector<char> wanted(values.size(), 0), runs(ops.size(), 0);
  for (size_t v = 0; v < values.size(); ++v)
    wanted[v] = values[v].needed;
  ChoicePlan plan;
  // Backwards: whoever wants a value stands after its maker.
  for (int v = static_cast<int>(values.size()) - 1; v >= 0; --v) {
    if (!wanted[v])
      continue;
    int maker = values[v].op;
    if ((candidates[v] && values[v].keepable) || !ops[maker].recomputable) {
      plan.kept.push_back(v);
      plan.bytes += values[v].bytes;
      continue;
    }
    if (runs[maker])
      continue;
    runs[maker] = 1;
    plan.recomputed.push_back(maker);
    plan.cost += ops[maker].cost;
    for (int u : ops[maker].operands)
      wanted[u] = 1;
  }
  // Values stand in the order of their makers.
  std::reverse(plan.kept.begin(), plan.kept.end());
  std::reverse(plan.recomputed.begin(), plan.recomputed.end());
  return plan;
}

std::string memopt::verifyPlan(const ChoiceGraph &graph,
                               const ChoicePlan &plan) {
  const auto &values = graph.getValues();
  const auto &ops = graph.getOps();
  std::vector<char> there(values.size(), 0);
  int64_t bytes = 0, cost = 0;
  for (int v : plan.kept) {
    if (!values[v].keepable)
      return "value " + std::to_string(v) + " may not be kept";
    there[v] = 1;
    bytes += values[v].bytes;
  }
  for (int o : plan.recomputed) {
    if (!ops[o].recomputable)
      return "op " + std::to_string(o) + " may not run again";
    for (int u : ops[o].operands)
      if (!there[u])
        return "op " + std::to_string(o) + " runs again without value " +
               std::to_string(u);
    for (int v : ops[o].results)
      there[v] = 1;
    cost += ops[o].cost;
  }
  for (size_t v = 0; v < values.size(); ++v)
    if (values[v].needed && !there[v])
      return "value " + std::to_string(v) +
             " is needed, and neither kept nor recomputed";
  if (bytes != plan.bytes)
    return "the plan keeps " + std::to_string(bytes) + " bytes, not " +
           std::to_string(plan.bytes);
  if (cost != plan.cost)
    return "the plan costs " + std::to_string(cost) + ", not " +
           std::to_string(plan.cost);
  return {};
}
