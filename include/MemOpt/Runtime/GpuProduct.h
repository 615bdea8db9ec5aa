//===- GpuProduct.h - what cuBLASLt takes as it is --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shape of a product (Gpu.h) as matrices with leading dimensions. Asked by
// the compiler, which makes other operands contiguous first, and by both
// runtimes, so that the emulator refuses what CUDA would.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUNTIME_GPUPRODUCT_H
#define MEMOPT_RUNTIME_GPUPRODUCT_H

#include "MemOpt/Runtime/Gpu.h"

#include <optional>
#include <string>
#include <vector>

namespace memopt::gpu {

/// One operand as a matrix in memory. All numbers are elements.
struct ProductOperand {
  /// The stride of m (a, c) or k (b), and of k (a) or n (b, c); one of them is
  /// 1, and the other at least the size of that one.
  int64_t rowStride = 0, columnStride = 0;
  /// From one matrix of the strided batch to the next; 0: the same one.
  int64_t batchStride = 0;
};

/// A loop around strided-batched products.
struct OuterBatch {
  int64_t size = 0;
  int64_t strides[3] = {0, 0, 0}; ///< in a, b and c
};

struct Product {
  int64_t flags = 0;
  int64_t aType = 0, bType = 0, cType = 0; ///< memopt_gpu_type
  bool adds = false;
  /// Each at least 1.
  int64_t m = 1, n = 1, k = 1, batch = 1;
  ProductOperand a, b, c;
  /// Batch loops that no one stride leads through; the last one fastest.
  std::vector<OuterBatch> outer;

  /// Calls of cuBLASLt without arrays of pointers.
  int64_t getOuterPoints() const;
  /// Where the matrix of an operand (0 a, 1 b, 2 c) begins at a point of all
  /// batch loops; `point` counts the strided batch fastest.
  int64_t getOffset(int64_t point, int operand) const;
  /// `b2 m64 n64 k32 f32`: a name for reports.
  std::string print() const;
};

/// Reads a shape. Nothing, with the reason, for what cuBLASLt does not take as
/// it is, or where the array is no shape.
std::optional<Product> getProduct(const int64_t *shape, bool hasBias,
                                  std::string &why);

/// The arguments of memopt_gpu_gemm or memopt_gpu_gemm_batched; addresses are
/// the device's.
struct ProductCall {
  const int64_t *shape;
  const void *a, *b;
  void *c;
  const void *bias;
  void *workspace;
  int64_t workspaceBytes;
  const void *matrices = nullptr;
};

/// Bytes of an element of a memopt_gpu_type.
int64_t getElementBytes(int64_t type);

} // namespace memopt::gpu

#endif // MEMOPT_RUNTIME_GPUPRODUCT_H
