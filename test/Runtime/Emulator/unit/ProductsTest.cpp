//===- ProductsTest.cpp - matrix products ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedDevice.h"
#include "MemOpt/Runtime/GpuProduct.h"

#include <array>
#include <numeric>

namespace {

enum { kBatch, kM, kN, kK };

std::vector<int64_t> shapeOf(int64_t type, int64_t adds,
                             std::vector<std::array<int64_t, 5>> loops,
                             int64_t flags = 0) {
  std::vector<int64_t> shape = {flags, type, type,
                                type,  adds, int64_t(loops.size())};
  for (const auto &loop : loops)
    shape.insert(shape.end(), loop.begin(), loop.end());
  return shape;
}

class Products : public EmulatedDevice {
protected:
  std::string multiply(const std::vector<int64_t> &shape, void *a, void *b,
                       void *c, void *bias = nullptr) {
    memopt_gpu_gemm(shape.data(), a, b, c, bias, nullptr, 0);
    return synchronize();
  }
  static std::vector<float> count(size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
  }
};

/// [2 x 3] times [3 x 2], plain and with b stored by columns.
TEST_F(Products, layouts) {
  DeviceArray a = copyIn(count(6)), b = copyIn(count(6)), c = allocate(16);
  std::vector<int64_t> plain =
      shapeOf(MEMOPT_GPU_F32, 0,
              {{kM, 2, 3, 0, 2}, {kN, 2, 0, 1, 1}, {kK, 3, 1, 2, 0}});
  EXPECT_EQ(multiply(plain, a.memory, b.memory, c.memory), "");
  EXPECT_EQ(copyOut<float>(c), (std::vector<float>{22, 28, 49, 64}));
  std::vector<int64_t> transposed =
      shapeOf(MEMOPT_GPU_F32, 1,
              {{kM, 2, 3, 0, 2}, {kN, 2, 0, 3, 1}, {kK, 3, 1, 1, 0}});
  EXPECT_EQ(multiply(transposed, a.memory, b.memory, c.memory), "");
  EXPECT_EQ(copyOut<float>(c), (std::vector<float>{36, 60, 81, 141}));
  memopt_gpu_counts counts;
  memopt_gpu_count(&counts);
  EXPECT_EQ(counts.products, 2);
  EXPECT_EQ(counts.launches, 0);
}

/// Two batch loops that no one stride leads through, and a bias.
TEST_F(Products, batchesAndBias) {
  // a[b, h, m, k] lies as [b, m, h, k]: 2 x 2 x 1 x 2.
  DeviceArray a = copyIn(count(8)), b = copyIn(count(2)), c = allocate(16),
              bias = copyIn(std::vector<float>{0.5f});
  std::vector<int64_t> shape =
      shapeOf(MEMOPT_GPU_F32, 0,
              {{kBatch, 2, 4, 0, 1}, {kBatch, 2, 2, 0, 2}, {kK, 2, 1, 1, 0}});
  std::string why;
  auto product = memopt::gpu::getProduct(shape.data(), true, why);
  ASSERT_TRUE(product) << why;
  EXPECT_EQ(product->print(), "b4 m1 n1 k2 f32");
  EXPECT_EQ(multiply(shape, a.memory, b.memory, c.memory, bias.memory), "");
  EXPECT_EQ(copyOut<float>(c), (std::vector<float>{5.5f, 17.5f, 11.5f, 23.5f}));
}

TEST_F(Products, narrowTypes) {
  // 1 + 2^-7 in bf16; its square, 1.0157, rounds to 1 + 2^-6.
  DeviceArray a = copyIn(std::vector<uint16_t>{0x3F81}), c = allocate(2);
  std::vector<int64_t> shape = shapeOf(MEMOPT_GPU_BF16, 0, {});
  EXPECT_EQ(multiply(shape, a.memory, a.memory, c.memory), "");
  EXPECT_EQ(copyOut<uint16_t>(c)[0], 0x3F82);
  // 1 + 2^-10 in f16: 1 + 2^-9 + 2^-20 rounds to 1 + 2^-9.
  DeviceArray h = copyIn(std::vector<uint16_t>{0x3C01});
  std::vector<int64_t> half = shapeOf(MEMOPT_GPU_F16, 0, {});
  EXPECT_EQ(multiply(half, h.memory, h.memory, c.memory), "");
  EXPECT_EQ(copyOut<uint16_t>(c)[0], 0x3C02);
}

/// With the flag, operands keep ten bits of fraction.
TEST_F(Products, tensorFloat32) {
  DeviceArray a = copyIn(std::vector<float>{1 + 0x1p-12f}),
              one = copyIn(std::vector<float>{1}), c = allocate(4);
  std::vector<int64_t> exact = shapeOf(MEMOPT_GPU_F32, 0, {}),
                       rounded = shapeOf(MEMOPT_GPU_F32, 0, {},
                                         MEMOPT_GPU_ALLOW_TF32);
  EXPECT_EQ(multiply(exact, a.memory, one.memory, c.memory), "");
  EXPECT_EQ(copyOut<float>(c)[0], 1 + 0x1p-12f);
  EXPECT_EQ(multiply(rounded, a.memory, one.memory, c.memory), "");
  EXPECT_EQ(copyOut<float>(c)[0], 1);
}

TEST_F(Products, faults) {
  DeviceArray a = copyIn(count(6)), c = allocate(16), free = allocate(24);
  std::vector<int64_t> shape =
      shapeOf(MEMOPT_GPU_F32, 0,
              {{kM, 2, 3, 0, 2}, {kN, 2, 0, 1, 1}, {kK, 3, 1, 2, 0}});
  std::vector<float> host(6);
  EXPECT_EQ(
      multiply(shape, a.memory, host.data(), c.memory),
      "product m2 n2 k3 f32: operand b: a host address where device memory "
      "is meant");
  EXPECT_EQ(multiply(shape, free.memory, a.memory, c.memory),
            "product m2 n2 k3 f32: operand a: nobody wrote some of 12 bytes at "
            "byte 0 of an allocation of 24 bytes");
  EXPECT_EQ(
      multiply(shape, a.memory, a.memory, static_cast<char *>(c.memory) + 4),
      "product m2 n2 k3 f32: operand c: 8 bytes at byte 12 of an "
      "allocation of 16 bytes");
}

/// The addresses of a batched product's matrices must be where the shape says.
TEST_F(Products, addresses) {
  // [2 x 2 heads] of one element each, heads further apart than images.
  std::vector<int64_t> shape =
      shapeOf(MEMOPT_GPU_F32, 0, {{kBatch, 2, 1, 1, 1}, {kBatch, 2, 3, 3, 3}});
  DeviceArray a = copyIn(count(6)), c = allocate(24);
  auto getAddresses = [](const DeviceArray &array) {
    std::vector<uint64_t> addresses;
    for (int64_t at : {0, 1, 3, 4})
      addresses.push_back(reinterpret_cast<uint64_t>(array.memory) + 4 * at);
    return addresses;
  };
  std::vector<uint64_t> addresses;
  for (const DeviceArray *array : {&a, &a, &c})
    for (uint64_t address : getAddresses(*array))
      addresses.push_back(address);
  auto multiplyBy = [&](const std::vector<uint64_t> &list) {
    DeviceArray matrices = copyIn(list);
    memopt_gpu_gemm_batched(shape.data(), a.memory, a.memory, c.memory,
                            matrices.memory, nullptr, 0);
    return synchronize();
  };
  EXPECT_EQ(multiplyBy(addresses), "");
  std::swap(addresses[5], addresses[6]);
  EXPECT_EQ(multiplyBy(addresses), "product b4 m1 n1 k1 f32: address 1 of "
                                   "operand b is not where its matrix lies");
}

/// A workspace is the library's: what was there is gone, and it counts as
/// touched.
TEST_F(Products, workspace) {
  DeviceArray a = copyIn(count(1)), c = allocate(4), space = copyIn(count(8));
  std::vector<int64_t> shape = shapeOf(MEMOPT_GPU_F32, 0, {});
  memopt_gpu_gemm(shape.data(), a.memory, a.memory, c.memory, nullptr,
                  space.memory, 16);
  EXPECT_EQ(synchronize(), "");
  float value;
  EXPECT_EQ(text(memopt_gpu_copy_out(&value, space.memory, 4)),
            "copy out: nobody wrote byte 0 of an allocation of 32 bytes");
  // What a product leaves there is gone with the next one, and no other byte.
  memopt_gpu_gemm(shape.data(), a.memory, a.memory,
                  static_cast<char *>(space.memory) + 8, nullptr, nullptr, 0);
  memopt_gpu_gemm(shape.data(), a.memory, a.memory, c.memory, nullptr,
                  space.memory, 16);
  EXPECT_EQ(text(memopt_gpu_copy_out(&value,
                                     static_cast<char *>(space.memory) + 8, 4)),
            "copy out: nobody wrote byte 8 of an allocation of 32 bytes");
  EXPECT_EQ(text(memopt_gpu_copy_out(
                &value, static_cast<char *>(space.memory) + 16, 4)),
            "");
  DeviceArray arena = allocate(64);
  memopt_gpu_gemm(shape.data(), a.memory, a.memory, c.memory, nullptr,
                  static_cast<char *>(arena.memory) + 16, 32);
  EXPECT_EQ(memopt_gpu_touched_bytes(arena.memory), 48);
}

/// What cuBLASLt does not take as it is.
TEST_F(Products, refused) {
  auto why = [](const std::vector<int64_t> &shape, bool hasBias = false) {
    std::string reason;
    return memopt::gpu::getProduct(shape.data(), hasBias, reason) ? "" : reason;
  };
  EXPECT_EQ(why({0, 0, 2, 0, 0, 0}),
            "cuBLASLt has no product f32 x bf16 -> f32");
  EXPECT_EQ(why({0, 2, 2, 0, 0, 0}), "");
  EXPECT_EQ(why({0, 4, 2, 0, 0, 0}), "it has the type 4");
  EXPECT_EQ(why(shapeOf(0, 0, {{kM, 2, 6, 0, 4}, {kK, 3, 2, 1, 0}})),
            "the strides of a are 6 for m (2) and 2 for k (3)");
  EXPECT_EQ(why(shapeOf(0, 0, {{kM, 4, 2, 0, 1}, {kK, 3, 1, 1, 0}})),
            "the strides of a are 2 for m (4) and 1 for k (3)");
  EXPECT_EQ(why(shapeOf(0, 0, {{kM, 2, 9, 0, 2}, {kM, 2, 1, 0, 1}})),
            "the loops of m form no one dimension");
  EXPECT_EQ(why(shapeOf(0, 0, {{kM, 2, 6, 0, 2}, {kM, 2, 3, 0, 1}})), "");
  EXPECT_EQ(
      why(shapeOf(0, 0, {{kM, 2, 1, 0, 1}, {kN, 3, 0, 1, 2}, {kK, 1, 0, 0, 0}}),
          true),
      "it has a bias, and c is stored by columns");
}

} // namespace
