//===- Products.h - matrix products by cuBLASLt ----------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CUDA_PRODUCTS_H
#define MEMOPT_LIB_RUNTIME_CUDA_PRODUCTS_H

#include "BlasLt.h"
#include "MemOpt/Runtime/GpuProduct.h"

#include <cuda.h>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace memopt::cuda {

using gpu::ProductCall;

/// A shape as cuBLASLt sees it, with the algorithm for it.
class PreparedProduct;

/// Products on one stream. An algorithm is chosen once for a shape, the
/// alignment of its operands and the workspace.
class Products {
public:
  Products();
  ~Products();

  /// Enqueues the product; a message where cuBLASLt has none.
  std::string enqueue(const ProductCall &call, CUstream stream);
  void close();

private:
  /// Shape, bias or none, pointers or none, workspace, alignments of a, b and
  /// c.
  using Key = std::tuple<std::vector<int64_t>, bool, bool, int64_t, uint32_t,
                         uint32_t, uint32_t>;
  std::string open();
  std::string prepare(const ProductCall &call, PreparedProduct *&prepared);

  BlasLt library;
  cublasLtHandle_t handle = nullptr;
  std::map<Key, std::unique_ptr<PreparedProduct>> prepared;
};

} // namespace memopt::cuda

#endif // MEMOPT_LIB_RUNTIME_CUDA_PRODUCTS_H
