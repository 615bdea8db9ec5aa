//===- FuzzTest.cpp - All solvers against every combination ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MEMOPT_FUZZ sets the number of instances of each form; the default is
// 100,000, and 10,000 under the sanitizers.
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Certify.h"
#include "MemOpt/Knapsack/Format.h"
#include "MemOpt/Knapsack/Frontier.h"
#include "RandomProblem.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sstream>

using namespace memopt::knapsack;

namespace {

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

uint64_t instanceCount() {
  if (const char *set = std::getenv("MEMOPT_FUZZ"))
    return std::strtoull(set, nullptr, 10);
#ifdef SANITIZED
  return 10000;
#else
  return 100000;
#endif
}

std::string text(const Problem &p) {
  std::ostringstream os;
  print(p, os);
  return os.str();
}

bool equal(const Problem &p, size_t i, size_t j) {
  if (p.alternatives(i) != p.alternatives(j))
    return false;
  for (uint32_t a = 0; a < p.alternatives(i); ++a) {
    State s = p.alternative(i, a), t = p.alternative(j, a);
    if (s.value != t.value || s.weight != t.weight || s.key != t.key)
      return false;
  }
  return true;
}

/// Of equal decisions the earlier (later) ones have the heavier alternatives.
bool isSettled(const Problem &p, const Answer &a, PositionOrder order) {
  for (size_t i = 0; i < p.size(); ++i)
    for (size_t j = i + 1; j < p.size(); ++j) {
      int64_t v = p.alternative(i, a.choice[i]).weight;
      int64_t w = p.alternative(j, a.choice[j]).weight;
      bool wrong = order == PositionOrder::EarlierFirst ? v < w : v > w;
      if (wrong && equal(p, i, j))
        return false;
    }
  return true;
}

void expectOptimal(const Problem &p, const Answer &a, const Answer &expected,
                   PositionOrder order) {
  SCOPED_TRACE(std::string(name(a.solver)) + " on\n" + text(p));
  ASSERT_EQ(a.error, "");
  ASSERT_EQ(a.feasible, expected.feasible);
  EXPECT_TRUE(a.optimal);
  if (!a.feasible)
    return;
  Totals totals;
  ASSERT_EQ(verify(p, a.choice, totals), "");
  ASSERT_LE(totals.weight, p.capacity);
  EXPECT_EQ(totals.value, a.value);
  EXPECT_EQ(totals.weight, a.weight);
  EXPECT_EQ(totals.key, a.key);
  ASSERT_EQ(a.value, expected.value);
  ASSERT_EQ(a.key, expected.key);
  EXPECT_EQ(a.upperBound, a.value);
  EXPECT_TRUE(isSettled(p, a, order));
}

void expectCertified(const Problem &p, const Answer &a) {
  SCOPED_TRACE(text(p));
  Certificate c = a.feasible ? certify(p, a.choice) : certifyInfeasible(p);
  ASSERT_EQ(c.verdict, Verdict::Optimal) << c.reason;
  if (!a.feasible)
    return;
  // A worse choice is refuted: each decision at its lightest alternative.
  Choice lightest(p.size());
  for (size_t i = 0; i < p.size(); ++i)
    for (uint32_t x = 1; x < p.alternatives(i); ++x)
      if (p.alternative(i, x).weight < p.alternative(i, lightest[i]).weight)
        lightest[i] = int32_t(x);
  Totals totals;
  ASSERT_EQ(verify(p, lightest, totals), "");
  if (totals.value < a.value) {
    EXPECT_EQ(certify(p, lightest).verdict, Verdict::NotOptimal);
  }
}

/// The frontier at a few capacities agrees with solving each.
void expectFrontier(const Problem &p, Random &random) {
  SCOPED_TRACE(text(p));
  std::vector<int64_t> capacities;
  for (int i = 0; i < 3; ++i)
    capacities.push_back(random.upTo(p.capacity));
  for (Solver solver : {Solver::Auto, Solver::List}) {
    SolveOptions options;
    options.solver = solver;
    Frontier f = frontier(p, capacities, options);
    ASSERT_EQ(f.points.size(), capacities.size());
    for (const FrontierPoint &point : f.points) {
      Answer a = choiceAt(p, point.capacity);
      ASSERT_EQ(point.feasible, a.feasible);
      EXPECT_TRUE(point.optimal);
      EXPECT_EQ(point.value, a.value);
      EXPECT_EQ(point.key, a.key);
      EXPECT_EQ(point.upperBound, a.value);
    }
  }
}

void fuzz(Problem (*make)(Random &), uint64_t seed) {
  Random random(seed);
  for (uint64_t i = 0, n = instanceCount(); i < n; ++i) {
    Problem p = make(random);
    ASSERT_EQ(check(p), "") << text(p);
    SolveOptions options;
    options.order =
        i % 2 ? PositionOrder::LaterFirst : PositionOrder::EarlierFirst;
    options.solver = Solver::Exhaustive;
    Answer expected = solve(p, options);
    expectOptimal(p, expected, expected, options.order);
    // Long rows take long, so most of them are left out.
    int64_t row = rowLength(p);
    bool rows = row <= 2000 || (row <= 100000 && i % 64 == 0);
    for (Solver solver :
         {Solver::Auto, Solver::List, Solver::Hirschberg, Solver::Table}) {
      options.solver = solver;
      if (rows || solver == Solver::Auto || solver == Solver::List)
        expectOptimal(p, solve(p, options), expected, options.order);
    }
    expectCertified(p, expected);
    if (i % 16 == 0)
      expectFrontier(p, random);
    if (testing::Test::HasFailure())
      return;
  }
}

// Larger ones against rows: one for every 200 small ones.
TEST(Fuzz, Large) {
  Random random(3);
  for (uint64_t i = 0, n = instanceCount() / 200; i < n; ++i) {
    Problem p = randomLarge(random);
    SolveOptions options;
    options.solver = Solver::Hirschberg;
    Answer expected = solve(p, options);
    for (Solver solver : {Solver::List, Solver::Auto}) {
      options.solver = solver;
      expectOptimal(p, solve(p, options), expected, options.order);
    }
    if (i % 8 == 0)
      expectCertified(p, expected);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Fuzz, Items) { fuzz(randomItems, 1); }

TEST(Fuzz, Classes) { fuzz(randomClasses, 2); }

} // namespace
