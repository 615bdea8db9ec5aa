//===- IndexCode.h - arithmetic on indices ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_INDEXCODE_H
#define MEMOPT_CODEGEN_INDEXCODE_H

#include "mlir/IR/Builders.h"

namespace memopt {

using Indices = llvm::SmallVector<mlir::Value>;

/// Arithmetic on indices that are not negative, folded where it can be.
struct IndexCode {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, constant(y)); }
  mlir::Value multiply(mlir::Value x, int64_t y);
  mlir::Value divide(mlir::Value x, int64_t y);
  mlir::Value remainder(mlir::Value x, int64_t y);
  /// As an i64, for addresses.
  mlir::Value toI64(mlir::Value x);
  /// low <= x < high
  mlir::Value isWithin(mlir::Value x, int64_t low, int64_t high);

  /// The row-major number of a point, and the point of a number.
  mlir::Value linearize(llvm::ArrayRef<mlir::Value> indices,
                        llvm::ArrayRef<int64_t> shape);
  Indices delinearize(mlir::Value number, llvm::ArrayRef<int64_t> shape);
  /// The point of the same row-major number in another shape of as many
  /// elements; dimensions that the two share stay as they are.
  Indices reshape(llvm::ArrayRef<mlir::Value> indices,
                  llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_INDEXCODE_H
