//===- PeakBound.cpp - no plan of that peak costs less --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakBound.h"

#include <algorithm>

using namespace memopt;

namespace {

constexpr int spreadMoments = 6;

/// A kernel of its own, where it stands.
bool standsAlone(const StepOp &op) {
  return op.opClass == OpClass::Contraction ||
         op.opClass == OpClass::Movement || op.opClass == OpClass::Opaque;
}

} // namespace

PeakBound::PeakBound(const StepGraph &graph, const ChoiceModel &model,
                     const std::vector<Run> &order)
    : graph(graph), model(model), order(order),
      positionOf(graph.ops.size(), 0) {
  for (size_t p = 0; p < order.size(); ++p)
    positionOf[order[p].op] = static_cast<int>(p);
  std::vector<int> places;
  for (size_t p = 0; p < order.size(); ++p)
    if (standsAlone(graph.ops[order[p].op]))
      places.push_back(static_cast<int>(p));
  if (places.empty())
    return;
  // The fullest moment, the one that holds most in every plan, and some spread
  // over the step.
  int fullest = places[0], heaviest = places[0];
  int64_t full = -1, heavy = -1;
  size_t stride = std::max<size_t>(1, places.size() / 256);
  for (size_t i = 0; i < places.size(); i += stride) {
    Moment moment = look(places[i]);
    if (moment.held > heavy)
      heavy = moment.held, heaviest = places[i];
    if (moment.held + moment.weight > full)
      full = moment.held + moment.weight, fullest = places[i];
  }
  std::vector<int> chosen{fullest, heaviest};
  for (int i = 1; i <= spreadMoments; ++i)
    chosen.push_back(
        places[places.size() / 3 + (places.size() - 1 - places.size() / 3) * i /
                                       (spreadMoments + 1)]);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (int place : chosen) {
    moments.push_back(look(place));
    moments.back().graph = weigh(moments.back());
  }
}

PeakBound::Moment PeakBound::look(int position) const {
  Moment moment;
  moment.weighs.assign(model.stepValue.size(), 0);
  std::vector<char> late(graph.ops.size(), 0), held(graph.values.size(), 0);
  bool inForward = order[position].op < graph.forwardEnd;
  auto wasMade = [&](int v) {
    int maker = graph.values[v].op;
    return maker >= 0 && positionOf[maker] < position;
  };
  for (size_t p = position; p < order.size(); ++p) {
    const StepOp &op = graph.ops[order[p].op];
    bool forward = order[p].op < graph.forwardEnd;
    bool isLate = standsAlone(op) || forward != inForward;
    for (const StepOperand &operand : op.operands)
      if (int maker = graph.values[operand.value].op; maker >= 0)
        isLate |= late[maker];
    late[order[p].op] = isLate;
    if (!isLate)
      continue;
    for (const StepOperand &operand : op.operands) {
      int v = operand.value, choice = model.choiceValue[v];
      if (!wasMade(v))
        continue;
      bool crosses = graph.values[v].op < graph.forwardEnd && !forward;
      // A forward value that the backward reads may be made again later; one
      // that is read here or within the forward, and a gradient, is there.
      if (!crosses || p == static_cast<size_t>(position))
        held[v] = 1;
      else if (choice >= 0)
        moment.weighs[choice] = 1;
    }
  }
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const StepValue &value = graph.values[v];
    bool made = value.op >= 0 && positionOf[value.op] <= position;
    if (made && (held[v] || value.returned))
      moment.held += value.bytes;
    if (int choice = model.choiceValue[v];
        choice >= 0 && (held[v] || value.returned))
      moment.weighs[choice] = 0;
  }
  for (size_t c = 0; c < moment.weighs.size(); ++c)
    if (moment.weighs[c])
      moment.weight += model.graph.getValues()[c].bytes;
  return moment;
}

ChoiceGraph PeakBound::weigh(const Moment &moment) const {
  ChoiceGraph weighed;
  for (const ChoiceOp &op : model.graph.getOps()) {
    std::vector<int64_t> bytes;
    for (int v : op.results)
      bytes.push_back(moment.weighs[v] ? model.graph.getValues()[v].bytes : 0);
    weighed.addOp(op.cost, op.recomputable, op.operands, bytes);
  }
  for (size_t v = 0; v < moment.weighs.size(); ++v)
    if (model.graph.getValues()[v].needed)
      weighed.setNeeded(static_cast<int>(v));
  return weighed;
}

int64_t PeakBound::lowerBound(int64_t bytes) const {
  int64_t bound = 0;
  for (const Moment &moment : moments) {
    int64_t rest = bytes - moment.held;
    int64_t at = Hull::computeAround(moment.graph, {rest}).lowerBound(rest);
    if (at < 0)
      return -1;
    bound = std::max(bound, at);
  }
  return bound;
}
