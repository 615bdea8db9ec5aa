//===- Element.h - types of tensor elements --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_ELEMENT_H
#define MEMOPT_RUN_ELEMENT_H

#include "llvm/ADT/StringRef.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

namespace memopt::run {

/// The element types that a compiled step takes and gives. I1 takes one byte an
/// element; integers are signless, as in MLIR.
enum class Element { F64, F32, F16, BF16, I1, I8, I16, I32, I64 };

/// MLIR's name of the type, as `bf16`.
llvm::StringRef name(Element element);
std::optional<Element> parseElement(llvm::StringRef name);

/// Bytes of one element in memory.
int64_t byteSize(Element element);

inline bool isFloat(Element element) { return element <= Element::BF16; }

/// The value of an IEEE binary16 number, exact.
float fromHalf(uint16_t bits);
/// The nearest binary16 number, ties to even; NaN stays NaN.
uint16_t toHalf(float value);

/// The value of a bfloat16 number, exact.
inline float fromBFloat16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// The nearest bfloat16 number, ties to even; NaN stays NaN.
inline uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (std::isnan(value))
    return 0x7FC0;
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// How one element type is stored and computed on. `Math` is PyTorch's opmath
/// type: float for 16-bit floats.
struct F64Codec {
  using Stored = double;
  using Math = double;
  static Math load(Stored x) { return x; }
  static Stored store(Math x) { return x; }
};
struct F32Codec {
  using Stored = float;
  using Math = float;
  static Math load(Stored x) { return x; }
  static Stored store(Math x) { return x; }
};
struct F16Codec {
  using Stored = uint16_t;
  using Math = float;
  static Math load(Stored x) { return fromHalf(x); }
  static Stored store(Math x) { return toHalf(x); }
};
struct BF16Codec {
  using Stored = uint16_t;
  using Math = float;
  static Math load(Stored x) { return fromBFloat16(x); }
  static Stored store(Math x) { return toBFloat16(x); }
};
template <typename Integer> struct IntegerCodec {
  using Stored = Integer;
  using Math = double;
  static Math load(Stored x) { return double(x); }
  static Stored store(Math x) { return Stored(x); }
};

/// Calls `visit` with the codec of a type of floats.
template <typename Visitor> void visitFloat(Element element, Visitor &&visit) {
  switch (element) {
  case Element::F64:
    return visit(F64Codec());
  case Element::F32:
    return visit(F32Codec());
  case Element::F16:
    return visit(F16Codec());
  case Element::BF16:
    return visit(BF16Codec());
  default:
    return;
  }
}

/// Calls `visit` with the codec of any type.
template <typename Visitor>
void visitElement(Element element, Visitor &&visit) {
  switch (element) {
  case Element::I1:
  case Element::I8:
    return visit(IntegerCodec<int8_t>());
  case Element::I16:
    return visit(IntegerCodec<int16_t>());
  case Element::I32:
    return visit(IntegerCodec<int32_t>());
  case Element::I64:
    return visit(IntegerCodec<int64_t>());
  default:
    return visitFloat(element, visit);
  }
}

} // namespace memopt::run

#endif // MEMOPT_RUN_ELEMENT_H
