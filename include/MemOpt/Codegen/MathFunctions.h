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

/// Replaces functions of f32 (exp, log, tanh, erf, sin, ...) by arithmetic that
/// runs in vectors, within 5 units in the last place of the exact result, and
/// powers with whole constant exponents by products. What is left (f64, powf)
/// becomes calls of the C library.
void expandMathFunctions(mlir::ModuleOp module);

} // namespace memopt

#endif // MEMOPT_CODEGEN_MATHFUNCTIONS_H
