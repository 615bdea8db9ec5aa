//===- IterationSpace.h - how a body's operands are read --------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_ITERATIONSPACE_H
#define MEMOPT_LIB_RAISE_ITERATIONSPACE_H

#include "ScalarGraph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace memopt::raising {

/// The loops of a linalg op without those of extent 1, in the order that makes
/// its output (elementwise) or its largest input (reduction) row-major.
/// Accesses are decided from dimensions, never from sizes: rows may be as long
/// as there are rows.
class IterationSpace {
public:
  /// None for dynamic or non-permutation ops, and where outputs differ in
  /// order.
  static std::optional<IterationSpace> create(mlir::linalg::LinalgOp op);

  /// Iterations, the product of all extents.
  int64_t size() const { return count; }
  /// True where all loops that run more than once are in the output.
  bool isElementwise() const { return output.size() == order.size(); }
  /// A reduction over the innermost loops (or all); over the outermost loops.
  bool reducesRows() const;
  bool reducesColumns() const;

  /// How operand `index` is read; its node is left to the caller.
  Operand access(unsigned index) const;

private:
  using Dims = llvm::SmallVector<unsigned, 4>;
  std::optional<Dims> dimsOf(mlir::AffineMap map) const;
  bool startsWith(const Dims &dims) const;
  bool endsWith(const Dims &dims) const;

  llvm::SmallVector<int64_t, 4> extents;
  llvm::SmallVector<mlir::AffineMap, 4> maps;
  Dims order, output;
  int64_t count = 1;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_ITERATIONSPACE_H
