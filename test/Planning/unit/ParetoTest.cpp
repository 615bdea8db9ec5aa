//===- ParetoTest.cpp - plans by dynamic programming ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Planning/ParetoPlans.h"
#include "../../MinCut/unit/RandomGraph.h"

#include <gtest/gtest.h>
#include <map>

using namespace memopt;

namespace {

/// Cost by bytes of what no plan beats, over all sets of kept values.
std::map<int64_t, int64_t> findFront(const ChoiceGraph &graph) {
  std::map<int64_t, int64_t> least;
  size_t n = graph.getValues().size();
  for (size_t mask = 0; mask < size_t(1) << n; ++mask) {
    std::vector<char> kept(n);
    for (size_t v = 0; v < n; ++v)
      kept[v] = mask >> v & 1;
    ChoicePlan plan = planFromKept(graph, kept);
    auto [entry, isNew] = least.try_emplace(plan.bytes, plan.cost);
    entry->second = std::min(entry->second, plan.cost);
  }
  int64_t before = INT64_MAX;
  for (auto entry = least.begin(); entry != least.end();) {
    bool beaten = entry->second >= before;
    before = std::min(before, entry->second);
    entry = beaten ? least.erase(entry) : std::next(entry);
  }
  return least;
}

} // namespace

// On small graphs nothing is thinned out: the plans are the front of all there
// are.
TEST(ParetoPlans, AreTheFrontOfAllPlans) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 400; ++trial) {
    ChoiceGraph graph = randomGraph(random, 1 + trial % 9, /*leastOperands=*/1);
    ASSERT_EQ(graph.check(), "");
    std::map<int64_t, int64_t> found;
    for (const ChoicePlan &plan : computeParetoPlans(graph, 0)) {
      ASSERT_EQ(verifyPlan(graph, plan), "");
      EXPECT_TRUE(found.try_emplace(plan.bytes, plan.cost).second);
    }
    EXPECT_EQ(found, findFront(graph)) << trial;
  }
}

// Sixteen values that the backward does not read, each demanded by one of
// sixteen later ops or not: more states than there may be.
TEST(ParetoPlans, TooManyStatesAreRefused) {
  constexpr int count = 16;
  ChoiceGraph graph;
  for (int op = 0; op < count; ++op)
    graph.addOp(1, true, {}, {8});
  for (int op = 0; op < count; ++op) {
    graph.addOp(1, true, {op}, {8});
    graph.setNeeded(count + op);
  }
  EXPECT_TRUE(computeParetoPlans(graph, 0).empty());
}
