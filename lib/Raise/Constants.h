//===- Constants.h - the reals that constants stand for ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_CONSTANTS_H
#define MEMOPT_LIB_RAISE_CONSTANTS_H

#include "ScalarOps.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace memopt::raising {

/// A constant as the program has it, and the real number its author meant. A
/// float32 erf-GELU multiplies by 0.707106769, which is 1/sqrt(2) rounded; in
/// bfloat16 the rounding is as large as the difference between the two GELUs.
/// Comparing with the real makes 1e-6 separate right from wrong in every type.
struct Constant {
  double raw = 0;
  double real = 0;
};

/// `value` rounded to the float type `type`; unchanged for other types.
double roundTo(mlir::Type type, double value);

/// The real that `value`, a number of type `type`, is the rounding of, if it is
/// one that activations and norms are written with: a known irrational or
/// product, or in float32 a decimal of at most six digits. Otherwise `value`.
double snap(mlir::Type type, double value);

/// The number in a FloatAttr or IntegerAttr (signed); none for other
/// attributes.
std::optional<Constant> readConstant(mlir::Attribute attribute);

/// The splat of a dense elements attribute, or its only element.
std::optional<Constant> readSplat(mlir::Attribute attribute);

/// The op applied to constants; its result has type `type`.
Constant fold(ScalarOp op, mlir::Type type, llvm::ArrayRef<Constant> operands);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_CONSTANTS_H
