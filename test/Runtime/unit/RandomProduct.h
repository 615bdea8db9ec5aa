//===- RandomProduct.h - products of random shapes --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_RUNTIME_RANDOMPRODUCT_H
#define MEMOPT_TEST_RUNTIME_RANDOMPRODUCT_H

#include "MemOpt/Runtime/Cpu.h"

#include <random>
#include <vector>

namespace memopt::test {

struct Loop {
  int64_t kind, size, a, b, c;
};

/// A product with its operands, in the layouts that its loops say.
class Product {
public:
  Product(int64_t aType, int64_t bType, int64_t cType, bool accumulate,
          std::vector<Loop> loops, unsigned seed = 1);

  /// c as the library makes it, as doubles, in c's memory order.
  std::vector<double> run() const;
  /// c through an epilogue that stores what it is handed.
  std::vector<double> runWithEpilogue() const;
  /// The largest error of `result` over what rounding allows: at most 1 where
  /// the result is right.
  double getError(const std::vector<double> &result) const;

  std::vector<int64_t> getShape() const;

private:
  struct Sums {
    std::vector<double> values, magnitudes;
  };
  Sums sum() const;
  int64_t getLength(int64_t Loop::*stride) const;

  int64_t aType, bType, cType;
  bool accumulate;
  std::vector<Loop> loops;
  std::vector<char> a, b, c;
};

/// Loops of random kinds and sizes, operands in random orders with gaps, now
/// and then a broadcast or overlapping windows.
std::vector<Loop> makeRandomLoops(std::mt19937 &random);

/// An m x n x k product of row-major matrices, or transposed ones.
std::vector<Loop> makeMatrixLoops(int64_t batch, int64_t m, int64_t n,
                                  int64_t k, bool aTransposed,
                                  bool bTransposed);

} // namespace memopt::test

#endif // MEMOPT_TEST_RUNTIME_RANDOMPRODUCT_H
