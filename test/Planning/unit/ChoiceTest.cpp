//===- ChoiceTest.cpp - the graph of choices and its moves ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/ChoiceModel.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "Steps.h"

#include <gtest/gtest.h>

using namespace memopt;
using namespace memopt::test;

static std::vector<int64_t> unitPrices(const StepGraph &graph,
                                       std::mt19937 &random) {
  std::vector<int64_t> prices;
  for (size_t o = 0; o < graph.ops.size(); ++o)
    prices.push_back(random() % 20);
  return prices;
}

// The model holds what the backward needs, and weighs what the step returns as
// 0.
TEST(ChoiceModel, HoldsWhatTheBackwardNeeds) {
  StepGraph graph = uniformChain(3);
  std::mt19937 random(1);
  ChoiceModel model(graph, unitPrices(graph, random));
  ASSERT_EQ(model.graph.check(), "");
  // m, a, f, p, q, h of two layers; of the last, h is not needed.
  EXPECT_EQ(model.graph.getOps().size(), 16u);
  for (size_t v = 0; v < model.stepValue.size(); ++v)
    EXPECT_EQ(model.choiceValue[model.stepValue[v]], static_cast<int>(v));
}

// Single changes give the bytes and cost that planFromKept computes afresh.
TEST(ChoiceState, AgreesWithPlanFromKept) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    StepGraph step = randomStep(random, 10 + trial % 20, 8);
    ChoiceModel model(step, unitPrices(step, random));
    size_t count = model.stepValue.size();
    if (count == 0)
      continue;
    std::vector<char> kept(count, 0);
    ChoiceState state(model.graph, kept);
    for (int move = 0; move < 40; ++move) {
      int v = static_cast<int>(random() % count);
      state.toggle(v);
      kept[v] ^= 1;
      // Values that weigh nothing are kept by the state whatever the flag says.
      std::vector<char> flagged = kept;
      for (size_t u = 0; u < count; ++u)
        flagged[u] |= model.graph.getValues()[u].bytes == 0;
      ChoicePlan plan = planFromKept(model.graph, flagged);
      ASSERT_EQ(state.getBytes(), plan.bytes);
      ASSERT_EQ(state.getCost(), plan.cost);
    }
  }
}
