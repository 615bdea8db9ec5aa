//===- StepGraphTest.cpp - steps, schedules and their text ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Recomputation.h"
#include "MemOpt/Planning/Reorder.h"
#include "MemOpt/Planning/StepGraphText.h"
#include "Steps.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace memopt;
using namespace memopt::test;

static std::string textOf(const StepGraph &graph) {
  std::ostringstream os;
  printStepGraph(graph, os);
  return os.str();
}

TEST(StepGraph, TextRoundTrips) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    StepGraph graph = randomStep(random, 5, 5), again;
    graph.ops[2].movable = false;
    ASSERT_EQ(graph.check(), "");
    ASSERT_EQ(parseStepGraph(textOf(graph), again), "");
    EXPECT_EQ(textOf(again), textOf(graph));
    EXPECT_EQ(again.forwardEnd, graph.forwardEnd);
  }
}

TEST(StepGraph, TextErrorsNameTheLine) {
  StepGraph graph;
  EXPECT_EQ(parseStepGraph("nonsense", graph),
            "line 1: expected `memopt-step 1`");
  EXPECT_EQ(parseStepGraph("memopt-step 1\nvalues 1\nv x - a\n", graph),
            "line 3: expected `v BYTES FLAGS NAME`");
  EXPECT_EQ(
      parseStepGraph("memopt-step 1\nvalues 1\nv 4 - a\nops 1 forward 1\n"
                     "o strange 1 1 0 4 - : : 0\n",
                     graph),
      "line 5: expected `o CLASS POINTS ROW FLOPS ELEMENT FLAGS : OPERANDS "
      ": RESULTS`");
  EXPECT_EQ(parseStepGraph(
                "memopt-step 1\nvalues 1\nv -4 - a\nops 0 forward 0\n", graph),
            "value 0 has a negative size");
}

TEST(StepGraph, ChecksOrderAndSums) {
  StepGraph graph = uniformChain(3);
  EXPECT_EQ(graph.check(), "");
  StepGraph late = graph;
  late.ops[0].operands[0].value = late.ops[5].results[0];
  EXPECT_NE(late.check().find("which no earlier op makes"), std::string::npos);
  StepGraph huge = graph;
  huge.values[0].bytes = huge.values[1].bytes = int64_t(1) << 61;
  EXPECT_NE(huge.check().find("pass 2^62"), std::string::npos);
}

TEST(Schedule, CaptureIsSaneAndBrokenOnesAreNamed) {
  StepGraph graph = uniformChain(3);
  Schedule schedule = captureSchedule(graph);
  ScheduleReads reads;
  EXPECT_EQ(resolveReads(graph, schedule, reads), "");
  Schedule missing = schedule;
  missing.order.pop_back();
  EXPECT_NE(resolveReads(graph, missing, reads).find("does not run"),
            std::string::npos);
  Schedule dropped = schedule;
  dropped.kept[graph.ops[0].results[0]] = 0;
  EXPECT_NE(resolveReads(graph, dropped, reads).find("which is not there yet"),
            std::string::npos);
  Schedule twice = schedule;
  twice.order.push_back({0, 0});
  EXPECT_NE(resolveReads(graph, twice, reads).find("out of turn"),
            std::string::npos);
  graph.ops[0].recomputable = false;
  Schedule again = schedule;
  again.order.push_back({0, 1});
  EXPECT_NE(resolveReads(graph, again, reads).find("may not run again"),
            std::string::npos);
}

// Any choice gives a sane schedule, in which nothing is made that nobody reads,
// and the reads that the placer hands out are those of the schedule.
TEST(Recomputation, EveryChoiceIsSane) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    StepGraph graph = randomStep(random, 4 + i % 9, 3 + i % 7);
    RecomputationPlacer placer(graph, captureSchedule(graph));
    KeepChoice choice;
    for (size_t v = 0; v < graph.values.size(); ++v) {
      choice.kept.push_back(random() % 2);
      choice.rebuilt.push_back(random() % 3 == 0);
    }
    ScheduleReads reads, placed;
    Schedule schedule = placer.place(choice, placed);
    ASSERT_EQ(resolveReads(graph, schedule, reads), "");
    EXPECT_EQ(placed.begin, reads.begin);
    EXPECT_EQ(placed.source, reads.source);
    std::vector<char> read(schedule.order.size(), 0);
    for (int source : reads.source)
      if (source >= 0)
        read[source] = 1;
    for (size_t p = 0; p < schedule.order.size(); ++p)
      EXPECT_TRUE(schedule.order[p].copy == 0 || read[p]);
  }
}

// Keep only m0 of three layers: m1, m2 run again, late and once.
TEST(Recomputation, LateAndShared) {
  StepGraph graph = uniformChain(3);
  KeepChoice choice;
  choice.kept.assign(graph.values.size(), 0);
  choice.rebuilt.assign(graph.values.size(), 0);
  choice.kept[graph.ops[0].results[0]] = 1;
  Schedule schedule =
      RecomputationPlacer(graph, captureSchedule(graph)).place(choice);
  int products = 0;
  for (memopt::Run run : schedule.order)
    if (run.copy > 0 && graph.ops[run.op].opClass == OpClass::Contraction)
      ++products;
  EXPECT_EQ(products, 2);
  // The first recomputation stands directly behind the forward's end.
  EXPECT_EQ(schedule.order[graph.forwardEnd].copy, 1);
}

static int64_t peakOf(const StepGraph &graph, const Schedule &schedule) {
  ScheduleReads reads;
  EXPECT_EQ(resolveReads(graph, schedule, reads), "");
  return simulatePeak(graph, schedule, reads, fuse(graph, schedule, reads))
      .peakBytes;
}

TEST(Reorder, NeverRaisesThePeakAndKeepsFixedOpsInOrder) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    StepGraph graph = randomStep(random, 4 + i % 9, 3 + i % 17);
    for (StepOp &op : graph.ops)
      op.movable = random() % 4 != 0;
    Schedule better = reorderStep(graph);
    EXPECT_LE(peakOf(graph, better), peakOf(graph, captureSchedule(graph)));
    int last = -1;
    for (memopt::Run run : better.order) {
      if (graph.ops[run.op].movable)
        continue;
      EXPECT_LT(last, run.op);
      last = run.op;
    }
  }
}

// Two gradients that are made one after the other and consumed one after the
// other: each is consumed before the next one is made.
TEST(Reorder, GradientsAreConsumedEarly) {
  StepBuilder b;
  int x = b.argument(64);
  int l = b.op(OpClass::Opaque, 1, {}, {x}, 64, "loss");
  b.setReturned(l);
  b.endForward();
  int d1 = b.op(OpClass::Contraction, 1, {}, {l}, 1024, "d1");
  int d2 = b.op(OpClass::Contraction, 1, {}, {l}, 1024, "d2");
  b.setReturned(b.op(OpClass::Contraction, 1, {}, {d1}, 64, "w1"));
  b.setReturned(b.op(OpClass::Contraction, 1, {}, {d2}, 64, "w2"));
  EXPECT_EQ(peakOf(b.graph, captureSchedule(b.graph)), 64 + 2 * 1024 + 64);
  EXPECT_EQ(peakOf(b.graph, reorderStep(b.graph)), 64 + 64 + 1024 + 64);
}
