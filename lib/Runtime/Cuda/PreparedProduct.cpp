//===- PreparedProduct.cpp - a product's layouts and algorithm ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedProduct.h"

using namespace memopt::cuda;
using memopt::gpu::OuterBatch;

/// Of CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, which headers before CUDA 12.9 lack.
static constexpr auto kBatchMode = cublasLtMatrixLayoutAttribute_t(8);
static constexpr uint32_t kPointerArray = 1;

PreparedProduct::~PreparedProduct() { clear(); }

void PreparedProduct::clear() {
  for (cublasLtMatrixLayout_t *layout : {&first, &second, &result}) {
    if (*layout)
      library.cublasLtMatrixLayoutDestroy(*layout);
    *layout = nullptr;
  }
  if (description)
    library.cublasLtMatmulDescDestroy(description);
  description = nullptr;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static cudaDataType_t toDataType(int64_t type) {
  switch (type) {
  case MEMOPT_GPU_F64:
    return CUDA_R_64F;
  case MEMOPT_GPU_BF16:
    return CUDA_R_16BF;
  case MEMOPT_GPU_F16:
    return CUDA_R_16F;
  default:
    return CUDA_R_32F;
  }
}

PreparedProduct::View PreparedProduct::getFirst() const {
  const gpu::ProductOperand &a = product.a, &b = product.b;
  if (isByRows()) // b^T
    return {product.n,   product.k,     b.columnStride,
            b.rowStride, b.batchStride, product.bType};
  return {product.m,      product.k,     a.rowStride,
          a.columnStride, a.batchStride, product.aType};
}

PreparedProduct::View PreparedProduct::getSecond() const {
  const gpu::ProductOperand &a = product.a, &b = product.b;
  if (isByRows()) // a^T
    return {product.k,   product.m,     a.columnStride,
            a.rowStride, a.batchStride, product.aType};
  return {product.k,      product.n,     b.rowStride,
          b.columnStride, b.batchStride, product.bType};
}

PreparedProduct::View PreparedProduct::getResult() const {
  const gpu::ProductOperand &c = product.c;
  if (isByRows()) // c^T
    return {product.n,   product.m,     c.columnStride,
            c.rowStride, c.batchStride, product.cType};
  return {product.m,      product.n,     c.rowStride,
          c.columnStride, c.batchStride, product.cType};
}

/// What lies in memory is the view, or its transpose where the view's columns
/// are the consecutive ones.
std::string PreparedProduct::makeLayout(const View &view,
                                        cublasLtMatrixLayout_t &layout) {
  bool isTransposed = view.isTransposed();
  cublasStatus_t status = library.cublasLtMatrixLayoutCreate(
      &layout, toDataType(view.type), isTransposed ? view.columns : view.rows,
      isTransposed ? view.rows : view.columns,
      isTransposed ? view.rowStride : view.columnStride);
  auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto &value) {
    if (!status)
      status = library.cublasLtMatrixLayoutSetAttribute(layout, attribute,
                                                        &value, sizeof(value));
  };
  if (usesPointers) {
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
        int32_t(product.batch * product.getOuterPoints()));
    set(kBatchMode, kPointerArray);
  } else if (product.batch > 1) {
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t(product.batch));
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, view.batchStride);
  }
  return status ? library.describe("a layout", status) : "";
}

std::string PreparedProduct::makeDescription(bool hasBias) {
  bool isDouble = product.aType == MEMOPT_GPU_F64;
  bool isTF32 = product.aType == MEMOPT_GPU_F32 &&
                (product.flags & MEMOPT_GPU_ALLOW_TF32);
  cublasComputeType_t compute = isDouble ? CUBLAS_COMPUTE_64F
                                : isTF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                         : CUBLAS_COMPUTE_32F;
  cublasStatus_t status = library.cublasLtMatmulDescCreate(
      &description, compute, isDouble ? CUDA_R_64F : CUDA_R_32F);
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto &value) {
    if (!status)
      status = library.cublasLtMatmulDescSetAttribute(description, attribute,
                                                      &value, sizeof(value));
  };
  auto operation = [](const View &view) -> int32_t {
    return view.isTransposed() ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, operation(getFirst()));
  set(CUBLASLT_MATMUL_DESC_TRANSB, operation(getSecond()));
  if (hasBias)
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
  return status ? library.describe("a description", status) : "";
}

//===----------------------------------------------------------------------===//
// Algorithm
//===----------------------------------------------------------------------===//

std::string PreparedProduct::chooseAlgorithm(cublasLtHandle_t handle,
                                             int64_t workspaceBytes,
                                             const Alignments &alignments) {
  cublasLtMatmulPreference_t preference = nullptr;
  cublasStatus_t status = library.cublasLtMatmulPreferenceCreate(&preference);
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                 const auto &value) {
    if (!status)
      status = library.cublasLtMatmulPreferenceSetAttribute(
          preference, attribute, &value, sizeof(value));
  };
  bool byRows = isByRows();
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(workspaceBytes));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
      byRows ? alignments.b : alignments.a);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      byRows ? alignments.a : alignments.b);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.c);
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  if (!status)
    status = library.cublasLtMatmulAlgoGetHeuristic(
        handle, description, first, second, result, result, preference, 1,
        &best, &found);
  if (preference)
    library.cublasLtMatmulPreferenceDestroy(preference);
  if (status)
    return library.describe("cuBLASLt has no algorithm", status);
  if (!found)
    return "cuBLASLt has no algorithm";
  algorithm = best.algo;
  return "";
}

std::string PreparedProduct::prepareOnce(cublasLtHandle_t handle, bool hasBias,
                                         int64_t workspaceBytes,
                                         const Alignments &alignments) {
  std::string wrong = makeLayout(getFirst(), first);
  if (wrong.empty())
    wrong = makeLayout(getSecond(), second);
  if (wrong.empty())
    wrong = makeLayout(getResult(), result);
  if (wrong.empty())
    wrong = makeDescription(hasBias);
  if (wrong.empty())
    wrong = chooseAlgorithm(handle, workspaceBytes, alignments);
  return wrong;
}

std::string PreparedProduct::prepare(cublasLtHandle_t handle, bool hasBias,
                                     bool byPointers, int64_t workspaceBytes,
                                     const Alignments &alignments) {
  usesPointers =
      byPointers && product.batch * product.getOuterPoints() <= INT32_MAX;
  std::string wrong = prepareOnce(handle, hasBias, workspaceBytes, alignments);
  if (wrong.empty() || !usesPointers)
    return wrong;
  // An older library.
  usesPointers = false;
  clear();
  return prepareOnce(handle, hasBias, workspaceBytes, alignments);
}

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

cublasStatus_t PreparedProduct::multiply(cublasLtHandle_t handle, const void *a,
                                         const void *b, void *c,
                                         const ProductCall &call,
                                         CUstream stream) {
  // In the scale's type, f64 for products of f64.
  float one = 1, beta = product.adds ? 1 : 0;
  double one64 = 1, beta64 = beta;
  bool isDouble = product.aType == MEMOPT_GPU_F64;
  return library.cublasLtMatmul(
      handle, description, isDouble ? static_cast<const void *>(&one64) : &one,
      isByRows() ? b : a, first, isByRows() ? a : b, second,
      isDouble ? static_cast<const void *>(&beta64) : &beta, c, result, c,
      result, &algorithm, call.workspace, size_t(call.workspaceBytes), stream);
}

std::string PreparedProduct::enqueue(cublasLtHandle_t handle,
                                     const ProductCall &call, CUstream stream) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (call.bias)
    status = library.cublasLtMatmulDescSetAttribute(
        description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &call.bias,
        sizeof(call.bias));
  int64_t points = product.getOuterPoints();
  if (usesPointers) {
    const char *matrices = static_cast<const char *>(call.matrices);
    int64_t bytes = 8 * product.batch * points;
    status = multiply(handle, matrices, matrices + bytes,
                      const_cast<char *>(matrices + 2 * bytes), call, stream);
    points = 0;
  }
  for (int64_t point = 0; point < points && !status; ++point) {
    auto getBytes = [&](int operand, int64_t type) {
      return product.getOffset(point * product.batch, operand) *
             gpu::getElementBytes(type);
    };
    status = multiply(
        handle, static_cast<const char *>(call.a) + getBytes(0, product.aType),
        static_cast<const char *>(call.b) + getBytes(1, product.bType),
        static_cast<char *>(call.c) + getBytes(2, product.cType), call, stream);
  }
  return status ? library.describe("product " + product.print(), status) : "";
}
