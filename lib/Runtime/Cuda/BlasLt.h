//===- BlasLt.h - cuBLASLt, loaded while the program runs ------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CUDA_BLASLT_H
#define MEMOPT_LIB_RUNTIME_CUDA_BLASLT_H

#include <cublasLt.h>

#include <string>

namespace memopt::cuda {

#define MEMOPT_BLASLT_FUNCTIONS(X)                                             \
  X(cublasLtCreate)                                                            \
  X(cublasLtDestroy)                                                           \
  X(cublasLtGetStatusString)                                                   \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmul)

struct BlasLt {
#define MEMOPT_DECLARE(name) decltype(&::name) name = nullptr;
  MEMOPT_BLASLT_FUNCTIONS(MEMOPT_DECLARE)
#undef MEMOPT_DECLARE

  /// Loads libcublasLt.so, or what MEMOPT_LIBCUBLASLT names.
  std::string load();
  std::string describe(const std::string &what, cublasStatus_t status) const;
};

} // namespace memopt::cuda

#endif // MEMOPT_LIB_RUNTIME_CUDA_BLASLT_H
