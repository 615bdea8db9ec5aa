//===- SavedTest.cpp - plans and bounds for saved bytes -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps on which small values decide whether a large one fits.
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/PlanLadder.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "Steps.h"

#include <gtest/gtest.h>

using namespace memopt;
using namespace memopt::test;

namespace {

constexpr int64_t rows = 4096, width = 768, A = rows * width * 4;
constexpr int64_t productFlops = 2 * rows * width * width;

class Planned {
public:
  explicit Planned(StepGraph given, const char *device = "h200")
      : graph(std::move(given)) {
    std::string error;
    prices = priceOps(graph, *parseDevice(device, error), error);
    PlannerOptions options;
    options.work = 0; // no peaks here
    ladder = PlanLadder::build(graph, captureSchedule(graph), prices, options,
                               error);
    EXPECT_EQ(error, "");
  }

  /// Matrix products that run again at a budget; -1 where it is refused.
  int countProducts(int64_t budget) const {
    std::optional<RematPlan> plan = ladder->selectSaved(budget);
    if (!plan)
      return -1;
    EXPECT_LE(plan->savedBytes, budget);
    EXPECT_LE(plan->savedBound, plan->cost);
    EXPECT_EQ(plan->savedBound, ladder->tightBoundSaved(budget));
    int count = 0;
    for (memopt::Run run : plan->schedule.order)
      count +=
          run.copy > 0 && graph.ops[run.op].opClass == OpClass::Contraction;
    return count;
  }

  StepGraph graph;
  std::vector<int64_t> prices;
  std::optional<PlanLadder> ladder;
};

/// Layers of a product and a norm, whose backward reads the normalised rows and
/// their statistic.
StepGraph normedChain(int layers) {
  StepBuilder b;
  int x = b.argument(A, "x");
  std::vector<int> outs, statistics;
  for (int l = 0; l < layers; ++l) {
    int w = b.argument(width * width * 4, "w");
    int h = b.op(OpClass::Contraction, rows * width * width, {}, {x, w}, A, "h",
                 1, productFlops);
    int s = b.op(OpClass::RowReduction, rows * width, {h}, {}, rows * 4, "s",
                 width);
    x = b.op(OpClass::Elementwise, rows * width, {h, s}, {}, A, "y", width);
    outs.push_back(x);
    statistics.push_back(s);
  }
  b.setReturned(b.op(OpClass::RowReduction, rows * width, {x}, {}, 4, "loss",
                     rows * width));
  b.endForward();
  int g = b.argument(A, "g");
  for (int l = layers - 1; l >= 0; --l) {
    b.setReturned(b.op(OpClass::Contraction, rows * width * width, {},
                       {outs[l], g}, width * width * 4, "dw", 1, productFlops));
    g = b.op(OpClass::Elementwise, rows * width, {outs[l], statistics[l], g},
             {}, A, "g", width);
  }
  b.setReturned(g);
  return b.graph;
}

/// Layers of scores that all add one mask; the backward reads what they become.
StepGraph maskedLayers(int layers) {
  StepBuilder b;
  int x = b.argument(A, "x");
  int ids = b.op(OpClass::Elementwise, 1024, {}, {}, 4096, "ids");
  int mask = b.op(OpClass::Elementwise, rows * width / 8, {}, {ids}, A / 8,
                  "mask", width);
  std::vector<int> outs;
  for (int l = 0; l < layers; ++l) {
    int w = b.argument(width * width * 4, "w");
    int h = b.op(OpClass::Contraction, rows * width * width, {}, {x, w}, A, "h",
                 1, productFlops);
    x = b.op(OpClass::Elementwise, rows * width, {h}, {mask}, A, "y", width);
    outs.push_back(x);
  }
  b.setReturned(b.op(OpClass::RowReduction, rows * width, {x}, {}, 4, "loss",
                     rows * width));
  b.endForward();
  int g = b.argument(A, "g");
  for (int l = layers - 1; l >= 0; --l)
    g = b.op(OpClass::Contraction, rows * width * width, {}, {outs[l], g}, A,
             "g", 1, productFlops);
  b.setReturned(g);
  return b.graph;
}

} // namespace

// With k activations to keep, k of n layers need no product again, although
// each layer's statistic is kept where there is room: what it is made from can
// be kept in the place of what is made of both.
TEST(SavedPlans, StatisticsDoNotDisplaceAnActivation) {
  for (int layers : {6, 12}) {
    Planned planned(normedChain(layers));
    for (int k = 1; k <= layers; ++k) {
      EXPECT_EQ(planned.countProducts(k * A), layers - k) << k;
      EXPECT_EQ(planned.countProducts(k * A + 5 * rows * 4), layers - k) << k;
      EXPECT_EQ(planned.countProducts(k * A - 1), layers - k + 1) << k;
    }
  }
}

// A mask that all layers share is made again where that lets one more
// activation stay.
TEST(SavedPlans, ASharedMaskIsMadeAgain) {
  Planned planned(maskedLayers(12));
  for (int k = 2; k < 12; ++k)
    EXPECT_EQ(planned.countProducts(k * A + 4096), 12 - k) << k;
}

// A budget of k activations and a half bounds like one of k: no plan keeps
// half of one. The hull's edge does.
TEST(SavedPlans, BoundsCountWholeValues) {
  Planned planned(maskedLayers(12));
  for (int k = 3; k < 12; ++k) {
    int64_t budget = k * A + A / 2;
    auto plan = planned.ladder->selectSaved(budget);
    ASSERT_TRUE(plan);
    EXPECT_GE(plan->savedBound, plan->cost - plan->cost / 100) << k;
    EXPECT_LT(planned.ladder->boundSaved(budget), plan->savedBound) << k;
  }
}

// One large value beside many small ones is kept or not: half of it bounds
// nothing.
TEST(SavedPlans, BoundsDecideOneLargeValue) {
  StepBuilder b;
  std::vector<int> outs;
  auto layer = [&](int64_t bytes) {
    int x = b.argument(A, "x"), w = b.argument(A, "w");
    outs.push_back(b.op(OpClass::Contraction, rows * width * width, {}, {x, w},
                        bytes, "h", 1, productFlops));
  };
  for (int l = 0; l < 24; ++l)
    layer(A / 8);
  layer(A); // costs as much as each of the others
  b.setReturned(b.op(OpClass::Opaque, 1, {}, {outs[0]}, 4, "loss"));
  b.endForward();
  b.setReturned(b.op(OpClass::Opaque, 1, {}, outs, 4, "g"));
  Planned planned(b.graph);
  // Without the large value all the others fit: one product.
  auto plan = planned.ladder->selectSaved(3 * A + A / 16 * 15);
  ASSERT_TRUE(plan);
  EXPECT_EQ(planned.countProducts(3 * A + A / 16 * 15), 1);
  EXPECT_GE(plan->savedBound, plan->cost - plan->cost / 50);
  EXPECT_LE(planned.ladder->boundSaved(3 * A + A / 16 * 15), plan->cost / 2);
}
