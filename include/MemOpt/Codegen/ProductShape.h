//===- ProductShape.h - a contraction as a product's shape ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_PRODUCTSHAPE_H
#define MEMOPT_CODEGEN_PRODUCTSHAPE_H

#include "MemOpt/Codegen/StridedView.h"
#include "MemOpt/Runtime/Cpu.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

namespace memopt {

/// A contraction or convolution in the terms of memopt_cpu_gemm: its operands
/// in the kernel's storages, and its loops.
struct ProductShape {
  struct Loop {
    int64_t size, a, b, c;
  };

  StridedView a, b;
  int64_t aType, bType; ///< memopt_cpu_type of the storages
  /// By memopt_cpu_loop; c's strides are those of the result, row-major.
  llvm::SmallVector<Loop> loops[4];
  /// For each dimension of the result, its loops, the outer one first: the kind
  /// and the number within it.
  llvm::SmallVector<llvm::SmallVector<std::pair<int, unsigned>, 2>> resultDims;

  llvm::SmallVector<int64_t> getSizes(int kind) const;
  /// What memopt_cpu_gemm reads.
  llvm::SmallVector<int64_t> getNumbers(int64_t cType) const;
  /// `b2 m64 n64 k32, a transposed`: for remarks.
  std::string print() const;
};

/// The number of a float type in the runtime, or nothing.
std::optional<int64_t> getRuntimeType(mlir::Type type);

/// Nothing, with a reason, where the op is no sum of products of two operands,
/// or an operand lies in no storage by strides.
/// Operands x with `computed[x]`, if given, are taken as tensors that will be
/// stored row-major as they are: they are the bases of their views.
std::optional<ProductShape> getProductShape(mlir::linalg::LinalgOp op,
                                            std::string &why,
                                            llvm::ArrayRef<bool> computed = {});

} // namespace memopt

#endif // MEMOPT_CODEGEN_PRODUCTSHAPE_H
