//===- Elements.h - numbers in memory --------------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_ELEMENTS_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_ELEMENTS_H

#include "MemOpt/Runtime/Gpu.h"

#include <cmath>
#include <cstring>

namespace memopt::emulator {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// To nearest even; NaN stays NaN.
inline uint16_t toBFloat16(float value) {
  auto bits = bitCast<uint32_t>(value);
  return uint16_t(std::isnan(value) ? bits >> 16 | 0x40
                                    : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float fromBFloat16(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}

/// A binary16 number is m 2^e: exact in f32.
inline float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                    : exponent ? std::ldexp(1024.0f + fraction, exponent - 25)
                               : std::ldexp(float(fraction), -24);
  return bits >> 15 ? -magnitude : magnitude;
}

/// To nearest even: the number of units 2^(e-10) nearest to it, or of 2^-24
/// where it is subnormal.
inline uint16_t toHalf(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7E00;
  if (magnitude >= 65520.0f) // rounds to 2^16
    return sign | 0x7C00;
  int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  auto units = int(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the fraction raises the exponent as it should.
  int bits =
      magnitude < 0x1p-14f ? units : (exponent + 15) * 1024 + (units - 1024);
  return uint16_t(sign | bits);
}

/// f32 with ten bits of fraction, to nearest even.
inline float toTF32(float value) {
  auto bits = bitCast<uint32_t>(value);
  if (!std::isfinite(value))
    return value;
  return bitCast<float>((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFFu);
}

/// Element `index` of an array of a memopt_gpu_type.
template <typename Math>
Math loadElement(const char *from, int64_t type, int64_t index) {
  switch (type) {
  case MEMOPT_GPU_F32:
    return Math(reinterpret_cast<const float *>(from)[index]);
  case MEMOPT_GPU_F64:
    return Math(reinterpret_cast<const double *>(from)[index]);
  case MEMOPT_GPU_BF16:
    return fromBFloat16(reinterpret_cast<const uint16_t *>(from)[index]);
  default:
    return fromHalf(reinterpret_cast<const uint16_t *>(from)[index]);
  }
}

template <typename Math>
void storeElement(char *to, int64_t type, int64_t index, Math value) {
  switch (type) {
  case MEMOPT_GPU_F32:
    reinterpret_cast<float *>(to)[index] = float(value);
    return;
  case MEMOPT_GPU_F64:
    reinterpret_cast<double *>(to)[index] = double(value);
    return;
  case MEMOPT_GPU_BF16:
    reinterpret_cast<uint16_t *>(to)[index] = toBFloat16(float(value));
    return;
  default:
    reinterpret_cast<uint16_t *>(to)[index] = toHalf(float(value));
  }
}

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_ELEMENTS_H
