//===- Layout.h - the loops of a product ------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product's loops, neighbours joined where all strides allow it, and how it
// is cut into tiles: a function of the shape alone.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_CPU_LAYOUT_H
#define MEMOPT_LIB_RUNTIME_CPU_LAYOUT_H

#include "MemOpt/Runtime/Cpu.h"

#include <array>
#include <cstdint>

namespace memopt::cpu {

enum Operand { A, B, C };

/// Loops of one kind, the last one fastest, and their strides in a, b and c.
struct Loops {
  int rank = 0;
  int64_t count = 1; ///< the product of the sizes
  std::array<int64_t, MEMOPT_CPU_MAX_LOOPS> sizes{};
  std::array<std::array<int64_t, MEMOPT_CPU_MAX_LOOPS>, 3> strides{};

  /// Adds an inner loop, joined with the last one where the strides compose.
  void add(int64_t size, const int64_t *operandStrides);
  /// Elements from index 0 to the point `index` of all loops together.
  int64_t getOffset(Operand operand, int64_t index) const;
  int64_t getInnerSize() const { return rank ? sizes[rank - 1] : 1; }
  int64_t getInnerStride(Operand operand) const {
    return rank ? strides[operand][rank - 1] : 0;
  }
  /// True where one stride leads through all loops: the inner one's.
  bool isUniform(Operand operand) const;
};

/// How an operand reaches the BLAS.
enum class Access {
  Direct, ///< in place
  Packed  ///< copied into the workspace, a tile at a time
};

/// Everything about a product that its shape decides.
struct Layout {
  int64_t aType, bType, cType;
  int64_t computeType; ///< in which it is summed: f64 or f32
  bool accumulate;     ///< adds to c
  bool native;         ///< both operands are bf16 and oneDNN multiplies that
  bool swapped;        ///< a and b, m and n have changed places: c^T = b^T a^T
  Loops batch, m, n, k;
  Access a, b;
  bool privateTile; ///< c is made in the workspace first

  /// Tiles do not cross a multiple of these, and are at most so large.
  int64_t mInner, nInner, kInner;
  int64_t mTile, nTile, kTile;
  int64_t batchTile; ///< batch points that one task runs through

  int64_t getTileCount() const;
};

/// Bytes of a thread's workspace for each packed operand, and for a tile.
constexpr int64_t packBytes = int64_t(1) << 19;
constexpr int64_t tileBytes = int64_t(1) << 20;

/// `native` says whether oneDNN takes bf16 here. An error of the shape ends the
/// process with a message.
Layout makeLayout(const int64_t *shape, bool hasEpilogue, bool native);

/// True where a BLAS reads this in place: consecutive elements in a row, rows
/// that do not overlap.
bool isMatrix(int64_t rows, int64_t columns, int64_t rowStride,
              int64_t columnStride);

/// The tiles along one dimension that does not cross `inner`.
constexpr int64_t countTiles(int64_t count, int64_t inner, int64_t tile) {
  return count / inner * ((inner + tile - 1) / tile);
}

} // namespace memopt::cpu

#endif // MEMOPT_LIB_RUNTIME_CPU_LAYOUT_H
