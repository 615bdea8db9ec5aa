//===- PreparedProduct.h - a product's layouts and algorithm ---*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CUDA_PREPAREDPRODUCT_H
#define MEMOPT_LIB_RUNTIME_CUDA_PREPAREDPRODUCT_H

#include "Products.h"

namespace memopt::cuda {

/// Of all addresses of each operand, in bytes.
struct Alignments {
  uint32_t a, b, c;
};

/// cuBLASLt computes D = op(A) op(B) on matrices stored by columns. A c that is
/// stored by rows is its transpose stored by columns, and c^T = b^T a^T: then A
/// is b and B is a.
class PreparedProduct {
public:
  PreparedProduct(const BlasLt &library, gpu::Product product)
      : library(library), product(std::move(product)) {}
  ~PreparedProduct();

  /// With `byPointers` all batch loops are one call, if the library can.
  std::string prepare(cublasLtHandle_t handle, bool hasBias, bool byPointers,
                      int64_t workspaceBytes, const Alignments &alignments);
  std::string enqueue(cublasLtHandle_t handle, const ProductCall &call,
                      CUstream stream);

private:
  std::string prepareOnce(cublasLtHandle_t handle, bool hasBias,
                          int64_t workspaceBytes, const Alignments &alignments);
  void clear();
  cublasStatus_t multiply(cublasLtHandle_t handle, const void *a, const void *b,
                          void *c, const ProductCall &call, CUstream stream);
  /// A matrix of rows x columns as the product reads it, by strides.
  struct View {
    int64_t rows, columns, rowStride, columnStride, batchStride, type;
    bool isTransposed() const { return rowStride != 1; }
  };
  bool isByRows() const { return product.c.columnStride == 1; }
  View getFirst() const;
  View getSecond() const;
  View getResult() const;
  std::string makeLayout(const View &view, cublasLtMatrixLayout_t &layout);
  std::string makeDescription(bool hasBias);
  std::string chooseAlgorithm(cublasLtHandle_t handle, int64_t workspaceBytes,
                              const Alignments &alignments);

  const BlasLt &library;
  gpu::Product product;
  bool usesPointers = false;
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
};

} // namespace memopt::cuda

#endif // MEMOPT_LIB_RUNTIME_CUDA_PREPAREDPRODUCT_H
