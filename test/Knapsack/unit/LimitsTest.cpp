//===- LimitsTest.cpp - Limits, cancellation and certificates -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeProblem.h"
#include "MemOpt/Knapsack/Certify.h"
#include "MemOpt/Knapsack/Frontier.h"

#include <gtest/gtest.h>
#include <thread>

using namespace memopt::knapsack;

namespace {

/// Stopped or not, an answer is feasible and its bound holds.
void expectSound(const Problem &p, const Answer &a, int64_t optimum) {
  Totals totals;
  ASSERT_EQ(verify(p, a.choice, totals), "");
  EXPECT_EQ(totals.value, a.value);
  EXPECT_LE(a.value, optimum);
  EXPECT_GE(a.upperBound, optimum);
  EXPECT_EQ(a.optimal, a.stop == Stop::Proved);
}

constexpr Solver kExact[] = {Solver::Auto, Solver::Table, Solver::Hirschberg,
                             Solver::List};

// Whatever the limit is, from nothing to enough, the answer is sound, and the
// memory stays within it.
TEST(Limits, MemoryIsKept) {
  for (const Problem &p : {correlatedItems(300, 1000, 1), layerItems(300),
                           classesOf(80, 5, 1000, 2)}) {
    int64_t optimum = solve(p).value;
    for (Solver solver : kExact)
      for (size_t bytes = 1; bytes < size_t(1) << 26; bytes = bytes * 3 + 7) {
        SolveOptions options;
        options.solver = solver;
        options.limits.bytes = bytes;
        Answer a = solve(p, options);
        SCOPED_TRACE(name(solver));
        expectSound(p, a, optimum);
        EXPECT_LE(a.peakBytes, bytes);
      }
  }
}

TEST(Limits, NoTimeStillGivesAnAnswer) {
  Problem p = correlatedItems(500, 10000, 4);
  int64_t optimum = solve(p).value;
  for (Solver solver : kExact) {
    SolveOptions options;
    options.solver = solver;
    options.limits.seconds = 0;
    Answer a = solve(p, options);
    expectSound(p, a, optimum);
    EXPECT_EQ(a.stop, Stop::TimeLimit) << name(solver);
  }
}

TEST(Limits, ExhaustiveRefusesWhatIsTooLarge) {
  Problem p = uniformItems(31, 1000, 5);
  SolveOptions options;
  options.solver = Solver::Exhaustive;
  Answer a = solve(p, options);
  expectSound(p, a, solve(p).value);
  EXPECT_EQ(a.stop, Stop::TooLarge);
}

TEST(Limits, CancelledFromTheStart) {
  Problem p = correlatedItems(500, 10000, 6);
  int64_t optimum = solve(p).value;
  std::atomic<bool> cancel{true};
  for (Solver solver : kExact) {
    SolveOptions options;
    options.solver = solver;
    options.limits.cancel = &cancel;
    Answer a = solve(p, options);
    expectSound(p, a, optimum);
    EXPECT_EQ(a.stop, Stop::Cancelled) << name(solver);
  }
}

TEST(Limits, CancelledFromAnotherThread) {
  Problem p = uniformItems(20000, 1000, 7);
  int64_t optimum = solve(p).value;
  std::atomic<bool> cancel{false};
  SolveOptions options;
  options.solver = Solver::Hirschberg;
  options.limits.cancel = &cancel;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancel = true;
  });
  Answer a = solve(p, options);
  other.join();
  expectSound(p, a, optimum);
  EXPECT_EQ(a.stop, Stop::Cancelled);
}

TEST(Limits, HoldForFrontiers) {
  Problem p = correlatedItems(300, 1000, 8);
  std::vector<int64_t> capacities = {p.capacity / 2, p.capacity};
  for (size_t bytes : {size_t(1), size_t(20000), size_t(100000)}) {
    SolveOptions options;
    options.limits.bytes = bytes;
    Frontier f = frontier(p, capacities, options);
    for (const FrontierPoint &point : f.points) {
      int64_t optimum = choiceAt(p, point.capacity).value;
      EXPECT_LE(point.value, optimum);
      EXPECT_GE(point.upperBound, optimum);
    }
  }
}

TEST(Certify, ProvesAndRefutes) {
  for (const Problem &p :
       {uniformItems(500, 1000, 1), layerItems(300),
        correlatedItems(300, 1000, 2), classesOf(80, 5, 1000, 3)}) {
    Answer a = solve(p);
    Certificate c = certify(p, a.choice);
    EXPECT_EQ(c.verdict, Verdict::Optimal) << c.reason;
    // Dropping anything of value refutes it.
    for (size_t i = 0; i < p.size(); ++i) {
      if (!a.choice[i])
        continue;
      Choice worse = a.choice;
      worse[i] = 0;
      EXPECT_EQ(certify(p, worse).verdict, Verdict::NotOptimal);
      break;
    }
  }
}

TEST(Certify, RefusesWhatDoesNotFit) {
  Problem p;
  p.capacity = 3;
  p.states = {{1, 2, 0}, {1, 2, 0}};
  Certificate c = certify(p, {1, 1});
  EXPECT_EQ(c.verdict, Verdict::NotOptimal);
  EXPECT_EQ(c.reason, "the weight 4 exceeds the capacity 3");
  EXPECT_EQ(certifyInfeasible(p).verdict, Verdict::NotOptimal);
}

TEST(Certify, StaysWithinItsMemory) {
  Problem p = correlatedItems(300, 1000, 2);
  Answer a = solve(p);
  Limits limits;
  limits.bytes = 100;
  Certificate c = certify(p, a.choice, limits);
  EXPECT_NE(c.verdict, Verdict::NotOptimal);
  EXPECT_LE(c.peakBytes, limits.bytes);
}

} // namespace
