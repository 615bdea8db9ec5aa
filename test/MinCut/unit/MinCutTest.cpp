//===- MinCutTest.cpp - plans, minimum cuts and their hull ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/MinCut/Hull.h"
#include "RandomGraph.h"

#include <gtest/gtest.h>

using namespace memopt;

/// Every plan there is: one for each set of kept values.
static std::vector<ChoicePlan> allPlans(const ChoiceGraph &graph) {
  std::vector<ChoicePlan> plans;
  size_t n = graph.getValues().size();
  for (size_t mask = 0; mask < size_t(1) << n; ++mask) {
    std::vector<char> kept(n);
    for (size_t v = 0; v < n; ++v)
      kept[v] = mask >> v & 1;
    plans.push_back(planFromKept(graph, kept));
  }
  return plans;
}

TEST(MinCut, MinimisesThePriceOverAllPlans) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    ChoiceGraph graph = randomGraph(random, 2 + trial % 6, /*leastOperands=*/0);
    ASSERT_EQ(graph.check(), "");
    int64_t p = 1 + random() % 30, q = 1 + random() % 30;
    ChoicePlan best = CutSolver(graph).minimize(p, q);
    ASSERT_EQ(verifyPlan(graph, best), "");
    int64_t least = INT64_MAX;
    for (const ChoicePlan &plan : allPlans(graph)) {
      ASSERT_EQ(verifyPlan(graph, plan), "");
      least = std::min(least, p * plan.bytes + q * plan.cost);
    }
    EXPECT_EQ(p * best.bytes + q * best.cost, least);
  }
}

TEST(MinCut, HullBoundsEveryPlanAndIsTightAtItsVertices) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    ChoiceGraph graph = randomGraph(random, 2 + trial % 6, /*leastOperands=*/0);
    Hull hull = Hull::compute(graph);
    int64_t smallest = INT64_MAX;
    for (const ChoicePlan &plan : allPlans(graph)) {
      smallest = std::min(smallest, plan.bytes);
      EXPECT_LE(hull.lowerBound(plan.bytes), plan.cost);
    }
    EXPECT_EQ(hull.getVertices().back().bytes, smallest);
    EXPECT_EQ(hull.lowerBound(smallest - 1), -1);
    for (const ChoicePlan &vertex : hull.getVertices())
      EXPECT_EQ(hull.lowerBound(vertex.bytes), vertex.cost);
    for (int64_t bytes = smallest - 1; bytes < smallest + 60; ++bytes)
      EXPECT_EQ(Hull::computeAround(graph, {bytes}).lowerBound(bytes),
                hull.lowerBound(bytes));
    std::vector<int64_t> several{smallest + 3, smallest - 1, smallest + 17,
                                 smallest + 40};
    Hull around = Hull::computeAround(graph, several);
    EXPECT_LE(around.getCutCount(), hull.getCutCount());
    for (int64_t bytes : several)
      EXPECT_EQ(around.lowerBound(bytes), hull.lowerBound(bytes));
  }
}

TEST(MinCut, ChainLiesOnTheHullAndJoinsItsVertices) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    ChoiceGraph graph =
        randomGraph(random, 3 + trial % 20, /*leastOperands=*/0);
    Hull hull = Hull::compute(graph);
    std::vector<ChoicePlan> chain = hull.computeChain(graph);
    EXPECT_EQ(chain.front().bytes, hull.getVertices().front().bytes);
    EXPECT_EQ(chain.back().bytes, hull.getVertices().back().bytes);
    for (const ChoicePlan &plan : chain) {
      ASSERT_EQ(verifyPlan(graph, plan), "");
      EXPECT_EQ(hull.lowerBound(plan.bytes), plan.cost);
    }
  }
}

// Four equal layers: the chain keeps the latest first.
TEST(MinCut, ChainKeepsLateValuesFirst) {
  ChoiceGraph graph;
  for (int layer = 0; layer < 4; ++layer) {
    graph.addOp(5, true, {}, {8});
    graph.setNeeded(layer);
  }
  std::vector<ChoicePlan> chain = Hull::compute(graph).computeChain(graph);
  ASSERT_EQ(chain.size(), 5u);
  EXPECT_EQ(chain[3].kept, std::vector<int>{3});
  EXPECT_EQ(chain[2].kept, (std::vector<int>{2, 3}));
}

// Cost times bytes passes 2^63: the capacities must not.
TEST(MinCut, LargeNumbersDoNotOverflow) {
  ChoiceGraph graph;
  const int64_t big = int64_t(1) << 59;
  graph.addOp(big, true, {}, {big});
  graph.addOp(big, true, {0}, {big - 1});
  graph.setNeeded(0);
  graph.setNeeded(1);
  Hull hull = Hull::compute(graph);
  ASSERT_EQ(hull.getVertices().size(), 3u);
  EXPECT_EQ(hull.getVertices()[0].bytes, 2 * big - 1);
  EXPECT_EQ(hull.getVertices()[1].bytes, big - 1);
  EXPECT_EQ(hull.getVertices()[2].cost, 2 * big);
}

TEST(MinCut, WhatMayNotRunAgainIsKept) {
  ChoiceGraph graph;
  graph.addOp(1, false, {}, {32});
  graph.addOp(1, true, {0}, {64});
  graph.setNeeded(1);
  ChoicePlan small = Hull::compute(graph).getVertices().back();
  EXPECT_EQ(small.kept, std::vector<int>{0});
  EXPECT_EQ(small.recomputed, std::vector<int>{1});
}

TEST(MinCut, CheckNamesWhatIsWrong) {
  ChoiceGraph negative, later, huge;
  negative.addOp(1, true, {}, {-1});
  EXPECT_EQ(negative.check(), "value 0 has a negative size");
  later.addOp(1, true, {0}, {1});
  EXPECT_EQ(later.check(), "op 0 reads value 0, which no earlier op makes");
  huge.addOp(INT64_MAX, true, {}, {1});
  EXPECT_EQ(huge.check(), "the costs up to op 0 pass 2^62");
}

TEST(MinCut, VerifyFindsBrokenPlans) {
  ChoiceGraph graph;
  graph.addOp(3, true, {}, {8});
  graph.addOp(5, true, {0}, {8});
  graph.setNeeded(1);
  EXPECT_EQ(verifyPlan(graph, {{}, {1}, 0, 5}),
            "op 1 runs again without value 0");
  EXPECT_EQ(verifyPlan(graph, {{0}, {}, 8, 0}),
            "value 1 is needed, and neither kept nor recomputed");
  EXPECT_EQ(verifyPlan(graph, {{1}, {}, 7, 0}),
            "the plan keeps 8 bytes, not 7");
  EXPECT_EQ(verifyPlan(graph, {{0}, {1}, 8, 4}), "the plan costs 5, not 4");
  EXPECT_EQ(verifyPlan(graph, {{0}, {1}, 8, 5}), "");
}
