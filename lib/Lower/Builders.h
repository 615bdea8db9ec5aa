//===- Builders.h - generics and scalar arithmetic --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_LOWER_BUILDERS_H
#define MEMOPT_LIB_LOWER_BUILDERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace memopt {

/// A tensor that a generic reads, and how its loops index it.
struct Operand {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// From the scalars a body reads (in the order of the operands; a reduction's
/// running value last) to what it yields.
using Body = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                            mlir::ValueRange)>;

/// The wider compute type (f64 or f32) of the element types of `values`.
mlir::Type getComputeTypeOf(mlir::ValueRange values);

/// `value`, a scalar float, extended or rounded to `type`.
mlir::Value convert(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    mlir::Type type);

/// A scalar float constant; `value` is rounded to `type`.
mlir::Value constant(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                     double value);
mlir::Value integer(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                    int64_t value);

/// The uninitialised tensor of `sizes`.
mlir::Value empty(mlir::ImplicitLocOpBuilder &b,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);

/// A generic whose loops are all parallel and whose result is indexed by all of
/// them in order. `sizes` are those of the loops.
mlir::Value buildParallel(mlir::ImplicitLocOpBuilder &b,
                          llvm::ArrayRef<Operand> operands,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type element, Body body);

/// y = body(operands) elementwise on tensors of one shape; float operands come
/// in as `compute` and the result is rounded to `element`.
mlir::Value buildElementwise(mlir::ImplicitLocOpBuilder &b,
                             mlir::ValueRange operands, mlir::Type compute,
                             mlir::Type element, Body body);

/// A sum over the loops that `resultMap` leaves out, from 0, in the order of
/// the loops, in the type `compute`. `sizes` are those of the result. Operands
/// come in as `compute`; `body` gives the term.
mlir::Value buildSum(mlir::ImplicitLocOpBuilder &b,
                     llvm::ArrayRef<Operand> operands,
                     mlir::AffineMap resultMap,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     mlir::Type compute, Body body);

/// An or of bytes over the loops that `resultMap` leaves out, from 0.
mlir::Value buildOr(mlir::ImplicitLocOpBuilder &b,
                    llvm::ArrayRef<Operand> operands, mlir::AffineMap resultMap,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes, Body body);

} // namespace memopt

#endif // MEMOPT_LIB_LOWER_BUILDERS_H
