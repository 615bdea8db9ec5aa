//===- Element.cpp - types of tensor elements -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Element.h"
#include "llvm/ADT/STLExtras.h"

using namespace memopt::run;

static constexpr llvm::StringLiteral kNames[] = {
    "f64", "f32", "f16", "bf16", "i1", "i8", "i16", "i32", "i64"};
static constexpr int64_t kSizes[] = {8, 4, 2, 2, 1, 1, 2, 4, 8};

llvm::StringRef memopt::run::name(Element element) {
  return kNames[size_t(element)];
}

std::optional<Element> memopt::run::parseElement(llvm::StringRef name) {
  for (auto [number, known] : llvm::enumerate(kNames))
    if (known == name)
      return Element(number);
  return std::nullopt;
}

int64_t memopt::run::byteSize(Element element) {
  return kSizes[size_t(element)];
}

// IEEE 754-2019, 3.4: 1 sign, 5 exponent (bias 15) and 10 fraction bits. A
// subnormal is fraction * 2^-24.
float memopt::run::fromHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  float value = exponent == 0 ? std::ldexp(float(fraction), -24)
                : exponent == 31
                    ? (fraction ? NAN : INFINITY)
                    : std::ldexp(float(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -value : value;
}

uint16_t memopt::run::toHalf(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7E00;
  float magnitude = std::fabs(value);
  // Half of the last place above the largest number, 65504, rounds to infinity.
  if (magnitude >= 65520.f)
    return sign | 0x7C00;
  // Below 2^-14 the place of the last bit is fixed at 2^-24.
  int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  // nearbyint rounds half to even in the default mode. A carry into the next
  // binade is a carry into the exponent's bits.
  int fraction = int(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | uint16_t(((exponent + 14) << 10) + fraction);
}
