//===- ScalarOps.h - scalar operations on numbers and vectors ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_SCALAROPS_H
#define MEMOPT_CODEGEN_SCALAROPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace memopt {

/// `type`, a number or a vector, with another element type.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Result `result` of an op like `op`, an elementwise one, on `operands`, which
/// are all numbers or all vectors of one width. Arithmetic on f16 and bf16 is
/// done in f32 and rounded once: for + - * / and sqrt that is the exact result
/// rounded, since f32 has more than twice the bits.
mlir::Value applyOp(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *op,
                    llvm::ArrayRef<mlir::Value> operands, unsigned result);

/// f32 to bf16, to nearest even, and back; on bits, since processors that have
/// an instruction flush what is denormal.
mlir::Value roundToBF16(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value);
mlir::Value extendFromBF16(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value value);

/// A float as one of another type, rounded to nearest even.
mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type type);

/// The value with which `op`, one of those that take values in any order,
/// changes nothing, as a number or a vector of it.
mlir::Value getNeutral(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Operation *op, mlir::Type type);

/// The lanes of `value` taken together by `op`, halves first.
mlir::Value reduceLanes(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Operation *op, mlir::Value value);

/// The number of type `type` at `address`.
mlir::Value loadNumber(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value address, mlir::Type type);

/// A constant number or vector of one value.
mlir::Value getConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                        double value);

} // namespace memopt

#endif // MEMOPT_CODEGEN_SCALAROPS_H
