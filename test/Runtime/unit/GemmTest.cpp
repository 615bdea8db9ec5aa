//===- GemmTest.cpp - products against a double-precision loop ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "RandomProduct.h"

#include <array>
#include <gtest/gtest.h>

using namespace memopt::test;

namespace {

constexpr int64_t F32 = MEMOPT_CPU_F32, F64 = MEMOPT_CPU_F64,
                  BF16 = MEMOPT_CPU_BF16, F16 = MEMOPT_CPU_F16;
constexpr int64_t types[] = {F32, F64, BF16, F16};

struct Threads {
  explicit Threads(int threads) : before(memopt_cpu_get_threads()) {
    memopt_cpu_set_threads(threads);
  }
  ~Threads() { memopt_cpu_set_threads(before); }
  int before;
};

std::string print(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t number : shape)
    text += std::to_string(number) + " ";
  return text;
}

/// Every pair of operand types with every type of result.
TEST(Gemm, Types) {
  for (int64_t a : types)
    for (int64_t b : types)
      for (int64_t c : types)
        for (bool accumulate : {false, true}) {
          Product product(a, b, c, accumulate,
                          makeMatrixLoops(2, 33, 17, 40, false, true));
          EXPECT_LE(product.getError(product.run()), 1)
              << print(product.getShape());
        }
}

/// Plain, transposed and batched, at odd sizes and at sizes of one and nothing.
TEST(Gemm, Matrices) {
  for (int64_t type : types)
    for (int64_t batch : {0, 1, 3})
      for (int64_t m : {0, 1, 5, 65})
        for (int64_t n : {1, 7, 64})
          for (int64_t k : {0, 1, 31})
            for (int transposed = 0; transposed < 4; ++transposed) {
              Product product(type, type, type == BF16 ? F32 : type, k % 2,
                              makeMatrixLoops(batch, m, n, k, transposed & 1,
                                              transposed & 2));
              EXPECT_LE(product.getError(product.run()), 1)
                  << print(product.getShape());
            }
}

/// Large enough to be cut into tiles and pieces of k.
TEST(Gemm, Tiles) {
  for (int64_t type : types)
    for (int transposed = 0; transposed < 4; ++transposed) {
      Product product(
          type, type, type, false,
          makeMatrixLoops(1, 121, 83, 1030, transposed & 1, transposed & 2));
      EXPECT_LE(product.getError(product.run()), 1);
      EXPECT_LE(product.getError(product.runWithEpilogue()), 1);
    }
}

/// f32 products over several panels, pieces of k and blocks, each with a rest.
TEST(Gemm, Panels) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{561, 283, 290},
                         {8, 16, 257},
                         {13, 49, 1},
                         {600, 17, 33}})
    for (int transposed = 0; transposed < 4; ++transposed)
      for (bool accumulate : {false, true}) {
        Product product(
            F32, F32, F32, accumulate,
            makeMatrixLoops(2, m, n, k, transposed & 1, transposed & 2));
        EXPECT_LE(product.getError(product.run()), 1)
            << print(product.getShape());
      }
}

/// Orders, gaps, broadcasts and windows that no BLAS call takes as they are.
TEST(Gemm, RandomLayouts) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::vector<Loop> loops = makeRandomLoops(random);
    int64_t a = types[random() % 4], b = random() % 2 ? a : types[random() % 4];
    Product product(a, b, types[random() % 4], random() % 2, loops, i);
    ASSERT_LE(product.getError(product.run()), 1)
        << i << ": " << print(product.getShape());
  }
}

/// An epilogue sees every element once, with its indices.
TEST(Gemm, Epilogue) {
  std::mt19937 random(8);
  for (int i = 0; i < 1000; ++i) {
    std::vector<Loop> loops = makeRandomLoops(random);
    int64_t type = types[random() % 4];
    // As wide a result as the sums, so that nothing is rounded twice.
    Product product(type, type, type == F64 ? F64 : F32, false, loops, i);
    ASSERT_LE(product.getError(product.runWithEpilogue()), 1)
        << i << ": " << print(product.getShape());
  }
}

/// A strided convolution: images of 3 channels, 4x4 windows at stride 4, and
/// overlapping ones at stride 2 with dilation 2.
TEST(Gemm, Convolution) {
  for (auto [stride, dilation] : {std::pair<int64_t, int64_t>{4, 1}, {2, 2}}) {
    int64_t out = (16 - dilation * 3 - 1) / stride + 1;
    Product product(F32, F32, F32, false,
                    {{MEMOPT_CPU_N, 5, 0, 3 * 256, 9 * out * out},
                     {MEMOPT_CPU_M, 9, 48, 0, out * out},
                     {MEMOPT_CPU_N, out, 0, 16 * stride, out},
                     {MEMOPT_CPU_N, out, 0, stride, 1},
                     {MEMOPT_CPU_K, 3, 16, 256, 0},
                     {MEMOPT_CPU_K, 4, 4, 16 * dilation, 0},
                     {MEMOPT_CPU_K, 4, 1, dilation, 0}});
    EXPECT_LE(product.getError(product.run()), 1);
  }
}

/// The same bits on any number of threads.
TEST(Gemm, ThreadsDoNotMatter) {
  std::vector<std::vector<Loop>> shapes = {
      makeMatrixLoops(1, 517, 389, 700, false, true),
      makeMatrixLoops(40, 65, 64, 65, true, false),
      makeMatrixLoops(1, 16, 4096, 64, false, false)};
  for (int64_t type : types)
    for (const std::vector<Loop> &loops : shapes) {
      Product product(type, type, type, false, loops);
      std::vector<double> one, more;
      {
        Threads threads(1);
        one = product.run();
      }
      for (int count : {2, 3, 5}) {
        Threads threads(count);
        EXPECT_EQ(one, product.run()) << count << " threads, type " << type;
      }
    }
}

/// After the warm-up nothing is allocated, on one thread or on two; oneDNN's
/// argument lists are the library's own.
TEST(Gemm, AllocatesNothing) {
  for (int count : {1, 2}) {
    Threads threads(count);
    for (int64_t type : types) {
      std::vector<int64_t> shape =
          Product(type, type, F32, false,
                  makeMatrixLoops(1, 517, 389, 700, false, true))
              .getShape();
      std::vector<double> a(517 * 700), b(389 * 700), c(517 * 389);
      memopt_cpu_gemm_prepare(shape.data(), false);
      memopt_cpu_warm_up();
      startCounting();
      memopt_cpu_gemm(shape.data(), a.data(), b.data(), c.data(), nullptr,
                      nullptr);
      EXPECT_EQ(stopCounting(), 0) << "type " << type << ", " << count;
    }
  }
}

TEST(GemmDeathTest, WrongShapes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int64_t type[] = {9, 0, 0, 0, 0};
  EXPECT_DEATH(
      memopt_cpu_gemm(type, nullptr, nullptr, nullptr, nullptr, nullptr),
      "no such element type \\(9\\)");
  int64_t kind[] = {0, 0, 0, 0, 1, 7, 1, 1, 1, 1};
  EXPECT_DEATH(
      memopt_cpu_gemm(kind, nullptr, nullptr, nullptr, nullptr, nullptr),
      "no such kind of loop \\(7\\)");
  int64_t size[] = {0, 0, 0, 0, 1, 1, -3, 1, 1, 1};
  EXPECT_DEATH(
      memopt_cpu_gemm(size, nullptr, nullptr, nullptr, nullptr, nullptr),
      "a loop of negative size \\(-3\\)");
  int64_t adds[] = {0, 0, 0, 1, 0};
  EXPECT_DEATH(memopt_cpu_gemm(
                   adds, nullptr, nullptr, nullptr,
                   [](void *const *, const void *, int64_t, int64_t, int64_t,
                      int64_t, int64_t, int64_t) {},
                   nullptr),
               "an epilogue has nothing to add to");
}

} // namespace
