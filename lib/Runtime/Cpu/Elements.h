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
using Float16 = _Float16;

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

/// Calls `call` with a value of the C++ type.
template <typename Call> inline void withType(int64_t type, const Call &call) {
  switch (type) {
  case MEMOPT_CPU_F64:
    return call(double());
  case MEMOPT_CPU_BF16:
    return call(BFloat16());
  case MEMOPT_CPU_F16:
    return call(Float16());
  default:
    return call(float());
  }
}

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_ELEMENTS_H
