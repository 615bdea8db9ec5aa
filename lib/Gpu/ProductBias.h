//===- ProductBias.h - a bias that a product can add ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PRODUCTBIAS_H
#define MEMOPT_LIB_GPU_PRODUCTBIAS_H

#include "MemOpt/Codegen/ProductShape.h"
#include "MemOpt/Runtime/Gpu.h"

namespace memopt {

struct ProductBias {
  /// One element for each index of n, one behind the other, in an input of the
  /// kernel.
  StridedView view;
  /// The product's result with the bias.
  mlir::Value sum;
};

/// What the only reader of a contraction's result adds along the columns, if it
/// does nothing else. Its element type is the result's.
std::optional<ProductBias> findProductBias(mlir::linalg::LinalgOp op,
                                           const ProductShape &shape);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PRODUCTBIAS_H
