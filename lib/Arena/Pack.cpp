//===- Pack.cpp - the way to a small arena --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstFit.h"
#include "Random.h"
#include "Search.h"

#include <algorithm>
#include <cmath>

using namespace memopt::arena;

namespace {

/// Pairs of items that first fit looks at in the time of an elementary step.
constexpr int64_t kFirstFitPairs = 16;

/// 1, 1, 2, 1, 1, 2, 4, ...: how long to run before the next restart, within a
/// logarithm of the best schedule that knows the answer (Luby, Sinclair and
/// Zuckerman, 1993). `round` counts from 1.
int64_t getRestartLength(int64_t round) {
  for (int64_t power = 1;; power *= 2) {
    if (round == 2 * power - 1)
      return power;
    if (round < 2 * power - 1)
      return getRestartLength(round - power + 1);
  }
}

/// The search is thrown off by an early choice that only fails much later. So
/// it is cut short and begun again, with priorities that differ a little.
class Packer {
public:
  Packer(const Instance &instance, int64_t stepLimit)
      : proved(instance.lowerBound), instance(instance), stepsLeft(stepLimit) {}

  void run() {
    // Where the bound can be reached, one of the first few runs reaches it.
    Search atBound(instance, proved);
    if (!runAt(atBound, proved, stepsLeft / 8))
      return;
    tryFirstFit();
    if (best > proved && runAt(atBound, proved, stepsLeft / 2)) {
      narrow();
      prove();
    }
  }

  std::vector<int64_t> offsets;
  int64_t best = kNever;
  /// No packing is lower.
  int64_t proved;

private:
  const Instance &instance;
  int64_t stepsLeft;
  int round = 0;

  int64_t heightOf(const std::vector<int64_t> &offsets) const {
    int64_t height = 0;
    for (size_t i = 0; i < offsets.size(); ++i)
      height = std::max(height, offsets[i] + instance.items[i].size);
    return height;
  }

  void offer(const std::vector<int64_t> &packing) {
    int64_t height = heightOf(packing);
    if (height >= best)
      return;
    best = height;
    offsets = packing;
  }

  /// First fit in three orders, while that costs little; where it does not, at
  /// least a packing of any height.
  void tryFirstFit() {
    int64_t count = static_cast<int64_t>(instance.items.size());
    int64_t steps = count * count / kFirstFitPairs;
    for (Order order : {Order::Load, Order::Size, Order::Area}) {
      if (best == proved || steps > stepsLeft / 8)
        break;
      stepsLeft -= steps;
      offer(placeFirstFit(instance, sortForFirstFit(instance, order)));
    }
    if (best == kNever)
      offer(placeAnyhow());
  }

  /// Within the sum of all sizes the search never goes back.
  std::vector<int64_t> placeAnyhow() {
    int64_t sum = 0;
    for (const Item &item : instance.items)
      sum += item.size;
    Search search(instance, sum);
    search.run(drawPriorities(), kNever, kNever);
    return search.offsets();
  }

  std::vector<double> drawPriorities() {
    ++round;
    Random random(round);
    double spread = round <= 3 ? 0 : 0.15 * (round / 3 % 4 + 1);
    std::vector<double> priority;
    for (size_t i = 0; i < instance.items.size(); ++i) {
      double size = static_cast<double>(instance.items[i].size);
      double lifetime = static_cast<double>(instance.getLifetime(i));
      double base = round % 3 == 0   ? lifetime
                    : round % 3 == 1 ? lifetime * size
                                     : lifetime * std::sqrt(size);
      priority.push_back(base * (1 + spread * (2 * random.nextShare() - 1)));
    }
    return priority;
  }

  /// Restarts until a packing is found, none exists or the steps are used.
  /// Returns whether there is more to do.
  bool runAt(Search &search, int64_t height, int64_t steps) {
    int64_t count = static_cast<int64_t>(instance.items.size());
    int64_t begin = search.getSteps(), end = begin + std::min(steps, stepsLeft);
    Search::Result result = Search::Result::Limit;
    while (result == Search::Result::Limit && search.getSteps() < end) {
      std::vector<double> priorities = drawPriorities();
      result = search.run(priorities, 2 * count * getRestartLength(round), end);
    }
    stepsLeft -= search.getSteps() - begin;
    if (result == Search::Result::Found)
      offer(search.offsets());
    if (result == Search::Result::None)
      proved = height + 1;
    return best > proved;
  }

  /// Bisects between the bound and the best packing.
  void narrow() {
    int64_t failed = proved - 1;
    while (best - failed > 1 && stepsLeft > 0) {
      int64_t height = failed + (best - failed) / 2;
      Search search(instance, height);
      runAt(search, height, stepsLeft / 8);
      failed = best <= height ? failed : height;
    }
  }

  /// Is there a packing below the best one?
  void prove() {
    while (best > proved && stepsLeft > 0) {
      Search search(instance, best - 1);
      Search::Result result = search.run(drawPriorities(), kNever, stepsLeft);
      stepsLeft -= search.getSteps();
      if (result == Search::Result::Found)
        offer(search.offsets());
      if (result == Search::Result::None)
        proved = best;
      if (result == Search::Result::Limit)
        return;
    }
  }
};

} // namespace

Packing memopt::arena::pack(const std::vector<Buffer> &buffers,
                            const PackOptions &options) {
  Instance instance(buffers, options);
  if (instance.items.empty())
    return instance.toPacking({}, buffers.size());
  Packer packer(instance, options.stepLimit);
  packer.run();
  Packing packing = instance.toPacking(packer.offsets, buffers.size());
  packing.optimal = packer.best == packer.proved;
  return packing;
}
