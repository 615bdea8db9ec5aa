//===- ProblemTest.cpp - Checking problems and answers --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Problem.h"

#include <gtest/gtest.h>

using namespace memopt::knapsack;

namespace {

constexpr int64_t kTop = INT64_MAX;

Problem items(std::vector<State> states, int64_t capacity) {
  Problem p;
  p.states = std::move(states);
  p.capacity = capacity;
  return p;
}

// What a user can get wrong is named, with the item or the class and state.
TEST(Check, NamesWhatIsWrong) {
  EXPECT_EQ(check(items({{1, 2}}, 3)), "");
  EXPECT_EQ(check(items({}, 0)), "");
  EXPECT_EQ(check(items({{1, 2}}, -3)), "the capacity is negative (-3)");
  EXPECT_EQ(check(items({{1, 1}, {-1, 2}}, 3)),
            "item 1: the value is negative (-1)");
  EXPECT_EQ(check(items({{1, 1}, {1, -2}}, 3)),
            "item 1: the weight is negative (-2)");
  EXPECT_EQ(check(items({{1, 1, -5}}, 3)), "item 0: the key is negative (-5)");
}

TEST(Check, RefusesSumsThatOverflow) {
  EXPECT_EQ(check(items({{kTop, 1}, {0, 1}}, 3)), "");
  EXPECT_EQ(check(items({{kTop, 1}, {1, 1}}, 3)),
            "item 1: the sum of values up to here does not fit into 64 bits");
  EXPECT_EQ(check(items({{1, kTop / 2 + 1}, {1, kTop / 2 + 1}}, 3)),
            "item 1: the sum of weights up to here does not fit into 64 bits");
  EXPECT_EQ(check(items({{1, 1, kTop}, {1, 1, kTop}}, 3)),
            "item 1: the sum of keys up to here does not fit into 64 bits");
}

// One state a class is chosen, so only the largest of each class adds up.
TEST(Check, AddsTheLargestOfEachClass) {
  Problem p = items({{kTop, 1}, {kTop, 2}, {0, 1}, {1, 1}}, 3);
  p.classStart = {0, 2, 3};
  EXPECT_EQ(check(p), "the class bounds do not cover the states");
  p.classStart = {0, 2, 2, 4};
  EXPECT_EQ(check(p), "class 1 has no states");
  p.classStart = {0, 3, 4};
  Defect defect;
  EXPECT_EQ(check(p, &defect),
            "class 1, state 0: the sum of values up to here does not fit into "
            "64 bits");
  EXPECT_TRUE(defect.known);
  EXPECT_EQ(defect.state, 3u);
  p.states[3].value = 0;
  EXPECT_EQ(check(p), "");
}

TEST(Verify, RecomputesFromScratch) {
  Problem p = items({{5, 2, 1}, {7, 3, 2}, {9, 4, 4}}, 6);
  Totals t;
  EXPECT_EQ(verify(p, {1, 0, 1}, t), "");
  EXPECT_EQ(t.value, 14);
  EXPECT_EQ(t.weight, 6);
  EXPECT_EQ(t.key, 5);
  EXPECT_EQ(verify(p, {0, 1, 1}, t), "the weight 7 exceeds the capacity 6");
  EXPECT_EQ(verify(p, {0, 1}, t), "the choice has 2 entries for 3 items");
  EXPECT_EQ(verify(p, {0, 2, 0}, t), "item 1: no alternative 2");
  p.classStart = {0, 1, 3};
  EXPECT_EQ(verify(p, {0, 2}, t), "class 1: no alternative 2");
  EXPECT_EQ(verify(p, {0, -1}, t), "class 1: no alternative -1");
  EXPECT_EQ(verify(p, {0, 1}, t), "");
  EXPECT_EQ(t.value, 14);
}

} // namespace
