//===- ProductPlan.h - a product as cuBLASLt takes it -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt takes products of matrices with leading dimensions, in batches. What
// a contraction has beyond that is taken away in two ways: loops of the
// result's rows or columns that form no dimension together become batches, and
// an operand that is no matrix is gathered into one first.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PRODUCTPLAN_H
#define MEMOPT_LIB_GPU_PRODUCTPLAN_H

#include "MemOpt/Codegen/ProductShape.h"
#include "MemOpt/Runtime/GpuProduct.h"

namespace memopt {

/// One loop of a product.
struct PlannedLoop {
  int owner;       ///< its memopt_gpu_loop in the contraction
  unsigned number; ///< among those of its kind there
  int kind;        ///< its memopt_gpu_loop in the call
  int64_t size, begin = 0;
  /// In a, b and c as they are stored; elements.
  int64_t strides[3];

  /// Whether operand x (0 a, 1 b, 2 c) has a dimension for it.
  bool isOf(int x) const;
};

struct ProductPlan {
  int64_t types[3]; ///< memopt_gpu_type of a, b and c
  bool gathers[2] = {false, false};
  /// c is packed as well, in the order of the loops.
  bool packs = false;
  /// By owner: batch, m, n, k.
  llvm::SmallVector<PlannedLoop> loops;

  /// Elements of an operand.
  int64_t getCount(int x) const;
  /// Whether an operand is copied from or to where it lies.
  bool isGathered(int x) const { return x < 2 ? gathers[x] : packs; }
  /// The shape that memopt_gpu_gemm reads.
  llvm::SmallVector<int64_t> getNumbers(int64_t flags, bool adds) const;
  /// Why cuBLASLt does not take it; nothing if it does.
  std::optional<std::string> getObstacle(bool hasBias) const;
};

/// The plan that gathers least, with `types` those of a, b and c and c as the
/// result is stored, or packed. Nothing, with the reason, where there is none.
std::optional<ProductPlan> planProduct(const ProductShape &shape,
                                       llvm::ArrayRef<int64_t> types,
                                       bool packs, bool hasBias,
                                       std::string &why);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PRODUCTPLAN_H
