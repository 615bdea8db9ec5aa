//===- EvaluatorTest.cpp - simulations that share their buffers -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Planning/Evaluator.h"
#include "Steps.h"

#include <gtest/gtest.h>
#include <random>

using namespace memopt;
using namespace memopt::test;

namespace {

Candidate randomCandidate(std::mt19937 &random, size_t values) {
  Candidate candidate;
  for (size_t v = 0; v < values; ++v) {
    candidate.kept.push_back(random() % 2);
    candidate.rebuilt.push_back(random() % 3 == 0);
  }
  return candidate;
}

} // namespace

// An evaluator that has seen other candidates says of each what the public
// functions say of its schedule, the first time and again.
TEST(Evaluator, SaysWhatASingleSimulationSays) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    StepGraph graph = randomStep(random, 6 + trial % 9, 6);
    std::vector<int64_t> prices(graph.ops.size(), 7);
    ChoiceModel model(graph, prices);
    RecomputationPlacer placer(graph, captureSchedule(graph));
    Evaluator evaluator(graph, prices, model, placer, {}, 0);
    std::vector<Candidate> candidates;
    for (int i = 0; i < 6; ++i)
      candidates.push_back(randomCandidate(random, model.stepValue.size()));
    for (int i = 0; i < 24; ++i) {
      Candidate candidate = candidates[random() % candidates.size()];
      std::vector<int64_t> bytes = evaluator.evaluate(candidate).bytes;
      const Simulation &simulation = evaluator.look(candidate);
      ScheduleReads reads;
      ASSERT_EQ(resolveReads(graph, simulation.schedule, reads), "");
      EXPECT_EQ(reads.source, simulation.reads.source);
      FusionPlan fusion = fuse(graph, simulation.schedule, reads);
      EXPECT_EQ(fusion.kernelOf, simulation.fusion.kernelOf);
      EXPECT_EQ(fusion.members, simulation.fusion.members);
      PeakMemory peak = simulatePeak(graph, simulation.schedule, reads, fusion);
      EXPECT_EQ(peak.bytes, simulation.peak.bytes);
      EXPECT_EQ(peak.bytes, bytes);
      EXPECT_EQ(peak.peakBytes, candidate.peakBytes);
      EXPECT_EQ(peak.savedBytes, candidate.savedBytes);
      EXPECT_EQ(static_cast<int64_t>(simulation.schedule.order.size() -
                                     graph.ops.size()) *
                    7,
                candidate.cost);
    }
  }
}

// What is known costs as much work as what is not, so that a search ends where
// it would without.
TEST(Evaluator, CountsWhatIsKnown) {
  std::mt19937 random(6);
  StepGraph graph = randomStep(random, 9, 6);
  std::vector<int64_t> prices(graph.ops.size(), 7);
  ChoiceModel model(graph, prices);
  RecomputationPlacer placer(graph, captureSchedule(graph));
  Evaluator evaluator(graph, prices, model, placer, {}, 0);
  Candidate candidate = randomCandidate(random, model.stepValue.size());
  int64_t runs = static_cast<int64_t>(
                     evaluator.simulate(candidate).schedule.order.size()) +
                 1;
  evaluator.setWork(2 * runs);
  evaluator.evaluate(candidate);
  evaluator.look(candidate);
  EXPECT_FALSE(evaluator.isExhausted());
  evaluator.simulate(candidate);
  EXPECT_TRUE(evaluator.isExhausted());
}

// Old simulations are forgotten when the new ones need the room; the newest
// stays whatever its size.
TEST(KnownPeaks, ForgetsTheOldest) {
  KnownPeaks known;
  KnownPeak large;
  large.peak.bytes.assign(1 << 20, 0); // 8 MiB
  for (char key : {'a', 'b', 'c', 'd'}) {
    large.cost = key;
    known.add(std::string(1, key), large);
  }
  EXPECT_EQ(known.find("a"), nullptr);
  ASSERT_NE(known.find("b"), nullptr);
  EXPECT_EQ(known.find("b")->cost, 'b');
  large.peak.bytes.assign(5 << 20, 0);
  EXPECT_EQ(known.add("e", large)->peak.bytes.size(), size_t(5) << 20);
  EXPECT_EQ(known.find("d"), nullptr);
  EXPECT_NE(known.find("e"), nullptr);
}
