//===- ElementTest.cpp - conversions of elements --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Element.h"
#include <gtest/gtest.h>

using namespace memopt::run;

// Every number that is no NaN comes back from float with the same bits.
TEST(Element, HalfRoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = fromHalf(uint16_t(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(fromHalf(toHalf(value))));
    else
      EXPECT_EQ(toHalf(value), bits);
  }
}

// Between two neighbours: the nearest, and the even one at half.
TEST(Element, HalfRoundsToNearestEven) {
  for (uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    float low = fromHalf(bits), high = fromHalf(bits + 1);
    float middle = low + (high - low) / 2; // exact
    EXPECT_EQ(toHalf(middle), bits + (bits & 1));
    EXPECT_EQ(toHalf(std::nextafter(middle, 0.f)), bits);
    EXPECT_EQ(toHalf(std::nextafter(middle, INFINITY)), bits + 1);
  }
}

TEST(Element, HalfOverflow) {
  EXPECT_EQ(toHalf(65504.f), 0x7BFF);
  EXPECT_EQ(toHalf(65519.99f), 0x7BFF);
  EXPECT_EQ(toHalf(65520.f), 0x7C00);
  EXPECT_EQ(toHalf(-INFINITY), 0xFC00);
  EXPECT_EQ(toHalf(1e-10f), 0);
}

TEST(Element, BFloat16) {
  EXPECT_EQ(toBFloat16(1.f), 0x3F80);
  // 1 + 2^-8 lies half way between 1 and 1 + 2^-7: the even one.
  EXPECT_EQ(toBFloat16(1.f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(toBFloat16(1.f + 0x3p-8f), 0x3F82);
  EXPECT_EQ(toBFloat16(3.4e38f), 0x7F80);
  EXPECT_TRUE(std::isnan(fromBFloat16(toBFloat16(NAN))));
  EXPECT_EQ(fromBFloat16(0xBF80), -1.f);
}

TEST(Element, Names) {
  for (Element element :
       {Element::F64, Element::F32, Element::F16, Element::BF16, Element::I1,
        Element::I8, Element::I16, Element::I32, Element::I64})
    EXPECT_EQ(parseElement(name(element)), element);
  EXPECT_FALSE(parseElement("i7"));
}
