//===- FillPeak.cpp - keeping more under a peak ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakSearch.h"

#include <algorithm>

using namespace memopt;

namespace {

constexpr int maxFailures = 40;

/// Recomputed values, the most cost saved for a byte first, late ones first
/// among equal.
std::vector<int> rankByGain(const ChoiceGraph &graph,
                            const std::vector<char> &kept) {
  struct Item {
    int value;
    int64_t cost, bytes;
  };
  ChoiceState state(graph, kept);
  std::vector<Item> items;
  for (int v = static_cast<int>(kept.size()) - 1; v >= 0; --v) {
    if (!state.isRecomputed(v))
      continue;
    int64_t bytes = state.getBytes(), cost = state.getCost();
    state.toggle(v);
    Item item{v, cost - state.getCost(),
              std::max<int64_t>(1, state.getBytes() - bytes)};
    state.toggle(v);
    if (item.cost > 0)
      items.push_back(item);
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item &a, const Item &b) {
                     return static_cast<__int128>(a.cost) * b.bytes >
                            static_cast<__int128>(b.cost) * a.bytes;
                   });
  std::vector<int> values;
  for (const Item &item : items)
    values.push_back(item.value);
  return values;
}

/// How many bytes more the forward could hold behind the last forward reader of
/// each value: keeping a value adds its bytes there, whatever it saves later.
class ForwardSlack {
public:
  ForwardSlack(const Evaluator &evaluator, int64_t peak)
      : evaluator(evaluator), peak(peak) {}

  void update(const Simulation &s) {
    const StepGraph &graph = evaluator.graph;
    lastReader.assign(graph.values.size(), -1);
    int kernels = 0;
    for (size_t p = 0; p < s.schedule.order.size(); ++p) {
      if (!isForwardRun(graph, s.schedule.order[p]))
        continue;
      const StepOp &op = graph.ops[s.schedule.order[p].op];
      int kernel = s.fusion.kernelOf[p];
      kernels = std::max(kernels, kernel + 1);
      for (const StepOperand &operand : op.operands)
        lastReader[operand.value] = std::max(lastReader[operand.value], kernel);
      for (int v : op.results)
        lastReader[v] = std::max(lastReader[v], kernel);
    }
    slack.assign(kernels + 1, INT64_MAX);
    for (int k = kernels - 1; k >= 0; --k)
      slack[k] = std::min(slack[k + 1], peak - s.peak.bytes[k]);
  }

  bool fits(int value) const {
    int v = evaluator.model.stepValue[value];
    return evaluator.graph.values[v].bytes <= slack[lastReader[v] + 1];
  }

private:
  const Evaluator &evaluator;
  int64_t peak;
  std::vector<int> lastReader; // the last forward kernel that has the value
  std::vector<int64_t> slack;  // from a kernel to the forward's end
};

} // namespace

/// Flags of the values that are paid for more than once.
std::vector<char> PeakSearch::findRepeated(Candidate &plan) {
  std::vector<char> repeated(cheap.size(), 0);
  for (Run run : evaluator.simulate(plan).schedule.order)
    if (run.copy > 1 && evaluator.prices[run.op] > 0)
      for (int v : evaluator.graph.ops[run.op].results)
        repeated[evaluator.model.choiceValue[v]] = 1;
  return repeated;
}

/// Sets the flags of values in order: chunks double while they fit and halve
/// where they do not.
void PeakSearch::setWhileFitting(Candidate &plan, int64_t peak,
                                 std::vector<char> Candidate::*flags, char flag,
                                 const std::vector<int> &values) {
  bool keeping = flags == &Candidate::kept;
  ForwardSlack slack(evaluator, peak);
  evaluator.evaluate(plan);
  if (keeping)
    slack.update(evaluator.look(plan));
  size_t chunk = 1;
  int failures = 0; // in a row
  for (size_t i = 0; i < values.size() && failures < maxFailures &&
                     !evaluator.isExhausted();) {
    Candidate next = plan;
    size_t end = i, count = 0;
    for (; end < values.size() && count < chunk; ++end) {
      if (keeping && !slack.fits(values[end]))
        continue;
      (next.*flags)[values[end]] = flag;
      ++count;
    }
    if (count == 0)
      return;
    evaluator.evaluate(next);
    if (next.peakBytes <= peak && next.cost <= plan.cost) {
      plan = std::move(next);
      if (keeping)
        slack.update(evaluator.look(plan));
      i = end;
      chunk *= 2;
      failures = 0;
    } else if (count > 1) {
      chunk = (count + 1) / 2;
    } else {
      i = end;
      ++failures;
    }
  }
}

/// Stops making values anew where they can be held.
void PeakSearch::holdRebuilt(Candidate &plan, int64_t peak) {
  std::vector<char> repeated = findRepeated(plan);
  std::vector<int> again;
  for (int v = static_cast<int>(cheap.size()) - 1; v >= 0; --v)
    if (plan.rebuilt[v] && repeated[v])
      again.push_back(v);
  setWhileFitting(plan, peak, &Candidate::rebuilt, 0, again);
}

void PeakSearch::fill(Candidate &plan, int64_t peak) {
  holdRebuilt(plan, peak);
  setWhileFitting(plan, peak, &Candidate::kept, 1,
                  rankByGain(evaluator.model.graph, plan.kept));
  holdRebuilt(plan, peak);
}
