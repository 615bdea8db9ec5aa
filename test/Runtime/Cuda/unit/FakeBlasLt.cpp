//===- FakeBlasLt.cpp - a cuBLASLt that computes on the host --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// libcublasLt.so for tests: products by their definition in NVIDIA's
// documentation, on matrices that the layouts describe, stored by columns. What
// does not fit together is refused as the library would.
//
//===----------------------------------------------------------------------===//

#include "FakeLibraries.h"

#include <cstring>
#include <cublasLt.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Layout {
  cudaDataType type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches = 1;
  int64_t stride = 0;
  uint32_t mode = 0;
};

struct Description {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  int32_t transposesA = CUBLAS_OP_N, transposesB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr;
};

using Preference = std::map<int, uint64_t>;

std::string &log() {
  static std::string text;
  return text;
}

template <typename To> To read(const void *from) {
  To to;
  std::memcpy(&to, from, sizeof(to));
  return to;
}

double load(const void *base, cudaDataType type, int64_t index) {
  switch (type) {
  case CUDA_R_64F:
    return static_cast<const double *>(base)[index];
  case CUDA_R_32F:
    return static_cast<const float *>(base)[index];
  default: { // bf16
    uint32_t bits = uint32_t(static_cast<const uint16_t *>(base)[index]) << 16;
    return read<float>(&bits);
  }
  }
}

void store(void *base, cudaDataType type, int64_t index, double value) {
  if (type == CUDA_R_64F) {
    static_cast<double *>(base)[index] = value;
    return;
  }
  auto narrow = float(value);
  if (type == CUDA_R_32F) {
    static_cast<float *>(base)[index] = narrow;
    return;
  }
  auto bits = read<uint32_t>(&narrow);
  static_cast<uint16_t *>(base)[index] =
      uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

int64_t getBytes(cudaDataType type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

/// A matrix of a batch: by a stride, or from an array of pointers.
void *getMatrix(const void *base, const Layout &layout, int64_t batch) {
  if (layout.mode)
    return static_cast<void *const *>(base)[batch];
  return const_cast<char *>(static_cast<const char *>(base)) +
         batch * layout.stride * getBytes(layout.type);
}

/// op(matrix)'s element of a batch.
double element(const void *base, const Layout &layout, bool isTransposed,
               int64_t batch, int64_t row, int64_t column) {
  if (isTransposed)
    std::swap(row, column);
  return load(getMatrix(base, layout, batch), layout.type,
              row + column * layout.leading);
}

const Layout &get(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<Layout *>(layout);
}

/// The sizes of op(matrix).
std::pair<uint64_t, uint64_t> sizes(const Layout &layout, bool isTransposed) {
  return isTransposed ? std::pair(layout.columns, layout.rows)
                      : std::pair(layout.rows, layout.columns);
}

} // namespace

extern "C" {

const char *fake_take_log() {
  static std::string taken;
  taken = std::exchange(log(), "");
  return taken.c_str();
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(1);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
const char *cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "wrong";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *description,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *description =
      reinterpret_cast<cublasLtMatmulDesc_t>(new Description{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete reinterpret_cast<Description *>(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t opaque,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes) {
  auto *description = reinterpret_cast<Description *>(opaque);
  size_t expected = 4;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA)
    description->transposesA = read<int32_t>(value);
  else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB)
    description->transposesB = read<int32_t>(value);
  else if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE)
    description->epilogue = read<uint32_t>(value);
  else if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) {
    description->bias = read<const void *>(value);
    expected = 8;
  } else
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return bytes == expected ? CUBLAS_STATUS_SUCCESS
                           : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, rows, columns, leading});
  return leading >= int64_t(rows) ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Layout *>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t opaque,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *value, size_t bytes) {
  auto *layout = reinterpret_cast<Layout *>(opaque);
  bool isCount = attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
  if (isCount && bytes == 4)
    layout->batches = read<int32_t>(value);
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET &&
           bytes == 8)
    layout->stride = read<int64_t>(value);
  else if (int(attribute) == 8 && bytes == 4) // its batch mode
    layout->mode = read<uint32_t>(value);
  else
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference());
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<Preference *>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t opaque,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes) {
  uint64_t number = 0;
  std::memcpy(&number, value, bytes);
  (*reinterpret_cast<Preference *>(opaque))[attribute] = number;
  bool isWorkspace = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  return bytes == (isWorkspace ? 8u : 4u) ? CUBLAS_STATUS_SUCCESS
                                          : CUBLAS_STATUS_INVALID_VALUE;
}

/// The algorithm remembers the alignments and the workspace that it was chosen
/// for. There is none where k is 13, and none for arrays of pointers where it
/// is 11.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t opaque, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatmulPreference_t preference, int,
    cublasLtMatmulHeuristicResult_t *result, int *found) {
  auto *description = reinterpret_cast<Description *>(opaque);
  auto [m, k] = sizes(get(a), description->transposesA);
  Preference &wants = *reinterpret_cast<Preference *>(preference);
  const int attributes[] = {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
                            CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES};
  for (int i = 0; i < 4; ++i)
    result->algo.data[i] = wants[attributes[i]];
  *found = k == 13 || (k == 11 && get(a).mode) ? 0 : 1;
  log() += "heuristic " + std::to_string(wants[attributes[3]]) + "\n";
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t opaque,
                              const void *alpha, const void *aBase,
                              cublasLtMatrixLayout_t aOpaque, const void *bBase,
                              cublasLtMatrixLayout_t bOpaque, const void *beta,
                              const void *cBase, cublasLtMatrixLayout_t cOpaque,
                              void *dBase, cublasLtMatrixLayout_t,
                              const cublasLtMatmulAlgo_t *algorithm, void *,
                              size_t workspaceBytes, cudaStream_t) {
  auto *description = reinterpret_cast<Description *>(opaque);
  const Layout &a = get(aOpaque), &b = get(bOpaque), &c = get(cOpaque);
  bool ta = description->transposesA, tb = description->transposesB;
  auto [m, k] = sizes(a, ta);
  auto [kOfB, n] = sizes(b, tb);
  const void *bases[] = {aBase, bBase, dBase};
  const Layout *layouts[] = {&a, &b, &c};
  for (int i = 0; i < 3; ++i)
    for (int32_t batch = 0; batch < layouts[i]->batches; ++batch)
      if (auto address = reinterpret_cast<uint64_t>(
              getMatrix(bases[i], *layouts[i], layouts[i]->mode ? batch : 0));
          address % algorithm->data[i])
        return CUBLAS_STATUS_NOT_SUPPORTED;
  if (k != kOfB || c.rows != m || c.columns != n || cBase != dBase ||
      workspaceBytes < algorithm->data[3] || a.batches != c.batches ||
      b.batches != c.batches)
    return CUBLAS_STATUS_INVALID_VALUE;
  log() += "matmul compute " + std::to_string(description->compute) + "\n";
  bool isDouble = description->scale == CUDA_R_64F;
  double factor = isDouble ? read<double>(alpha) : read<float>(alpha),
         kept = isDouble ? read<double>(beta) : read<float>(beta);
  for (int64_t batch = 0; batch < c.batches; ++batch)
    for (uint64_t i = 0; i < m; ++i)
      for (uint64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (uint64_t l = 0; l < k; ++l)
          sum += element(aBase, a, ta, batch, i, l) *
                 element(bBase, b, tb, batch, l, j);
        int64_t at = i + j * c.leading;
        void *d = getMatrix(dBase, c, batch);
        double value = factor * sum;
        if (kept != 0)
          value += kept * load(d, c.type, at);
        if (description->epilogue == CUBLASLT_EPILOGUE_BIAS)
          value += load(description->bias, c.type, i);
        store(d, c.type, at, value);
      }
  return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
