//===- FloatProduct.h - f32 products of our own -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_FLOATPRODUCT_H
#define MEMOPT_LIB_RUNTIME_CPU_FLOATPRODUCT_H

#include <cstdint>

namespace memopt::cpu {

/// A matrix of f32: element (i, j) at base + i row + j column.
struct FloatMatrix {
  const float *base;
  int64_t row, column;
};

/// c = a b, or c += a b, of m x k and k x n matrices; c's rows are consecutive.
struct FloatProduct {
  int64_t m, n, k;
  FloatMatrix a, b;
  float *c;
  int64_t cRow;
  bool accumulate;
};

/// Bytes of the panels that a product is copied into, for each operand.
constexpr int64_t panelBytes = int64_t(1) << 19;

/// Multiplies on the calling thread, with room for the panels of both operands.
/// An element is summed in the order of k, whatever m and n are.
using FloatMultiply = void (*)(const FloatProduct &product, float *aPanels,
                               float *bPanels);

/// For this processor; null where it has no fused multiply-add of vectors.
FloatMultiply getFloatMultiply();

void multiplyByAvx2(const FloatProduct &product, float *aPanels,
                    float *bPanels);
void multiplyByAvx512(const FloatProduct &product, float *aPanels,
                      float *bPanels);

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_FLOATPRODUCT_H
