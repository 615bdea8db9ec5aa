//===- ScalarOps.h - operations on one scalar -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_SCALAROPS_H
#define MEMOPT_LIB_RAISE_SCALAROPS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace memopt::raising {

/// What a scalar op computes, as a function of reals. `Copy` is the identity:
/// casts between number types and broadcasts.
enum class Opcode : uint8_t {
  Copy,
  // Unary.
  Neg,
  Abs,
  Sqrt,
  Rsqrt,
  Cbrt,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log1p,
  Tanh,
  Erf,
  Erfc,
  Sin,
  Cos,
  Sinh,
  Cosh,
  // Binary.
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Pow,
  Compare,
  // Ternary.
  Select,
  Fma
};

struct ScalarOp {
  Opcode code = Opcode::Copy;
  /// The arith::CmpFPredicate of a Compare, 0 otherwise.
  int predicate = 0;
};

/// The function of an arith or math op with one result; none where it is not
/// one of ours. Such an op may work on scalars or, elementwise, on tensors.
std::optional<ScalarOp> getScalarOp(mlir::Operation *op);

/// The number of operands an opcode reads: 1, 2 or 3.
unsigned getArity(Opcode code);

/// The op's value in double; operands beyond the arity are ignored.
double evaluate(ScalarOp op, double a, double b, double c);

/// True for the transcendental functions an activation is made with.
bool isActivationAnchor(Opcode code);
/// True for the roots and powers a norm's 1/std is made with.
bool isNormAnchor(Opcode code);

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_SCALAROPS_H
