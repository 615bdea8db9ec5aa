//===- PeakTest.cpp - kernels, peaks and prices ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Plan.h"
#include "MemOpt/Planning/Recomputation.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "Steps.h"

#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

using namespace memopt;
using namespace memopt::test;

namespace {

constexpr int64_t MiB = 1 << 20;

struct Simulated {
  Schedule schedule;
  ScheduleReads reads;
  FusionPlan fusion;
  PeakMemory peak;
};

Simulated simulate(const StepGraph &graph, Schedule schedule) {
  Simulated s;
  s.schedule = std::move(schedule);
  EXPECT_EQ(resolveReads(graph, s.schedule, s.reads), "");
  s.fusion = fuse(graph, s.schedule, s.reads);
  s.peak = simulatePeak(graph, s.schedule, s.reads, s.fusion);
  return s;
}

/// Keeps every product; the rest is made anew for each kernel that reads it.
Schedule keepContractions(const StepGraph &graph) {
  KeepChoice choice;
  choice.rebuilt.assign(graph.values.size(), 1);
  for (const StepValue &v : graph.values)
    choice.kept.push_back(v.op >= 0 &&
                          graph.ops[v.op].opClass == OpClass::Contraction);
  return RecomputationPlacer(graph, captureSchedule(graph)).place(choice);
}

} // namespace

// Each kernel reads what earlier kernels make, and its own values only at its
// points; none crosses the forward's end.
TEST(Fusion, OrderStaysValid) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    StepGraph graph = randomStep(random, 4 + i % 9, 3 + i % 7);
    Simulated s = simulate(graph, captureSchedule(graph));
    for (size_t p = 0; p < s.schedule.order.size(); ++p) {
      int k = s.fusion.kernelOf[p];
      const std::vector<StepOperand> &operands =
          graph.ops[s.schedule.order[p].op].operands;
      for (int r = s.reads.begin[p]; r < s.reads.begin[p + 1]; ++r) {
        int last = operands[r - s.reads.begin[p]].aligned ? k : k - 1;
        EXPECT_TRUE(s.reads.source[r] < 0 ||
                    s.fusion.kernelOf[s.reads.source[r]] <= last);
      }
      EXPECT_EQ(
          isForwardRun(graph, s.schedule.order[p]),
          isForwardRun(graph,
                       s.schedule.order[s.fusion.members[s.fusion.begin[k]]]));
    }
    // What is alive at any kernel sums to the bytes there.
    for (int k = 0; k < s.fusion.getKernelCount(); ++k) {
      int64_t sum = 0;
      for (const LiveValue &v :
           listLive(graph, s.schedule, s.reads, s.fusion, k))
        sum += v.bytes;
      EXPECT_EQ(sum, s.peak.bytes[k]);
    }
  }
}

// A GELU is one kernel, and its gradient, with the forward's pieces run again,
// another: three kernels a layer each way but for the recomputed GELU output.
TEST(Fusion, UniformChain) {
  StepGraph graph = uniformChain(4);
  Simulated s = simulate(graph, keepContractions(graph));
  EXPECT_EQ(s.fusion.getKernelCount(), 4 * 2 + 4 * 3 + 3);
}

// An elementwise op that is a contraction's only reader is its epilogue; a
// second reader would need the product beside it.
TEST(Fusion, EpilogueOnlyForTheOnlyReader) {
  for (bool second : {false, true}) {
    StepBuilder b;
    int x = b.argument(64), w = b.argument(64);
    int m = b.op(OpClass::Contraction, 64, {}, {x, w}, 64, "m");
    int y = b.op(OpClass::Elementwise, 16, {m}, {}, 64, "y");
    if (second)
      y = b.op(OpClass::Opaque, 16, {}, {m, y}, 64, "z");
    b.endForward();
    b.setReturned(y);
    Simulated s = simulate(b.graph, captureSchedule(b.graph));
    EXPECT_EQ(s.fusion.getKernelCount(), second ? 3 : 1);
    EXPECT_EQ(s.peak.peakBytes, second ? 192 : 64);
  }
}

// A kernel that reads one value of the kernel before it at its points and
// another at a fixed place is not merged with it: the place may be of any row.
TEST(Fusion, ReadAcrossKeepsKernelsApart) {
  for (bool across : {false, true}) {
    StepBuilder b;
    int x = b.argument(1024), w = b.argument(1024);
    int m = b.op(OpClass::RowReduction, 1024, {x}, {}, 64, "m", 16);
    int y = b.op(OpClass::Elementwise, 1024, {x, m}, {}, 1024, "y", 16);
    int z = b.op(OpClass::Elementwise, 1024, {w}, {}, 1024, "z");
    int o = across ? b.op(OpClass::Elementwise, 1024, {z, y}, {m}, 1024, "o")
                   : b.op(OpClass::Elementwise, 1024, {z, y}, {}, 1024, "o");
    b.endForward();
    b.setReturned(o);
    Simulated s = simulate(b.graph, captureSchedule(b.graph));
    EXPECT_EQ(s.fusion.getKernelCount(), across ? 2 : 1);
  }
}

// Softmax: maximum, exponential, sum and quotient of rows are one kernel.
TEST(Fusion, SoftmaxIsOneKernel) {
  StepBuilder b;
  int x = b.argument(1024);
  int s = b.op(OpClass::Elementwise, 256, {x}, {}, 1024, "scaled", 16);
  int top = b.op(OpClass::RowReduction, 256, {s}, {}, 64, "max", 16);
  int d = b.op(OpClass::Elementwise, 256, {s, top}, {}, 1024, "exp", 16);
  int sum = b.op(OpClass::RowReduction, 256, {d}, {}, 64, "sum", 16);
  int inverse = b.op(OpClass::Elementwise, 16, {sum}, {}, 64, "inverse");
  int y = b.op(OpClass::Elementwise, 256, {d, inverse}, {}, 1024, "y", 16);
  b.endForward();
  b.setReturned(y);
  Simulated sim = simulate(b.graph, captureSchedule(b.graph));
  EXPECT_EQ(sim.fusion.getKernelCount(), 1);
  EXPECT_EQ(sim.peak.peakBytes, 1024);
}

// 32 products are kept, the last GELU is returned, and a gradient with its
// operand stands beside them: 34 activations and the first weight gradients.
TEST(Peak, UniformChainKeepsOneProductALayer) {
  StepGraph graph = uniformChain(32);
  Simulated s = simulate(graph, keepContractions(graph));
  EXPECT_EQ(s.peak.savedBytes, 32 * MiB);
  EXPECT_GE(s.peak.peakBytes, 34 * MiB);
  EXPECT_LE(s.peak.peakBytes, 35 * MiB);
  Simulated all = simulate(graph, captureSchedule(graph));
  EXPECT_EQ(all.peak.savedBytes, (32 + 32 + 31) * MiB);
}

// Reading an input and writing an output takes both; alignment counts.
TEST(Peak, InputsOutputsAndAlignment) {
  StepBuilder b;
  int x = b.argument(1 << 20);
  int a = b.op(OpClass::Opaque, 1, {x}, {}, 65, "a");
  int c = b.op(OpClass::Opaque, 1, {a}, {}, 1, "c");
  b.endForward();
  int d = b.op(OpClass::Opaque, 1, {c}, {}, 10, "d");
  b.setReturned(d);
  Simulated s = simulate(b.graph, captureSchedule(b.graph));
  EXPECT_EQ(s.peak.bytes, (std::vector<int64_t>{128, 192, 128}));
  EXPECT_EQ(s.peak.savedBytes, 1);
  EXPECT_EQ(s.peak.peakKernel, 1);
}

// The GELU's inner pieces melt into the gradient's kernel and are free; a
// product and a GELU output cost the traffic of a kernel.
TEST(RecomputeCost, UniformChain) {
  StepGraph graph = uniformChain(4);
  std::string error;
  Device device = *parseDevice("flops4=1000T,bandwidth=1T", error);
  std::vector<int64_t> prices = priceOps(graph, device, error);
  ASSERT_EQ(error, "");
  // Layer 1: m a f p q h are ops 6 to 11.
  EXPECT_EQ(prices[6], 2 * MiB + 64 * 64 * 4);
  EXPECT_EQ(prices[7] + prices[8] + prices[9] + prices[10] + prices[11],
            2 * MiB);
}

TEST(RecomputeCost, RefusesWhatDoesNotFit) {
  StepGraph graph = uniformChain(2);
  std::string error;
  graph.ops[0].flops = int64_t(1) << 61;
  Device slow = *parseDevice("flops4=1,bandwidth=1T", error);
  EXPECT_TRUE(priceOps(graph, slow, error).empty());
  EXPECT_NE(error.find("passes 2^62 picoseconds"), std::string::npos);
}

TEST(Plan, DescribesPrintsAndRoundTrips) {
  StepGraph graph = uniformChain(4);
  std::string error;
  std::vector<int64_t> prices =
      priceOps(graph, *parseDevice("h200", error), error);
  RematPlan plan, again;
  ASSERT_EQ(describeSchedule(graph, prices, keepContractions(graph), plan), "");
  EXPECT_EQ(plan.savedBytes, 4 * MiB);
  EXPECT_EQ(plan.kept.size(), 4u);
  EXPECT_GT(plan.cost, 0);
  std::ostringstream text, people;
  writePlan(plan, text);
  ASSERT_EQ(readPlan(text.str(), graph.values.size(), again), "");
  EXPECT_TRUE(again == plan);
  printPlan(graph, plan, people);
  EXPECT_NE(people.str().find("keep 1048576 bytes m0"), std::string::npos);
  EXPECT_EQ(readPlan("memopt-plan 2\n", 1, again), "expected `memopt-plan 1`");
  int64_t sum = 0;
  for (const LiveValue &v : listPeak(graph, plan))
    sum += v.bytes;
  EXPECT_EQ(sum, plan.peakBytes);
}
