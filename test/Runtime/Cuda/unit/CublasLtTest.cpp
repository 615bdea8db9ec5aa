//===- CublasLtTest.cpp - products as cuBLASLt is asked for them ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"
#include "MemOpt/Runtime/GpuProduct.h"

#include <array>
#include <cublasLt.h>
#include <numeric>
#include <random>
#include <vector>

namespace {

enum { kBatch, kM, kN, kK };
using Loops = std::vector<std::array<int64_t, 5>>;

struct Shape {
  std::vector<int64_t> numbers;
  Shape(int64_t type, int64_t adds, const Loops &loops, int64_t flags = 0)
      : numbers{flags, type, type, type, adds, int64_t(loops.size())} {
    for (const auto &loop : loops)
      numbers.insert(numbers.end(), loop.begin(), loop.end());
  }
};

/// The definition in Gpu.h, loop by loop.
template <typename T>
void multiplyByDefinition(const Shape &shape, const T *a, const T *b, T *c,
                          const T *bias) {
  const int64_t *numbers = shape.numbers.data();
  int64_t loops = numbers[5], points = 1;
  for (int64_t i = 0; i < loops; ++i)
    points *= numbers[6 + 5 * i + 1];
  std::vector<bool> isFirst(1 << 16, true);
  for (int64_t point = 0; point < points; ++point) {
    int64_t rest = point, at[3] = {0, 0, 0}, n = 0;
    for (int64_t i = loops - 1; i >= 0; --i) {
      const int64_t *loop = numbers + 6 + 5 * i;
      int64_t index = rest % loop[1];
      rest /= loop[1];
      for (int operand = 0; operand < 3; ++operand)
        at[operand] += index * loop[2 + operand];
      if (loop[0] == kN)
        n = index;
    }
    if (isFirst[at[2]])
      c[at[2]] = (numbers[4] ? c[at[2]] : T(0)) + (bias ? bias[n] : T(0));
    isFirst[at[2]] = false;
    c[at[2]] += a[at[0]] * b[at[1]];
  }
}

/// The addresses of all matrices of a product's batches, as a step writes them.
std::vector<const void *> getMatrices(const Shape &shape, const void *a,
                                      const void *b, const void *c) {
  std::string why;
  auto product = memopt::gpu::getProduct(shape.numbers.data(), false, why);
  std::vector<const void *> matrices;
  const void *bases[] = {a, b, c};
  for (int operand = 0; operand < 3; ++operand)
    for (int64_t point = 0; point < product->batch * product->getOuterPoints();
         ++point)
      matrices.push_back(static_cast<const char *>(bases[operand]) +
                         product->getOffset(point, operand) *
                             memopt::gpu::getElementBytes(product->aType));
  return matrices;
}

class CublasLt : public CudaDevice {
protected:
  template <typename T>
  void check(const Shape &shape, bool hasBias = false,
             bool hasMatrices = false) {
    std::mt19937 random(5);
    std::vector<T> a(4096), b(4096), c(4096), bias(64);
    for (auto *values : {&a, &b, &c, &bias})
      for (T &value : *values)
        value = T(int(random() % 9) - 4); // sums are exact
    std::vector<T> expected = c;
    multiplyByDefinition(shape, a.data(), b.data(), expected.data(),
                         hasBias ? bias.data() : nullptr);
    if (hasMatrices)
      memopt_gpu_gemm_batched(
          shape.numbers.data(), a.data(), b.data(), c.data(),
          getMatrices(shape, a.data(), b.data(), c.data()).data(), nullptr, 0);
    else
      memopt_gpu_gemm(shape.numbers.data(), a.data(), b.data(), c.data(),
                      hasBias ? bias.data() : nullptr, nullptr, 0);
    ASSERT_EQ(text(memopt_gpu_synchronize()), "");
    EXPECT_EQ(c, expected);
  }
};

/// a and b stored by rows or by columns, c too; rows further apart than long.
TEST_F(CublasLt, layouts) {
  constexpr int64_t m = 5, n = 7, k = 3;
  for (bool aByRows : {true, false})
    for (bool bByRows : {true, false})
      for (bool cByRows : {true, false})
        for (int64_t gap : {0, 2})
          for (int64_t adds : {0, 1}) {
            Loops loops = {
                {kM, m, aByRows ? k + gap : 1, 0, cByRows ? n + gap : 1},
                {kN, n, 0, bByRows ? 1 : k + gap, cByRows ? 1 : m + gap},
                {kK, k, aByRows ? 1 : m + gap, bByRows ? n + gap : 1, 0}};
            check<float>(Shape(MEMOPT_GPU_F32, adds, loops));
            check<double>(Shape(MEMOPT_GPU_F64, adds, loops));
            if (cByRows)
              check<float>(Shape(MEMOPT_GPU_F32, adds, loops), true);
          }
}

/// One row, one column, one element.
TEST_F(CublasLt, thinMatrices) {
  for (int64_t m : {1, 4})
    for (int64_t n : {1, 5})
      for (int64_t k : {1, 6})
        for (bool aByRows : {true, false})
          for (bool bByRows : {true, false})
            check<float>(Shape(MEMOPT_GPU_F32, 0,
                               {{kM, m, aByRows ? k : 1, 0, n},
                                {kN, n, 0, bByRows ? 1 : k, 1},
                                {kK, k, aByRows ? 1 : m, bByRows ? n : 1, 0}}));
}

/// Batches by a stride, of which one may be 0, and heads that lie inside.
TEST_F(CublasLt, batches) {
  check<float>(Shape(MEMOPT_GPU_F32, 0,
                     {{kBatch, 3, 8, 0, 10},
                      {kM, 2, 4, 0, 5},
                      {kN, 5, 0, 1, 1},
                      {kK, 4, 1, 5, 0}}));
  // [batch, m, head, k] x [batch, n, head, k] -> [batch, head, m, n]
  check<float>(Shape(MEMOPT_GPU_F32, 0,
                     {{kBatch, 2, 2 * 3 * 4, 5 * 3 * 4, 3 * 2 * 5},
                      {kBatch, 3, 4, 4, 2 * 5},
                      {kM, 2, 3 * 4, 0, 5},
                      {kN, 5, 0, 3 * 4, 1},
                      {kK, 4, 1, 1, 0}}));
  EXPECT_EQ(takeBlasLog(), "heuristic 0\nmatmul compute 68\n"
                           "heuristic 0\nmatmul compute 68\n"
                           "matmul compute 68\n");
}

/// With the addresses of all matrices it is one call, at c stored by rows and
/// by columns; but for a library that knows none.
TEST_F(CublasLt, arraysOfPointers) {
  for (int64_t k : {4, 11}) {
    for (bool byRows : {true, false})
      check<float>(Shape(MEMOPT_GPU_F32, byRows,
                         {{kBatch, 2, 2 * 3 * k, 5 * 3 * k, 3 * 2 * 5},
                          {kBatch, 3, k, k, 2 * 5},
                          {kM, 2, 3 * k, 0, byRows ? 5 : 1},
                          {kN, 5, 0, 3 * k, byRows ? 1 : 2},
                          {kK, k, 1, 1, 0}}),
                   /*hasBias=*/false, /*hasMatrices=*/true);
    std::string calls = k == 4 ? "heuristic 0\nmatmul compute 68\n"
                               : "heuristic 0\nheuristic 0\n"
                                 "matmul compute 68\nmatmul compute 68\n";
    EXPECT_EQ(takeBlasLog(), calls + calls);
  }
}

/// bf16 operands, sums in f32; TF32 only where the flag allows it.
TEST_F(CublasLt, computeTypes) {
  uint16_t one = 0x3F80;
  float result = 0;
  Shape shape(MEMOPT_GPU_BF16, 0, {});
  shape.numbers[3] = MEMOPT_GPU_F32;
  takeBlasLog();
  memopt_gpu_gemm(shape.numbers.data(), &one, &one, &result, nullptr, nullptr,
                  0);
  EXPECT_EQ(text(memopt_gpu_synchronize()), "");
  EXPECT_EQ(result, 1);
  Shape exact(MEMOPT_GPU_F32, 0, {}),
      rounded(MEMOPT_GPU_F32, 0, {}, MEMOPT_GPU_ALLOW_TF32);
  float a = 2;
  memopt_gpu_gemm(exact.numbers.data(), &a, &a, &result, nullptr, nullptr, 0);
  memopt_gpu_gemm(rounded.numbers.data(), &a, &a, &result, nullptr, nullptr, 0);
  auto line = [](cublasComputeType_t type) {
    return "heuristic 0\nmatmul compute " + std::to_string(type) + "\n";
  };
  EXPECT_EQ(takeBlasLog(), line(CUBLAS_COMPUTE_32F) + line(CUBLAS_COMPUTE_32F) +
                               line(CUBLAS_COMPUTE_32F_FAST_TF32));
}

/// An algorithm is asked for once a shape, alignment and workspace.
TEST_F(CublasLt, algorithmOnce) {
  alignas(256) float a[128] = {}, c[128], workspace[64];
  Shape shape(MEMOPT_GPU_F32, 0, {});
  takeBlasLog();
  for (int64_t offset : {0, 0, 1, 64})
    memopt_gpu_gemm(shape.numbers.data(), a + offset, a, c, nullptr, workspace,
                    sizeof(workspace));
  EXPECT_EQ(text(memopt_gpu_synchronize()), "");
  EXPECT_EQ(takeBlasLog(),
            "heuristic 256\nmatmul compute 68\nmatmul compute 68\n"
            "heuristic 256\nmatmul compute 68\nmatmul compute 68\n");
}

TEST_F(CublasLt, refused) {
  float a[64] = {}, c[64];
  Shape none(MEMOPT_GPU_F32, 0, {{kK, 13, 1, 1, 0}}),
      gaps(MEMOPT_GPU_F32, 0, {{kM, 2, 9, 0, 1}, {kK, 3, 2, 1, 0}});
  memopt_gpu_gemm(none.numbers.data(), a, a, c, nullptr, nullptr, 0);
  EXPECT_EQ(text(memopt_gpu_synchronize()),
            "m1 n1 k13 f32: cuBLASLt has no algorithm");
  memopt_gpu_gemm(gaps.numbers.data(), a, a, c, nullptr, nullptr, 0);
  EXPECT_EQ(text(memopt_gpu_synchronize()),
            "the strides of a are 9 for m (2) and 2 for k (3)");
}

} // namespace
