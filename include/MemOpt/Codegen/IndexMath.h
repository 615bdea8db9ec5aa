//===- IndexMath.h - where a point of a kernel lies in a tensor -*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_INDEXMATH_H
#define MEMOPT_CODEGEN_INDEXMATH_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace memopt {

/// constant + sum of factors[d] * (index of loop d).
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallVector<int64_t> factors;
};

/// A loop that would have to be two for a quotient to be exact: an outer one
/// and an inner one of `inner` iterations.
struct LoopSplit {
  unsigned loop;
  int64_t inner;
};

/// Exact arithmetic on indices over loops of known sizes, d0 the outermost: an
/// affine expression over the loops, with a floordiv or mod only where the
/// loops as they are cannot do without.
class IndexMath {
public:
  IndexMath(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> sizes)
      : context(context), sizes(sizes.begin(), sizes.end()) {}

  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  mlir::AffineExpr getLoop(unsigned loop) const;
  mlir::AffineExpr getConstant(int64_t value) const;

  /// index / divisor and index mod divisor, for an index that is not negative.
  mlir::AffineExpr divide(mlir::AffineExpr index, int64_t divisor);
  mlir::AffineExpr modulo(mlir::AffineExpr index, int64_t divisor);

  /// The row-major number of the element `indices` of a tensor of `shape`, and
  /// back.
  mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> indices,
                             llvm::ArrayRef<int64_t> shape) const;
  llvm::SmallVector<mlir::AffineExpr>
  delinearize(mlir::AffineExpr index, llvm::ArrayRef<int64_t> shape);
  /// The row-major number of the current point over loops [begin, end).
  mlir::AffineExpr linearizeLoops(unsigned begin, unsigned end) const;

  /// True where both are the same number at every point, as far as this
  /// arithmetic sees.
  bool areEqual(mlir::AffineExpr a, mlir::AffineExpr b) const;
  /// The index as a sum over the loops; nothing where it has a floordiv or mod.
  std::optional<LinearIndex> getLinear(mlir::AffineExpr index) const;
  /// The loops that the index depends on, one bit each.
  static uint64_t getLoops(mlir::AffineExpr index);

  /// The first split that would have made a quotient exact.
  std::optional<LoopSplit> getWishedSplit() const { return wish; }

private:
  struct Term {
    mlir::AffineExpr atom; // a loop, a floordiv or a mod
    int64_t factor;
  };
  struct Sum {
    int64_t constant = 0;
    llvm::SmallVector<Term> terms;
  };
  using Range = std::pair<int64_t, int64_t>;

  void collect(mlir::AffineExpr index, int64_t factor, Sum &sum) const;
  Sum getSum(mlir::AffineExpr index) const;
  mlir::AffineExpr build(const Sum &sum) const;
  Range getRange(mlir::AffineExpr index) const;
  Range getRange(const Sum &sum) const;
  /// Splits into the terms that `divisor` divides and the rest.
  std::pair<Sum, Sum> separate(const Sum &sum, int64_t divisor) const;
  void wishFor(const Sum &rest, int64_t divisor);

  mlir::MLIRContext *context;
  llvm::SmallVector<int64_t> sizes;
  std::optional<LoopSplit> wish;
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_INDEXMATH_H
