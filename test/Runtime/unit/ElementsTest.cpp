//===- ElementsTest.cpp - conversions of 16-bit floats --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Cpu/Elements.h"
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace memopt::cpu;

static uint16_t bitsOf(_Float16 value) {
  uint16_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Every f16 is what the compiler makes of it, and comes back as itself.
TEST(Elements, F16Widens) {
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    _Float16 value;
    std::memcpy(&value, &half, sizeof(value));
    float wide = convert<float>(Float16{half});
    if (std::isnan(static_cast<float>(value))) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
      EXPECT_EQ(convert<Float16>(wide).bits, half | 0x200);
      continue;
    }
    EXPECT_EQ(wide, static_cast<float>(value)) << bits;
    EXPECT_EQ(std::signbit(wide), half >> 15) << bits;
    EXPECT_EQ(convert<Float16>(wide).bits, half);
    EXPECT_EQ(convert<Float16>(convert<double>(Float16{half})).bits, half);
  }
}

/// Around each f16 and each middle of two, as the compiler rounds.
TEST(Elements, F16Rounds) {
  for (uint32_t bits = 0; bits <= 0x7c00u << 1; ++bits) {
    // Bit 0 is the half place below an f16's last.
    float middle = convert<float>(Float16{uint16_t(bits >> 1)});
    if (bits & 1)
      middle =
          (middle + convert<float>(Float16{uint16_t((bits >> 1) + 1)})) / 2;
    for (float value : {std::nextafter(middle, 0.0f), middle,
                        std::nextafter(middle, 1e9f), -middle}) {
      EXPECT_EQ(convert<Float16>(value).bits,
                bitsOf(static_cast<_Float16>(value)))
          << value;
      EXPECT_EQ(convert<Float16>(double(value)).bits,
                bitsOf(static_cast<_Float16>(value)))
          << value;
    }
  }
}

/// f32 of all exponents.
TEST(Elements, F16RoundsAnything) {
  uint32_t bits = 1;
  for (int i = 0; i < 1 << 20; ++i) {
    bits = bits * 1664525 + 1013904223;
    float value = floatOf(bits);
    if (!std::isnan(value)) {
      EXPECT_EQ(convert<Float16>(value).bits,
                bitsOf(static_cast<_Float16>(value)))
          << value;
    }
  }
}

/// f64 is rounded once: a hair above the middle of two f16 goes up.
TEST(Elements, F64RoundsOnce) {
  EXPECT_EQ(convert<Float16>(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(convert<Float16>(1 + 0x1p-11).bits, 0x3c00);
  EXPECT_EQ(convert<Float16>(1 + 0x1p-11 - 0x1p-40).bits, 0x3c00);
  EXPECT_EQ(convert<Float16>(65520 - 0x1p-30).bits, 0x7bff);
  EXPECT_EQ(convert<Float16>(1e300).bits, 0x7c00);
  EXPECT_EQ(convert<BFloat16>(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
}
