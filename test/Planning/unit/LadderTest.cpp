//===- LadderTest.cpp - ladders of plans, and exact search ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/PlanLadder.h"
#include "MemOpt/Planning/Recomputation.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "Steps.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace memopt;
using namespace memopt::test;

namespace {

constexpr int64_t MiB = 1 << 20;

std::vector<int64_t> pricesOf(const StepGraph &graph) {
  std::string error;
  std::vector<int64_t> prices =
      priceOps(graph, *parseDevice("h200", error), error);
  EXPECT_EQ(error, "");
  return prices;
}

PlanLadder ladderOf(const StepGraph &graph, const std::vector<int64_t> &prices,
                    const PlannerOptions &options = {}) {
  std::string error;
  auto ladder =
      PlanLadder::build(graph, captureSchedule(graph), prices, options, error);
  EXPECT_EQ(error, "");
  return std::move(*ladder);
}

int countProducts(const StepGraph &graph, const RematPlan &plan) {
  int count = 0;
  for (memopt::Run run : plan.schedule.order)
    count += run.copy > 0 && graph.ops[run.op].opClass == OpClass::Contraction;
  return count;
}

/// Bytes that the backward reads of the forward, results apart.
int64_t defaultBytes(const StepGraph &graph) {
  RematPlan plan;
  EXPECT_EQ(describeSchedule(graph, std::vector<int64_t>(graph.ops.size(), 0),
                             captureSchedule(graph), plan),
            "");
  return plan.savedBytes;
}

int64_t sumOf(const std::vector<int64_t> &numbers) {
  int64_t sum = 0;
  for (int64_t n : numbers)
    sum += n;
  return sum;
}

} // namespace

// Larger budgets never cost more; smaller ones never give a larger peak; every
// plan is sane, keeps its promises, and costs no less than its bounds.
TEST(PlanLadder, IsALadder) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    StepGraph graph = randomStep(random, 8 + trial % 20, 8 + trial % 12);
    std::vector<int64_t> prices = pricesOf(graph);
    PlannerOptions options;
    options.work = 50'000;
    PlanLadder ladder = ladderOf(graph, prices, options);
    int64_t low = ladder.getSmallestPeak();
    EXPECT_FALSE(ladder.selectPeak(low - 1));
    int64_t high = low;
    for (const LadderPoint &point : ladder.getPoints())
      high = std::max(high, point.peakBytes);
    std::optional<RematPlan> before;
    for (int64_t budget = low; budget <= high; budget += 64) {
      auto plan = ladder.selectPeak(budget);
      ASSERT_TRUE(plan);
      EXPECT_LE(plan->peakBytes, budget);
      EXPECT_GE(plan->cost, plan->savedBound);
      EXPECT_GE(plan->cost, plan->peakBound);
      RematPlan again;
      ASSERT_EQ(describeSchedule(graph, prices, plan->schedule, again), "");
      EXPECT_EQ(again.peakBytes, plan->peakBytes);
      EXPECT_EQ(again.cost, plan->cost);
      if (before) {
        EXPECT_LE(plan->cost, before->cost);
        EXPECT_GE(plan->peakBytes, before->peakBytes);
      }
      before = std::move(plan);
    }
    int64_t saved = ladder.getSmallestSaved();
    EXPECT_FALSE(ladder.selectSaved(saved - 1));
    ASSERT_TRUE(ladder.selectSaved(saved));
    EXPECT_EQ(ladder.selectSaved(saved)->savedBytes, saved);
    EXPECT_EQ(ladder.selectCost(0)->cost, 0);
  }
}

// On small steps: the saved-bytes plan against every choice there is, and no
// choice below a bound.
TEST(PlanLadder, AgainstEveryChoice) {
  std::mt19937 random(6);
  int64_t planned = 0, best = 0;
  for (int trial = 0; trial < 60; ++trial) {
    StepGraph graph = randomStep(random, 6 + trial % 5, 6);
    std::vector<int64_t> prices = pricesOf(graph);
    PlannerOptions options;
    options.work = 50'000;
    PlanLadder ladder = ladderOf(graph, prices, options);
    RecomputationPlacer placer(graph, captureSchedule(graph));
    std::vector<int> free;
    for (size_t v = 0; v < graph.values.size(); ++v)
      if (!placer.isAlwaysKept(static_cast<int>(v)) &&
          graph.values[v].op < graph.forwardEnd)
        free.push_back(static_cast<int>(v));
    if (free.size() > 10)
      continue;
    std::vector<RematPlan> all;
    for (unsigned mask = 0; mask < 1u << free.size(); ++mask) {
      KeepChoice choice;
      choice.kept.assign(graph.values.size(), 0);
      choice.rebuilt.assign(graph.values.size(), 0);
      for (size_t i = 0; i < free.size(); ++i)
        choice.kept[free[i]] = mask >> i & 1;
      all.emplace_back();
      ASSERT_EQ(
          describeSchedule(graph, prices, placer.place(choice), all.back()),
          "");
    }
    int64_t smallest = INT64_MAX;
    for (const RematPlan &plan : all) {
      EXPECT_LE(ladder.boundSaved(plan.savedBytes), plan.cost);
      EXPECT_LE(ladder.tightBoundSaved(plan.savedBytes), plan.cost);
      EXPECT_LE(ladder.boundSaved(plan.savedBytes),
                ladder.tightBoundSaved(plan.savedBytes));
      EXPECT_LE(ladder.boundPeak(plan.peakBytes), plan.cost);
      EXPECT_LE(ladder.tightBoundPeak(plan.peakBytes), plan.cost);
      EXPECT_GE(ladder.tightBoundPeak(plan.peakBytes), 0);
      smallest = std::min(smallest, plan.peakBytes);
    }
    EXPECT_LE(ladder.getSmallestPeak(), smallest);
    for (const RematPlan &plan : all) {
      int64_t least = INT64_MAX;
      for (const RematPlan &other : all)
        if (other.savedBytes <= plan.savedBytes)
          least = std::min(least, other.cost);
      auto ours = ladder.selectSaved(plan.savedBytes);
      ASSERT_TRUE(ours);
      planned += ours->cost;
      best += least;
    }
  }
  EXPECT_GE(planned, best);
  EXPECT_LE(planned, best + best / 50);
}

// The fewest products for a peak of P activations are 35 - P, from 11 to 35 (an
// exact dynamic program); recompute-once cannot go below 11.
TEST(PlanLadder, UniformChainIsOptimal) {
  StepGraph graph = uniformChain(32);
  std::vector<int64_t> prices = pricesOf(graph);
  PlanLadder ladder = ladderOf(graph, prices);
  for (int peak = 11; peak <= 35; ++peak) {
    auto plan = ladder.selectPeak(peak * MiB);
    ASSERT_TRUE(plan) << peak;
    EXPECT_LE(countProducts(graph, *plan), 35 - peak) << peak;
  }
  EXPECT_GT(ladder.getSmallestPeak(), 10 * MiB);
  EXPECT_FALSE(ladder.selectPeak(10 * MiB));
}

// Cost over the certified bound at saved budgets of 0.10 + k/15 of the default.
TEST(PlanLadder, NearTheBound) {
  struct {
    const char *name;
    StepGraph graph;
  } steps[] = {
      {"ViT", transformer({12, 64, 197, 768, 12, 3072, 1000})},
      {"RoBERTa", transformer({12, 32, 128, 768, 12, 3072, 50265})},
      {"GPT-2", transformer({12, 8, 1024, 768, 12, 3072, 50257, 4, true})},
      {"ViT LoRA",
       transformer({12, 64, 197, 768, 12, 3072, 1000, 4, false, true})},
      {"LLaMA LoRA",
       llama({32, 1, 512, 4096, 32, 11008, 32000, 2, true, true})},
  };
  PlannerOptions options;
  options.work = 100'000; // peaks are not what is measured here
  for (const auto &[name, graph] : steps) {
    std::vector<int64_t> prices = pricesOf(graph);
    PlanLadder ladder = ladderOf(graph, prices, options);
    int64_t bytes = defaultBytes(graph), step = sumOf(prices);
    double logs = 0;
    for (int k = 0; k < 10; ++k) {
      int64_t budget = static_cast<int64_t>(bytes * (0.10 + k / 15.0));
      auto plan = ladder.selectSaved(budget);
      ASSERT_TRUE(plan);
      double ratio = static_cast<double>(plan->cost) /
                     static_cast<double>(ladder.tightBoundSaved(budget));
      logs += std::log(ratio);
      EXPECT_TRUE(ratio <= 1.05 ||
                  plan->cost - ladder.tightBoundSaved(budget) <=
                      step / 1000 * 3)
          << name << ' ' << k << ' ' << ratio;
    }
    EXPECT_LE(std::exp(logs / 10), 1.02) << name;
  }
}

// The same ladder, byte for byte, each time.
TEST(PlanLadder, IsDeterministic) {
  StepGraph graph = transformer({2, 2, 64, 64, 4, 256, 100});
  std::vector<int64_t> prices = pricesOf(graph);
  std::string first;
  for (int run = 0; run < 3; ++run) {
    PlanLadder ladder = ladderOf(graph, prices);
    std::ostringstream text;
    for (size_t i = 0; i < ladder.getPoints().size(); ++i)
      writePlan(ladder.getPlan(i), text);
    if (run == 0)
      first = text.str();
    EXPECT_EQ(text.str(), first);
  }
}

TEST(PlanLadder, RefusesBrokenSteps) {
  StepGraph graph = uniformChain(2);
  std::vector<int64_t> prices(graph.ops.size(), 1);
  Schedule base = captureSchedule(graph);
  base.order.pop_back();
  std::string error;
  EXPECT_FALSE(PlanLadder::build(graph, base, prices, {}, error));
  EXPECT_NE(error.find("does not run"), std::string::npos);
}

// Nothing to choose: no ops, no backward, nothing that crosses, only bytes of
// 0.
TEST(PlanLadder, NothingToChoose) {
  StepGraph empty;
  PlanLadder none = ladderOf(empty, {});
  ASSERT_TRUE(none.selectPeak(0));
  EXPECT_EQ(none.getSmallestPeak(), 0);
  EXPECT_EQ(none.tightBoundPeak(0), 0);
  StepBuilder b;
  int x = b.argument(64);
  int y = b.op(OpClass::Opaque, 1, {x}, {}, 100, "y");
  b.setReturned(b.op(OpClass::Opaque, 1, {y}, {}, 0, "z"));
  b.endForward();
  PlanLadder forward = ladderOf(b.graph, pricesOf(b.graph));
  EXPECT_EQ(forward.getSmallestPeak(), 128);
  EXPECT_FALSE(forward.selectPeak(127));
  EXPECT_EQ(forward.selectSaved(0)->cost, 0);
  EXPECT_EQ(forward.tightBoundSaved(0), 0);
  b.setReturned(b.op(OpClass::Opaque, 1, {x}, {}, 4, "gradient"));
  PlanLadder apart = ladderOf(b.graph, pricesOf(b.graph));
  EXPECT_EQ(apart.getSmallestSaved(), 0);
}

// What may not run twice is kept at every budget: below it there is no plan.
TEST(PlanLadder, KeepsWhatMayNotRunTwice) {
  StepBuilder b;
  int x = b.argument(64);
  int mask = b.op(OpClass::Opaque, 1, {}, {}, 128, "mask");
  b.graph.ops.back().recomputable = false;
  int h = b.op(OpClass::Elementwise, 16, {x, mask}, {}, 64, "h");
  b.setReturned(b.op(OpClass::Opaque, 1, {}, {h}, 4, "loss"));
  b.endForward();
  b.setReturned(b.op(OpClass::Opaque, 1, {}, {h, mask}, 64, "dx"));
  PlanLadder ladder = ladderOf(b.graph, pricesOf(b.graph));
  EXPECT_EQ(ladder.getSmallestSaved(), 128);
  EXPECT_FALSE(ladder.selectSaved(127));
  for (size_t i = 0; i < ladder.getPoints().size(); ++i)
    for (memopt::Run run : ladder.getPlan(i).schedule.order)
      EXPECT_TRUE(run.op != 0 || run.copy == 0);
}
