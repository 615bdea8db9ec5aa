//===- PieceEpilogue.h - what follows a piece of a product ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PIECEEPILOGUE_H
#define MEMOPT_LIB_GPU_PIECEEPILOGUE_H

#include "ElementKernel.h"
#include "ProductPlan.h"

namespace memopt {

struct PieceEpilogue {
  mlir::linalg::LinalgOp op;
  const ProductShape &shape;
  /// The loops of the piece; its sums are packed in their order.
  const ProductPlan &piece;
  /// The type of the sums.
  mlir::Type element;
  /// Outputs that are computed from the product point by point.
  llvm::ArrayRef<unsigned> outputs;
  /// The contraction does not start from zero: its init is added.
  bool addsInit;
};

/// Writes the outputs at the points of a piece from its sums at `sums`. Fails,
/// without a message, at an op, then `refusal`, that has no code.
llvm::LogicalResult emitPieceEpilogue(GpuKernelBuilder &builder,
                                      const PieceEpilogue &epilogue,
                                      mlir::Value sums,
                                      mlir::Operation *&refusal);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PIECEEPILOGUE_H
