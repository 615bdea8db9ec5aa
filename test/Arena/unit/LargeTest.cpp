//===- LargeTest.cpp - arenas of many buffers -----------------------------===//
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

/// Height over lower bound, once verified.
double packRatio(const std::vector<Buffer> &buffers) {
  PackOptions options;
  options.alignment = 1;
  EXPECT_EQ(check(buffers, options), "");
  Packing packing = pack(buffers, options);
  EXPECT_EQ(verify(buffers, options, packing), "");
  return static_cast<double>(packing.height) /
         static_cast<double>(packing.lowerBound);
}

/// What is full everywhere leaves no slack anywhere: the search follows the
/// cuts back.
TEST(Large, RectanglesCutUp) {
  std::mt19937_64 random(1);
  for (int count : {20, 50, 100, 200}) {
    std::vector<Buffer> pieces = cutRectangle(random, count, 1000, 1'000'000);
    EXPECT_EQ(packRatio(pieces), 1.0) << count;
  }
}

TEST(Large, Steps) {
  std::mt19937_64 random(2);
  for (int layers : {2, 12, 32, 100}) {
    EXPECT_EQ(packRatio(layeredStep(random, layers, 20)), 1.0) << layers;
  }
}

TEST(Large, TwentyThousandRandomBuffers) {
  std::mt19937_64 random(3);
  std::vector<Buffer> buffers =
      randomBuffers(random, 20'000, 20'000, 1'000'000);
  EXPECT_LE(packRatio(buffers), 1.02);
}

} // namespace
