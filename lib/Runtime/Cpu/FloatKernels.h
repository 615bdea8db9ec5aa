//===- FloatKernels.h - f32 products for one kind of vector -----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goto's loops (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008), with fewer copies: b goes into panels of two vectors'
// width; a is read in place, an element broadcast at a time, where its rows run
// along k, and goes into panels where they do not.
//
// Included by one file for each processor, which defines MEMOPT_VECTOR_BYTES,
// MEMOPT_BROADCAST, a vector of one element, and MEMOPT_ROWS, the rows of a
// block; so everything is in a namespace without a name.
//
//===----------------------------------------------------------------------===//

#include "FloatProduct.h"

#include <algorithm>
#include <cstring>
#include <immintrin.h>
#include <utility>

namespace {
using namespace memopt::cpu;

using Vector = float __attribute__((vector_size(MEMOPT_VECTOR_BYTES)));
/// The same anywhere in memory.
using Loose = float
    __attribute__((vector_size(MEMOPT_VECTOR_BYTES), aligned(4), may_alias));
using Eight = float __attribute__((vector_size(32), aligned(4), may_alias));

constexpr int64_t lanes = MEMOPT_VECTOR_BYTES / 4, width = 2 * lanes;
constexpr int rows = MEMOPT_ROWS;
/// Pieces of k are at most so long: a panel of b stays in the first cache.
constexpr int64_t longestPiece = 256;

inline Vector load(const float *from) {
  return *reinterpret_cast<const Loose *>(from);
}
inline void store(float *to, Vector value) {
  *reinterpret_cast<Loose *>(to) = value;
}

//===----------------------------------------------------------------------===//
// A block: some rows, two vectors of columns
//===----------------------------------------------------------------------===//

/// Where a block's rows of c are, and how much of them exists.
struct Target {
  float *c;
  int64_t row, columns;
  bool adds;
};

template <int Rows, int Vectors>
inline void storeBlock(const Vector (&sums)[Rows][Vectors], const Target &to) {
  float line[Vectors * lanes];
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
    float *c = to.c + r * to.row;
    bool isWhole = to.columns == Vectors * lanes;
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
      float *at = c + v * lanes;
      store(isWhole ? at : line + v * lanes,
            isWhole && to.adds ? load(at) + sums[r][v] : sums[r][v]);
    }
    for (int64_t j = 0; !isWhole && j < to.columns; ++j)
      c[j] = to.adds ? c[j] + line[j] : line[j];
  }
}

/// Rows go by four from a pointer each, which an address can add up.
template <int Rows, int Vectors>
void multiplyBlock(int64_t k, FloatMatrix a, const float *b, const Target &to) {
  Vector sums[Rows][Vectors] = {};
  const float *from[3] = {a.base, a.base + 4 * a.row, a.base + 8 * a.row};
  for (int64_t p = 0; p < k; ++p) {
    Vector line[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      line[v] = load(b + v * lanes);
    b += Vectors * lanes;
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
      Vector element = MEMOPT_BROADCAST(from[r / 4][r % 4 * a.row]);
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        sums[r][v] += element * line[v];
    }
    for (const float *&pointer : from)
      pointer += a.column;
  }
  storeBlock(sums, to);
}

using Block = void (*)(int64_t, FloatMatrix, const float *, const Target &);

template <int Vectors, size_t... Counts>
inline Block getBlock(int count, std::index_sequence<Counts...>) {
  static constexpr Block blocks[] = {
      multiplyBlock<int(Counts) + 1, Vectors>...};
  return blocks[count - 1];
}

/// For `count` rows and a panel of `wide` columns.
inline Block getBlock(int count, int64_t wide) {
  std::make_index_sequence<rows> counts;
  return wide == lanes ? getBlock<1>(count, counts)
                       : getBlock<2>(count, counts);
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

/// 8 x 8 elements, of which each line of `from` becomes a column of `to`.
inline void transpose(const float *from, int64_t fromLine, float *to,
                      int64_t toLine) {
  Eight x[8], y[8];
  for (int i = 0; i < 8; ++i)
    x[i] = *reinterpret_cast<const Eight *>(from + i * fromLine);
  for (int i = 0; i < 8; i += 2) {
    y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    y[i + 1] =
        __builtin_shufflevector(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      x[i + 2 * j] = __builtin_shufflevector(y[i + j], y[i + j + 2], 0, 1, 8, 9,
                                             4, 5, 12, 13);
      x[i + 2 * j + 1] = __builtin_shufflevector(y[i + j], y[i + j + 2], 2, 3,
                                                 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    Eight low =
        __builtin_shufflevector(x[i], x[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    Eight high =
        __builtin_shufflevector(x[i], x[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    *reinterpret_cast<Eight *>(to + i * toLine) = low;
    *reinterpret_cast<Eight *>(to + (i + 4) * toLine) = high;
  }
}

/// The last panel may be one vector wide.
inline int64_t getWide(int64_t size) { return size <= lanes ? lanes : width; }

/// A panel: `size` neighbours along `across` behind each other, for each of
/// `k` places along `along`. What does not exist up to `wide` is 0.
inline void packPanel(const float *from, int64_t across, int64_t along,
                      int64_t size, int64_t wide, int64_t k, float *to) {
  int64_t p = 0;
  if (along == 1 && size % 8 == 0 && size == wide)
    for (; p + 8 <= k; p += 8)
      for (int64_t j = 0; j < size; j += 8)
        transpose(from + j * across + p, across, to + p * wide + j, wide);
  for (; p < k; ++p) {
    const float *line = from + p * along;
    float *out = to + p * wide;
    if (across == 1 && size == width && wide == width) {
      store(out, load(line));
      store(out + lanes, load(line + lanes));
      continue;
    }
    if (across == 1 && size == rows && wide == rows) {
      std::memcpy(out, line, rows * sizeof(float));
      continue;
    }
    for (int64_t j = 0; j < size; ++j)
      out[j] = line[j * across];
    for (int64_t j = size; j < wide; ++j)
      out[j] = 0;
  }
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// A piece of the product: k from `k` on, columns from `n` on, rows from `m`
/// on.
struct Piece {
  int64_t m, n, k, mSize, nSize, kSize;
};

inline void multiplyPiece(const FloatProduct &p, const Piece &at,
                          float *aPanels, const float *bPanels) {
  bool packs = p.a.column != 1;
  const float *a = p.a.base + at.m * p.a.row + at.k * p.a.column;
  for (int64_t i = 0; packs && i < at.mSize; i += rows)
    packPanel(a + i * p.a.row, p.a.row, p.a.column,
              std::min<int64_t>(rows, at.mSize - i), rows, at.kSize,
              aPanels + i * at.kSize);
  for (int64_t j = 0; j < at.nSize; j += width) {
    int64_t columns = std::min(width, at.nSize - j);
    for (int64_t i = 0; i < at.mSize; i += rows) {
      int count = int(std::min<int64_t>(rows, at.mSize - i));
      FloatMatrix block = packs ? FloatMatrix{aPanels + i * at.kSize, 1, rows}
                                : FloatMatrix{a + i * p.a.row, p.a.row, 1};
      Target to{p.c + (at.m + i) * p.cRow + at.n + j, p.cRow, columns,
                p.accumulate || at.k > 0};
      getBlock(count, getWide(columns))(at.kSize, block, bPanels + j * at.kSize,
                                        to);
    }
  }
}

inline void multiplyAll(const FloatProduct &p, float *aPanels, float *bPanels) {
  int64_t pieces =
      std::max<int64_t>(1, (p.k + longestPiece - 1) / longestPiece);
  int64_t kTile = std::max<int64_t>(1, (p.k + pieces - 1) / pieces);
  int64_t elements = panelBytes / 4 / kTile;
  int64_t nTile = elements / width * width, mTile = elements / rows * rows;
  Piece at{};
  for (at.k = 0; at.k < p.k; at.k += kTile) {
    at.kSize = std::min(kTile, p.k - at.k);
    for (at.n = 0; at.n < p.n; at.n += nTile) {
      at.nSize = std::min(nTile, p.n - at.n);
      const float *b = p.b.base + at.k * p.b.row + at.n * p.b.column;
      for (int64_t j = 0; j < at.nSize; j += width) {
        int64_t columns = std::min(width, at.nSize - j);
        packPanel(b + j * p.b.column, p.b.column, p.b.row, columns,
                  getWide(columns), at.kSize, bPanels + j * at.kSize);
      }
      for (at.m = 0; at.m < p.m; at.m += mTile) {
        at.mSize = std::min(mTile, p.m - at.m);
        multiplyPiece(p, at, aPanels, bPanels);
      }
    }
  }
}
} // namespace
