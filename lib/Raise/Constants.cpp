//===- Constants.cpp - the reals that constants stand for -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace memopt::raising;

double memopt::raising::roundTo(Type type, double value) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return value;
  APFloat number(value);
  bool losesInfo;
  number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

/// The numbers activations are written with. Up to sign and a factor of 2.
static const double known[] = {
    1.41421356237309504880, // sqrt(2), and 1/sqrt(2)
    0.79788456080286535588, // sqrt(2/pi), and 1/sqrt(2 pi)
    1.12837916709551257390, // 2/sqrt(pi), and 1/sqrt(pi)
    0.044715,               // of the tanh GELU
    0.134145,               // 3 * 0.044715
    0.79788456080286535588 * 0.044715,
    0.79788456080286535588 * 0.134145,
    1.702, // of the quick GELU
};

/// The mantissa bits a number carries: those of its type, but no more than 24
/// where an f64 holds a float32 constant, as front ends write them.
static unsigned getPrecision(Type type, double value) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 53;
  unsigned bits = floatType.getFPMantissaWidth();
  return bits > 24 && double(float(value)) == value ? 24 : bits;
}

double memopt::raising::snap(Type type, double value) {
  unsigned bits = getPrecision(type, value);
  if (bits > 24 || value == 0 || !std::isfinite(value))
    return value;
  double halfUlp = std::ldexp(std::fabs(value), -int(bits)) * 1.01;
  for (double k : known)
    for (double factor : {1.0, 0.5, 2.0, 0.25}) {
      double candidate = std::copysign(k * factor, value);
      if (std::fabs(candidate - value) <= halfUlp)
        return candidate;
    }
  if (bits < 24)
    return value;
  char decimal[32];
  std::snprintf(decimal, sizeof(decimal), "%.6g", value);
  double candidate = std::strtod(decimal, nullptr);
  return std::fabs(candidate - value) <= halfUlp ? candidate : value;
}

std::optional<Constant> memopt::raising::readConstant(Attribute attribute) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute)) {
    double raw = number.getValueAsDouble();
    return Constant{raw, snap(number.getType(), raw)};
  }
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute)) {
    if (number.getValue().getSignificantBits() > 53)
      return std::nullopt;
    double raw = number.getValue().getSExtValue();
    return Constant{raw, raw};
  }
  return std::nullopt;
}

std::optional<Constant> memopt::raising::readSplat(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat() ||
      !elements.getElementType().isIntOrIndexOrFloat())
    return std::nullopt;
  return readConstant(elements.getSplatValue<Attribute>());
}

Constant memopt::raising::fold(ScalarOp op, Type type,
                               ArrayRef<Constant> operands) {
  Constant a = operands[0];
  Constant b = operands.size() > 1 ? operands[1] : Constant();
  Constant c = operands.size() > 2 ? operands[2] : Constant();
  double raw = roundTo(type, evaluate(op, a.raw, b.raw, c.raw));
  double real = evaluate(op, a.real, b.real, c.real);
  return {raw, snap(type, real)};
}
