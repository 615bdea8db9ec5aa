//===- MathFunctions.h - functions in vector code ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_MATHFUNCTIONS_H
#define MEMOPT_CODEGEN_MATHFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace memopt {

/// Replaces functions of f32 and f64 by arithmetic that runs in vectors, within
/// 5 units in the last place of the exact result: exp, exp2, expm1, log, log2,
/// log10, log1p, tanh, erf, erfc, sin, cos, powf (asin and acos of f32 only);
/// powers with whole constant exponents are products. sin and cos of f64 are
/// NaN where an argument is 2^50 or more. What is left becomes calls of the C
/// library, or has no GPU code.
void expandMathFunctions(mlir::ModuleOp module);

} // namespace memopt

#endif // MEMOPT_CODEGEN_MATHFUNCTIONS_H
