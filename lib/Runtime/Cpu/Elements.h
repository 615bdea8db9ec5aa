//===- Elements.h - element types of products -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_ELEMENTS_H
#define MEMOPT_LIB_RUNTIME_CPU_ELEMENTS_H

#include "MemOpt/Runtime/Cpu.h"

#include <cstdint>
#include <cstring>

namespace memopt::cpu {

/// Bits of the upper half of an f32.
struct BFloat16 {
  uint16_t bits;
};
/// Bits of an IEEE binary16. Converted by bits, without branches, since
/// compilers call a function for it, one number at a time.
struct Float16 {
  uint16_t bits;
};

inline int64_t getBytes(int64_t type) {
  return type == MEMOPT_CPU_F64 ? 8 : type == MEMOPT_CPU_F32 ? 4 : 2;
}

template <typename To, typename From> inline To convert(From value) {
  return static_cast<To>(value);
}

template <> inline float convert(BFloat16 value) {
  uint32_t bits = uint32_t(value.bits) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}
template <> inline double convert(BFloat16 value) {
  return convert<float>(value);
}

/// To nearest even; a NaN stays one.
template <> inline BFloat16 convert(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  uint32_t quiet = bits >> 16 | 0x40;
  return {uint16_t((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded)};
}

/// A normal number is its bits at another place, with the bias of its exponent
/// changed by 112, which multiplying does for denormal numbers too.
template <> inline float convert(Float16 value) {
  uint32_t magnitude = uint32_t(value.bits & 0x7fff) << 13;
  float number;
  std::memcpy(&number, &magnitude, sizeof(number));
  number *= 0x1p112f;
  uint32_t finite;
  std::memcpy(&finite, &number, sizeof(finite));
  uint32_t quiet = magnitude > 0x7c00u << 13 ? 0x400000 : 0;
  uint32_t bits =
      magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000 | quiet : finite;
  bits |= uint32_t(value.bits & 0x8000) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}
template <> inline double convert(Float16 value) {
  return convert<float>(value);
}

/// To nearest even. Below 2^-14 f16 is a multiple of 2^-24, which is the last
/// place of 0.5 in f32: the addition rounds to it.
template <> inline Float16 convert(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t normal =
      (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  float shifted;
  std::memcpy(&shifted, &magnitude, sizeof(shifted));
  shifted += 0.5f;
  uint32_t small;
  std::memcpy(&small, &shifted, sizeof(small));
  small -= 0x3f000000;
  uint32_t result = magnitude < 113u << 23 ? small : normal;
  // From 65,520 on, half a place above the largest number, it is infinite.
  result = magnitude >= 0x477ff000 ? 0x7c00 : result;
  uint32_t quiet = 0x7e00 | (magnitude >> 13 & 0x3ff);
  result = magnitude > 0x7f800000 ? quiet : result;
  return {uint16_t(result | sign)};
}

/// f64 to a 16-bit type through an f32 that is rounded to odd, so that the
/// value is rounded once (Boldo and Melquiond, "When double rounding is odd").
inline float roundToOdd(double value) {
  float result = static_cast<float>(value);
  if (double(result) == value || value != value)
    return result;
  uint32_t bits;
  std::memcpy(&bits, &result, sizeof(bits));
  if (bits & 1) // inexact, and odd already
    return result;
  double magnitude = value < 0 ? -value : value;
  double rounded = result < 0 ? -double(result) : double(result);
  bits += rounded < magnitude ? 1 : uint32_t(-1);
  std::memcpy(&result, &bits, sizeof(bits));
  return result;
}
template <> inline BFloat16 convert(double value) {
  return convert<BFloat16>(roundToOdd(value));
}
template <> inline Float16 convert(double value) {
  return convert<Float16>(roundToOdd(value));
}

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_ELEMENTS_H
