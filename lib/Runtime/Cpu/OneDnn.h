//===- OneDnn.h - bf16 products by oneDNN -----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_ONEDNN_H
#define MEMOPT_LIB_RUNTIME_CPU_ONEDNN_H

#include <array>
#include <cstdint>

namespace memopt::cpu {

/// c = a b (or c += a b) of bf16 matrices, c f32 or bf16; strides in elements.
struct OneDnnShape {
  int64_t m, n, k;
  int64_t aRow, aColumn, bRow, bColumn, cRow;
  int64_t cIsBF16, accumulate;

  std::array<int64_t, 10> getKey() const {
    return {m, n, k, aRow, aColumn, bRow, bColumn, cRow, cIsBF16, accumulate};
  }
};

/// True where the processor has instructions for bf16 that oneDNN uses; it is
/// slower than our own conversion to f32 elsewhere.
bool hasNativeBF16();

/// Runs on the calling thread alone.
void multiply(const OneDnnShape &shape, const void *a, const void *b, void *c);

/// Makes the kernel of a shape.
void prepare(const OneDnnShape &shape);

/// Makes what the calling thread needs for the kernels that were prepared.
void makeOneDnnObjects();

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_ONEDNN_H
