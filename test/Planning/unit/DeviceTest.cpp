//===- DeviceTest.cpp - what a device can do a second ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Device.h"

#include <gtest/gtest.h>

using namespace memopt;

TEST(Device, NamesAndNumbers) {
  std::string error;
  auto h200 = parseDevice("h200", error);
  ASSERT_TRUE(h200);
  EXPECT_EQ(h200->flopsFor(2), 480'000'000'000'000);
  EXPECT_EQ(h200->bytesPerSecond, 4'800'000'000'000);
  auto capitals = parseDevice("H200,bandwidth=4T", error);
  ASSERT_TRUE(capitals);
  EXPECT_EQ(capitals->name, "h200");
  auto mine = parseDevice("flops4=67T,bandwidth=4800G", error);
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->name, "custom");
  EXPECT_EQ(mine->flopsFor(1), 67'000'000'000'000);
  EXPECT_EQ(mine->flopsFor(8), 67'000'000'000'000);
  auto changed = parseDevice("h100,bandwidth=2T", error);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->bytesPerSecond, 2'000'000'000'000);
}

TEST(Device, SaysWhatItDoesNotUnderstand) {
  std::string error;
  EXPECT_FALSE(parseDevice("tpu", error));
  EXPECT_NE(error.find("unknown device `tpu`"), std::string::npos);
  EXPECT_FALSE(parseDevice("flops4=fast,bandwidth=1G", error));
  EXPECT_NE(error.find("`flops4=fast` is no positive number"),
            std::string::npos);
  EXPECT_FALSE(parseDevice("flops3=1T,bandwidth=1G", error));
  EXPECT_NE(error.find("unknown device setting"), std::string::npos);
  EXPECT_FALSE(parseDevice("flops4=1T", error));
  EXPECT_NE(error.find("needs a bandwidth"), std::string::npos);
  EXPECT_FALSE(parseDevice("bandwidth=9999999P", error));
}

// time = max(flops / peak, bytes / bandwidth), rounded up, beyond 2^63 refused.
TEST(Device, Roofline) {
  std::string error;
  Device d = *parseDevice("flops4=2T,bandwidth=1T", error);
  EXPECT_EQ(d.rooflinePicoseconds(10, 4, 3), 5);
  EXPECT_EQ(d.rooflinePicoseconds(2, 4, 3), 3);
  EXPECT_EQ(d.rooflinePicoseconds(3, 4, 0), 2);
  EXPECT_EQ(d.rooflinePicoseconds(int64_t(1) << 61, 4, 0), int64_t(1) << 60);
  EXPECT_FALSE(parseDevice("flops4=1,bandwidth=1", error)
                   ->rooflinePicoseconds(int64_t(1) << 40, 4, 0));
  EXPECT_FALSE(d.rooflinePicoseconds(-1, 4, 0));
  Device cached =
      *parseDevice("flops4=2T,bandwidth=1T,cache=10,cache-bandwidth=2T", error);
  EXPECT_EQ(cached.rooflinePicoseconds(0, 4, 10), 5);
  EXPECT_EQ(cached.rooflinePicoseconds(0, 4, 11), 11);
}
