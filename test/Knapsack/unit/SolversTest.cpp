//===- SolversTest.cpp - Answers, order and memory of the solvers ---------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargeProblem.h"
#include "MemOpt/Knapsack/Frontier.h"

#include <gtest/gtest.h>

using namespace memopt::knapsack;

namespace {

constexpr Solver kAll[] = {Solver::Auto, Solver::Exhaustive, Solver::Table,
                           Solver::Hirschberg, Solver::List};
constexpr Solver kExact[] = {Solver::Auto, Solver::Table, Solver::Hirschberg,
                             Solver::List};

Answer solveBy(Solver solver, const Problem &p,
               PositionOrder order = PositionOrder::EarlierFirst) {
  SolveOptions options;
  options.solver = solver;
  options.order = order;
  return solve(p, options);
}

void expectAllAgree(const Problem &p) {
  Answer first = solveBy(Solver::Hirschberg, p);
  ASSERT_TRUE(first.optimal);
  for (Solver solver : kExact) {
    Answer a = solveBy(solver, p);
    SCOPED_TRACE(name(solver));
    EXPECT_TRUE(a.optimal);
    EXPECT_EQ(a.value, first.value);
    EXPECT_EQ(a.key, first.key);
    EXPECT_LE(a.weight, p.capacity);
  }
}

// Each half of Hirschberg's split must get exactly its share: with 1,024 equal
// items and room for 512, no more and no fewer are kept.
TEST(Solvers, KeepHalfOfEqualItems) {
  Problem p;
  p.states.assign(1024, {1, 1, 0});
  p.capacity = 512;
  for (Solver solver : kExact) {
    Answer a = solveBy(solver, p);
    EXPECT_EQ(a.value, 512) << name(solver);
    EXPECT_EQ(a.weight, 512) << name(solver);
  }
}

// Identical items are taken by position, the order that the caller asks for.
TEST(Solvers, TakeIdenticalItemsByPosition) {
  Problem p;
  p.states.assign(10, {3, 2, 0});
  p.capacity = 9;
  for (Solver solver : kAll) {
    EXPECT_EQ(solveBy(solver, p).choice,
              (Choice{1, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(solveBy(solver, p, PositionOrder::LaterFirst).choice,
              (Choice{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  }
}

// Identical classes: the heavier states by position.
TEST(Solvers, ArrangeIdenticalClassesByPosition) {
  Problem p;
  p.capacity = 7;
  p.classStart = {0};
  for (int c = 0; c < 4; ++c) {
    for (State s : {State{0, 0, 0}, State{10, 2, 0}, State{14, 3, 0}})
      p.states.push_back(s);
    p.classStart.push_back(uint32_t(p.states.size()));
  }
  for (Solver solver : kAll) {
    EXPECT_EQ(solveBy(solver, p).choice, (Choice{2, 1, 1, 0})) << name(solver);
    EXPECT_EQ(solveBy(solver, p, PositionOrder::LaterFirst).choice,
              (Choice{0, 1, 1, 2}))
        << name(solver);
  }
}

// Among equal values the larger sum of keys wins, though reductions would fix
// the items by value alone.
TEST(Solvers, BreakTiesByKey) {
  Problem p;
  p.capacity = 4;
  p.states = {{4, 2, 1}, {4, 2, 9}, {4, 2, 5}, {8, 4, 13}};
  for (Solver solver : kAll) {
    Answer a = solveBy(solver, p);
    EXPECT_EQ(a.value, 8) << name(solver);
    EXPECT_EQ(a.key, 14) << name(solver);
    EXPECT_EQ(a.choice, (Choice{0, 1, 1, 0})) << name(solver);
  }
}

// Keys so large that value and key together need 128 bits.
TEST(Solvers, BreakTiesByLargeKeys) {
  Problem p;
  p.capacity = 1000;
  int64_t large = int64_t(1) << 57;
  for (int i = 0; i < 30; ++i)
    p.states.push_back({large + i % 7, 100 + i % 5, large - i});
  Answer expected = solveBy(Solver::Table, p);
  for (Solver solver : {Solver::Auto, Solver::List, Solver::Hirschberg}) {
    Answer a = solveBy(solver, p);
    EXPECT_TRUE(a.optimal) << name(solver);
    EXPECT_EQ(a.value, expected.value) << name(solver);
    EXPECT_EQ(a.key, expected.key) << name(solver);
  }
}

TEST(Solvers, SayThatNothingFits) {
  Problem p;
  p.capacity = 4;
  p.states = {{1, 2, 0}, {5, 3, 0}, {9, 3, 0}};
  p.classStart = {0, 2, 3};
  for (Solver solver : kAll) {
    Answer a = solveBy(solver, p);
    EXPECT_FALSE(a.feasible) << name(solver);
    EXPECT_TRUE(a.optimal) << name(solver);
    EXPECT_TRUE(a.choice.empty()) << name(solver);
  }
}

TEST(Solvers, PassOnWhatCheckFinds) {
  Problem p;
  p.states = {{1, -1, 0}};
  EXPECT_EQ(solve(p).error, "item 0: the weight is negative (-1)");
}

TEST(Solvers, AgreeOnLargerProblems) {
  expectAllAgree(uniformItems(300, 100, 1));
  expectAllAgree(correlatedItems(200, 1000, 2));
  expectAllAgree(layerItems(100));
  expectAllAgree(classesOf(60, 4, 100, 3));
  expectAllAgree(classesOf(12, 30, 50, 4));
}

// Lists outgrow short rows where values follow no order at all.
TEST(Solvers, FallBackToRows) {
  Problem p = correlatedItems(2000, 40, 5);
  for (State &s : p.states)
    s.value = 1000000 + s.weight * s.weight % 41;
  Answer a = solve(p);
  EXPECT_TRUE(a.optimal);
  EXPECT_EQ(a.value, solveBy(Solver::Hirschberg, p).value);
}

TEST(Solvers, AreDeterministic) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Problem p = uniformItems(500, 1000, seed);
    EXPECT_EQ(solve(p).choice, solve(p).choice);
  }
}

// Rows have C/g + 1 columns whatever the number of items: the memory that
// grows with n is that of the items alone.
TEST(Hirschberg, MemoryDoesNotGrowWithItems) {
  size_t least = SIZE_MAX, most = 0;
  for (size_t n : {250, 500, 1000, 2000}) {
    Problem p = uniformItems(n, 4000, 9);
    p.capacity = 200000;
    Answer a = solveBy(Solver::Hirschberg, p);
    EXPECT_TRUE(a.optimal);
    least = std::min(least, a.peakBytes);
    most = std::max(most, a.peakBytes);
  }
  EXPECT_GE(least, 2 * 200000 * sizeof(int32_t));
  EXPECT_LE(most, least + 2000 * 80);
}

TEST(List, TakesLittleMemory) {
  EXPECT_LE(solve(uniformItems(2000, 1000, 1)).peakBytes, 128u << 10);
  EXPECT_LE(solve(layerItems(2000)).peakBytes, 128u << 10);
}

TEST(List, SolvesHundredThousandItems) {
  Answer a = solve(layerItems(100000));
  EXPECT_TRUE(a.optimal);
  EXPECT_EQ(a.solver, Solver::List);
  EXPECT_LE(a.peakBytes, 64u << 20);
}

TEST(Frontier, AgreesWithSolvingEach) {
  for (const Problem &p : {uniformItems(200, 1000, 3), layerItems(200),
                           classesOf(50, 4, 1000, 8)}) {
    std::vector<int64_t> capacities;
    for (int i = 10; i >= 0; --i)
      capacities.push_back(p.capacity / 10 * i);
    Frontier f = frontier(p, capacities);
    ASSERT_EQ(f.points.size(), capacities.size());
    for (size_t i = 0; i < capacities.size(); ++i) {
      Answer a = choiceAt(p, capacities[i]);
      EXPECT_EQ(f.points[i].capacity, capacities[i]);
      EXPECT_TRUE(f.points[i].optimal);
      EXPECT_EQ(f.points[i].value, a.value);
    }
  }
}

TEST(Frontier, RefusesNegativeCapacities) {
  Frontier f = frontier(layerItems(8), {5, -1});
  EXPECT_EQ(f.error, "the capacity is negative (-1)");
  EXPECT_TRUE(f.points.empty());
}

} // namespace
