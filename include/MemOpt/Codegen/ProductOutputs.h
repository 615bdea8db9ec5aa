//===- ProductOutputs.h - what a contraction kernel writes ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_PRODUCTOUTPUTS_H
#define MEMOPT_CODEGEN_PRODUCTOUTPUTS_H

#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#include <optional>

namespace memopt {

/// The outputs of a contraction kernel, by how they follow from its result.
struct Outputs {
  /// The result itself, under any shape, or rounded to a narrower float.
  std::optional<unsigned> plain;
  /// Computed from the result at the same point of the row-major order.
  llvm::SmallVector<unsigned> pointwise;
  /// Computed from the result at other points.
  llvm::SmallVector<unsigned> reshaped;
  /// Not computed from it.
  llvm::SmallVector<unsigned> others;
};
Outputs classifyOutputs(KernelOp kernel, mlir::Value result);

/// The one contraction of the kernel, or null.
mlir::linalg::LinalgOp findContraction(KernelOp kernel);

/// True where the contraction adds to zeros.
bool startsFromZero(mlir::linalg::LinalgOp op);

} // namespace memopt

#endif // MEMOPT_CODEGEN_PRODUCTOUTPUTS_H
