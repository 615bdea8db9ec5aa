//===- FormatTest.cpp - The text format -----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Format.h"
#include "RandomProblem.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace memopt::knapsack;

namespace {

std::string errorOf(std::string_view text) {
  Problem p;
  return parse(text, "f", p);
}

TEST(Format, ReadsItems) {
  Problem p;
  std::vector<size_t> lines;
  ASSERT_EQ(parse("# two items\n2 10\n\n5 3\n\t7 4 9 # with a key\r\n", "f", p,
                  &lines),
            "");
  EXPECT_FALSE(p.isMultipleChoice());
  EXPECT_EQ(p.capacity, 10);
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(p.states[1].value, 7);
  EXPECT_EQ(p.states[1].weight, 4);
  EXPECT_EQ(p.states[1].key, 9);
  EXPECT_EQ(lines, (std::vector<size_t>{4, 5}));
}

TEST(Format, ReadsClasses) {
  Problem p;
  ASSERT_EQ(parse("classes 2 10\n2\n0 0\n5 3\n1\n7 4\n", "f", p), "");
  EXPECT_TRUE(p.isMultipleChoice());
  EXPECT_EQ(p.classStart, (std::vector<uint32_t>{0, 2, 3}));
}

// Every message says in which line and what is wrong.
TEST(Format, NamesLineAndMistake) {
  EXPECT_EQ(errorOf(""), "f:0: the text is empty");
  EXPECT_EQ(errorOf("# nothing\n"), "f:1: the text is empty");
  EXPECT_EQ(errorOf("2\n"), "f:1: expected capacity");
  EXPECT_EQ(errorOf("-1 5\n"),
            "f:1: number of items -1 is not between 0 and 2147483647");
  EXPECT_EQ(errorOf("1 5 6\n1 1\n"), "f:1: '6' is too much on this line");
  EXPECT_EQ(errorOf("1 5\n1\n"), "f:2: expected weight");
  EXPECT_EQ(errorOf("1 5\n1 x\n"), "f:2: weight 'x' is not an integer");
  EXPECT_EQ(errorOf("1 5\n1.5 2\n"), "f:2: value '1.5' is not an integer");
  EXPECT_EQ(errorOf("1 5\n1 2 3 4\n"), "f:2: '4' is too much on this line");
  EXPECT_EQ(errorOf("1 5\n1 9223372036854775808\n"),
            "f:2: weight '9223372036854775808' does not fit into 64 bits");
  EXPECT_EQ(errorOf("2 5\n1 1\n"), "f:2: the text ends after 1 of 2 items");
  EXPECT_EQ(errorOf("1 5\n1 1\n1 1\n"),
            "f:3: more lines than the first line announces");
  EXPECT_EQ(errorOf("groups 1 5\n"), "f:1: expected 'classes'");
  EXPECT_EQ(errorOf("classes 1 5\n0\n"),
            "f:2: number of states 0 is not between 1 and 2147483647");
  EXPECT_EQ(errorOf("classes 2 5\n1\n1 1\n"),
            "f:3: the text ends after 1 of 2 classes");
  EXPECT_EQ(errorOf("classes 1 5\n2\n1 1\n"),
            "f:3: the text ends after 1 of 2 states");
}

// What is printed reads back as the same problem.
TEST(Format, RoundTrips) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    Problem p = i % 2 ? randomItems(random) : randomClasses(random), q;
    std::ostringstream os;
    print(p, os);
    ASSERT_EQ(parse(os.str(), "f", q), "") << os.str();
    EXPECT_EQ(p.capacity, q.capacity);
    EXPECT_EQ(p.classStart, q.classStart);
    ASSERT_EQ(p.states.size(), q.states.size());
    for (size_t s = 0; s < p.states.size(); ++s) {
      EXPECT_EQ(p.states[s].value, q.states[s].value);
      EXPECT_EQ(p.states[s].weight, q.states[s].weight);
      EXPECT_EQ(p.states[s].key, q.states[s].key);
    }
  }
}

} // namespace
