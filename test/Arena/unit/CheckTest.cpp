//===- CheckTest.cpp - what check and verify say --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Arena/Pack.h"

#include <gtest/gtest.h>

using namespace memopt::arena;

namespace {

PackOptions aligned(int64_t alignment) {
  PackOptions options;
  options.alignment = alignment;
  return options;
}

TEST(Check, NamesWhatIsWrong) {
  EXPECT_EQ(check({}), "");
  EXPECT_EQ(check({{0, 0, 0}, {64, 2, 7}}), "");
  EXPECT_EQ(check({{1, 0, 0}, {-1, 0, 0}}), "buffer 1 has -1 bytes");
  EXPECT_EQ(check({{1, 2, 1}}), "buffer 0 is alive from kernel 2 to 1");
  EXPECT_EQ(check({{1, -1, 1}}), "buffer 0 is alive from kernel -1 to 1");
  EXPECT_EQ(check({}, aligned(0)), "the alignment is 0, not from 1 to 2^61");
}

TEST(Check, SumsStayInRange) {
  int64_t half = int64_t(1) << 60;
  EXPECT_EQ(check({{half, 0, 0}, {half, 1, 1}}), "");
  EXPECT_EQ(check({{half, 0, 0}, {half, 1, 1}, {1, 2, 2}}),
            "buffer 2 takes the sum of sizes past 2^61 bytes");
  EXPECT_EQ(check({{half + 1, 0, 0}, {half - 64, 1, 1}}), "");
  EXPECT_EQ(check({{half + 1, 0, 0}, {half - 63, 1, 1}}),
            "buffer 1 takes the sum of sizes past 2^61 bytes");
  EXPECT_EQ(check({{INT64_MAX, 0, 0}}),
            "buffer 0 takes the sum of sizes past 2^61 bytes");
  EXPECT_EQ(check({{1, 0, 0}, {1, 0, 0}}, aligned(half)), "");
  EXPECT_EQ(check({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, aligned(half)),
            "buffer 2 takes the sum of sizes past 2^61 bytes");
}

/// Two buffers that are alive together and one after them.
class Verify : public testing::Test {
protected:
  std::vector<Buffer> buffers = {{64, 0, 1}, {100, 1, 2}, {192, 3, 4}};
  PackOptions options;
  Packing good = {{0, 64, 0}, 192, 192, true};

  std::string verifyAt(std::vector<int64_t> offsets) {
    Packing packing = good;
    packing.offsets = std::move(offsets);
    return verify(buffers, options, packing);
  }
};

TEST_F(Verify, AcceptsWhatIsRight) {
  EXPECT_EQ(verify(buffers, options, good), "");
  EXPECT_EQ(verifyAt({128, 0, 0}), "");
}

TEST_F(Verify, FindsOverlap) {
  EXPECT_EQ(verifyAt({0, 0, 0}), "buffer 1 overlaps buffer 0");
  EXPECT_EQ(verifyAt({64, 0, 0}), "buffer 1 overlaps buffer 0");
  buffers[0].bytes = 65; // two units
  EXPECT_EQ(verifyAt({0, 64, 0}), "buffer 1 overlaps buffer 0");
}

TEST_F(Verify, FindsOffsetsThatAreWrong) {
  EXPECT_EQ(verifyAt({0, 64}), "2 offsets for 3 buffers");
  EXPECT_EQ(verifyAt({0, 96, 0}), "buffer 1 is at 96, no multiple of 64");
  EXPECT_EQ(verifyAt({0, 64, -64}), "buffer 2 has the offset -64");
  EXPECT_EQ(verifyAt({0, 64, int64_t(1) << 61}),
            "buffer 2 has the offset 2305843009213693952");
}

TEST_F(Verify, RecomputesHeightAndBound) {
  EXPECT_EQ(verifyAt({0, 64, 64}), "the height is 256, not 192");
  good.height = 256;
  EXPECT_EQ(verifyAt({0, 64, 0}), "the height is 192, not 256");
  good.height = 192;
  good.lowerBound = 128;
  EXPECT_EQ(verifyAt({0, 64, 0}), "the lower bound is 192, not 128");
}

/// The last kernel of one buffer is the first of the other: both are alive.
TEST_F(Verify, LifetimesIncludeBothEnds) {
  buffers = {{64, 0, 1}, {64, 1, 2}};
  good = {{0, 0}, 64, 128, false};
  EXPECT_EQ(verify(buffers, options, good), "buffer 1 overlaps buffer 0");
}

} // namespace
