//===- RoundedBound.cpp - bounds from whole multiples of a size -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SavedFrontier.h"

#include <algorithm>
#include <map>

using namespace memopt;

std::vector<int64_t> memopt::findUnits(const ChoiceGraph &graph, size_t count) {
  std::map<int64_t, int64_t> sums;
  for (const ChoiceValue &value : graph.getValues())
    if (value.bytes > 0)
      sums[value.bytes] += value.bytes;
  std::vector<std::pair<int64_t, int64_t>> order;
  for (auto [size, sum] : sums)
    order.push_back({-sum, size});
  std::sort(order.begin(), order.end());
  std::vector<int64_t> units;
  for (size_t i = 0; i < order.size() && i < count; ++i)
    units.push_back(order[i].second);
  return units;
}

int64_t memopt::roundedBound(const Branch &branch, int64_t bytes) {
  constexpr size_t sizes = 5;
  if (bytes < 0)
    return -1;
  int64_t best = 0;
  for (int64_t unit : findUnits(branch.graph, sizes)) {
    ChoiceGraph rounded = reweigh(branch.graph, [&](int v) {
      return branch.graph.getValues()[v].bytes / unit;
    });
    int64_t bound =
        Hull::computeAround(rounded, {bytes / unit}).lowerBound(bytes / unit);
    if (bound < 0)
      return -1;
    best = std::max(best, bound);
  }
  return best;
}
