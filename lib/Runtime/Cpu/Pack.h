//===- Pack.h - copies between operands and the workspace -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_PACK_H
#define MEMOPT_LIB_RUNTIME_CPU_PACK_H

#include "Layout.h"

namespace memopt::cpu {

/// A matrix in memory: element (i, j) at base + i row + j column elements.
struct Matrix {
  const char *base;
  int64_t row, column;
};

/// Indices [begin, end) of some loops.
struct Range {
  const Loops &loops;
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// Copies an operand's elements at rows x columns to `destination`, converted
/// to `to`, in the order that reads runs of consecutive elements. Without
/// `copies` it only says how they would lie.
Matrix pack(char *destination, int64_t to, const char *source, int64_t from,
            Operand operand, Range rows, Range columns, bool copies);

/// c = tile, or c += tile, at rows x columns; the tile's rows are `tileStride`
/// apart, its elements f64 or f32 (`from`).
void store(char *c, int64_t to, const char *tile, int64_t from,
           int64_t tileStride, Range rows, Range columns, bool accumulate);

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_PACK_H
