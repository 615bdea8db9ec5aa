//===- PackTest.cpp - small arenas, against all packings ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomBuffers.h"

#include <gtest/gtest.h>

using namespace memopt::arena;
using namespace memopt::arena::test;

namespace {

PackOptions aligned(int64_t alignment) {
  PackOptions options;
  options.alignment = alignment;
  return options;
}

/// Packs and verifies.
Packing packRight(const std::vector<Buffer> &buffers,
                  const PackOptions &options = {}) {
  EXPECT_EQ(check(buffers, options), "");
  Packing packing = pack(buffers, options);
  EXPECT_EQ(verify(buffers, options, packing), "");
  return packing;
}

TEST(Pack, Nothing) {
  Packing packing = packRight({});
  EXPECT_EQ(packing.height, 0);
  EXPECT_TRUE(packing.optimal);
  packing = packRight({{0, 0, 3}, {0, 1, 1}});
  EXPECT_EQ(packing.height, 0);
  EXPECT_EQ(packing.offsets, (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(packing.optimal);
}

TEST(Pack, OneBuffer) {
  Packing packing = packRight({{100, 5, 9}});
  EXPECT_EQ(packing.height, 128);
  EXPECT_TRUE(packing.optimal);
}

/// Buffers of no bytes take no place, whatever is alive with them.
TEST(Pack, BuffersOfNoBytes) {
  Packing packing = packRight({{64, 0, 9}, {0, 0, 9}, {64, 2, 3}, {0, 2, 2}});
  EXPECT_EQ(packing.height, 128);
}

/// The last kernel of one is the first of the other.
TEST(Pack, LifetimesIncludeBothEnds) {
  EXPECT_EQ(packRight({{64, 0, 1}, {64, 1, 2}}).height, 128);
  EXPECT_EQ(packRight({{64, 0, 1}, {64, 2, 3}}).height, 64);
}

/// Kernel numbers may have gaps and be large.
TEST(Pack, LateKernels) {
  EXPECT_EQ(packRight({{64, 0, INT32_MAX}, {64, INT32_MAX, INT32_MAX}}).height,
            128);
}

TEST(Pack, SizesNearTheLimit) {
  int64_t half = int64_t(1) << 60;
  EXPECT_EQ(packRight({{half, 0, 1}, {half, 1, 2}}).height, 2 * half);
  EXPECT_EQ(packRight({{half - 1, 0, 1}, {half, 1, 2}}, aligned(1)).height,
            2 * half - 1);
}

/// Nine buffers that need 8 bytes although no more than 7 are alive at once:
/// the height is proved by search.
TEST(Pack, MoreThanTheBound) {
  std::vector<Buffer> buffers = {{5, 0, 2}, {5, 6, 6}, {2, 0, 3},
                                 {3, 3, 5}, {1, 3, 4}, {2, 5, 6},
                                 {1, 3, 5}, {1, 4, 5}, {1, 4, 4}};
  Packing packing = packRight(buffers, aligned(1));
  EXPECT_EQ(packing.lowerBound, 7);
  EXPECT_EQ(packing.height, 8);
  EXPECT_TRUE(packing.optimal);
  EXPECT_EQ(findSmallestHeight(buffers, 1), 8);
}

/// The best of all packings, and known as such.
TEST(Pack, AgainstAllPackings) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1500; ++i) {
    int count = static_cast<int>(draw(random, 1, i % 50 ? 6 : 7));
    int kernels = static_cast<int>(draw(random, 1, 8));
    int64_t most = draw(random, 1, 9), alignment = draw(random, 1, 3);
    std::vector<Buffer> buffers = randomBuffers(random, count, kernels, most);
    Packing packing = packRight(buffers, aligned(alignment));
    ASSERT_EQ(packing.height, findSmallestHeight(buffers, alignment)) << i;
    ASSERT_TRUE(packing.optimal) << i;
  }
}

/// With no steps to spend there is a packing all the same.
TEST(Pack, NoSteps) {
  std::mt19937_64 random(2);
  PackOptions options;
  options.stepLimit = 0;
  for (int i = 0; i < 100; ++i)
    packRight(randomBuffers(random, 40, 30, 1000), options);
}

TEST(Pack, SameInputSameOffsets) {
  std::mt19937_64 random(3);
  PackOptions options;
  options.stepLimit = 2'000'000;
  for (int i = 0; i < 10; ++i) {
    std::vector<Buffer> buffers = randomBuffers(random, 60, 40, 100'000);
    EXPECT_EQ(pack(buffers, options).offsets, pack(buffers, options).offsets);
  }
}

TEST(FirstFit, IsRightInEveryOrder) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 50; ++i) {
    std::vector<Buffer> buffers = randomBuffers(random, 60, 40, 1000);
    for (Order order : {Order::Birth, Order::Size, Order::Area, Order::Load})
      EXPECT_EQ(verify(buffers, {}, packFirstFit(buffers, order)), "");
  }
}

/// As an allocator does it: the third buffer does not fit into the hole.
TEST(FirstFit, ByBirthLeavesHoles) {
  std::vector<Buffer> buffers = {{64, 0, 1}, {64, 0, 3}, {128, 2, 3}};
  EXPECT_EQ(packFirstFit(buffers, Order::Birth).height, 256);
  EXPECT_EQ(packRight(buffers).height, 192);
}

} // namespace
