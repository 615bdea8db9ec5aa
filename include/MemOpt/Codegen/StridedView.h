//===- StridedView.h - tensors as strides over a storage --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_STRIDEDVIEW_H
#define MEMOPT_CODEGEN_STRIDEDVIEW_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace memopt {

/// Loops of sizes over 1, the outer one first, with their strides in elements.
/// Neighbours that one stride leads through are one.
struct Factor {
  int64_t size, stride;
};
using Factors = llvm::SmallVector<Factor, 2>;

/// Adds an inner factor.
void addFactor(Factors &factors, Factor factor);

/// The factors of dimensions of `sizes` that together make up a dimension of
/// `factors`; nothing where a size cuts a factor at no divisor.
std::optional<llvm::SmallVector<Factors>>
splitFactors(const Factors &factors, llvm::ArrayRef<int64_t> sizes);

/// One loop of several operands, which each sees it through factors of its own:
/// common loops, each with its size and the stride in every operand. Nothing
/// where the factors have no common refinement.
struct CommonLoop {
  int64_t size;
  llvm::SmallVector<int64_t, 3> strides;
};
std::optional<llvm::SmallVector<CommonLoop>>
refineFactors(llvm::ArrayRef<Factors> operands);

/// Where the elements of a tensor lie in the storage behind it: element
/// (i1, ..., ir) at offset + the sum over the dimensions' factors.
struct StridedView {
  /// The tensor that holds the elements; a kernel's argument, or a constant.
  /// Or a scalar, if each element is the same.
  mlir::Value base;
  int64_t offset = 0;
  llvm::SmallVector<Factors> dims;
};

/// The view that reshapes, transposes, broadcasts, slices and, where
/// `throughExtensions`, widening casts of floats make of a tensor. Nothing
/// where the elements have no such order, or there are none.
std::optional<StridedView> getStridedView(mlir::Value tensor,
                                          bool throughExtensions);

/// One factor a dimension, row-major.
llvm::SmallVector<Factors> getRowMajorFactors(llvm::ArrayRef<int64_t> shape);

} // namespace memopt

#endif // MEMOPT_CODEGEN_STRIDEDVIEW_H
