//===- Gemm.cpp - products, tile by tile ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is cut into tiles by its shape; each runs on one thread, over all
// of k, by our kernels or a BLAS that uses no threads of its own. So the order
// in which an element is summed does not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "FloatProduct.h"
#include "Layout.h"
#include "LibraryCall.h"
#include "OneDnn.h"
#include "Pack.h"
#include "Parallel.h"
#include "Workspace.h"

#include <algorithm>
#include <cblas.h>
#include <cstring>

using namespace memopt::cpu;

//===----------------------------------------------------------------------===//
// One matrix product
//===----------------------------------------------------------------------===//

namespace {
/// c (+)= a b, in the layouts that a BLAS takes; c's rows are consecutive.
struct Product {
  int64_t m, n, k;
  Matrix a, b;
  char *c;
  int64_t cRow;
  bool accumulate;
};
} // namespace

/// Whether a rows x columns matrix is stored by columns, and how far apart.
static bool isTransposed(const Matrix &matrix, int64_t rows, int64_t columns) {
  return !isMatrix(rows, columns, matrix.row, matrix.column);
}
static int64_t getLeading(const Matrix &matrix, int64_t rows, int64_t columns) {
  return isTransposed(matrix, rows, columns)
             ? std::max(columns == 1 ? 1 : matrix.column, rows)
             : std::max(rows == 1 ? 1 : matrix.row, columns);
}

static void multiplyByBlas(const Product &p, int64_t type) {
  LibraryCall call;
  auto aOrder = isTransposed(p.a, p.m, p.k) ? CblasTrans : CblasNoTrans;
  auto bOrder = isTransposed(p.b, p.k, p.n) ? CblasTrans : CblasNoTrans;
  auto lda = static_cast<blasint>(getLeading(p.a, p.m, p.k));
  auto ldb = static_cast<blasint>(getLeading(p.b, p.k, p.n));
  auto ldc = static_cast<blasint>(std::max(p.cRow, p.n));
  auto m = static_cast<blasint>(p.m), n = static_cast<blasint>(p.n),
       k = static_cast<blasint>(p.k);
  double beta = p.accumulate;
  if (type == MEMOPT_CPU_F64)
    cblas_dgemm(CblasRowMajor, aOrder, bOrder, m, n, k, 1.0,
                reinterpret_cast<const double *>(p.a.base), lda,
                reinterpret_cast<const double *>(p.b.base), ldb, beta,
                reinterpret_cast<double *>(p.c), ldc);
  else
    cblas_sgemm(CblasRowMajor, aOrder, bOrder, m, n, k, 1.0f,
                reinterpret_cast<const float *>(p.a.base), lda,
                reinterpret_cast<const float *>(p.b.base), ldb,
                static_cast<float>(beta), reinterpret_cast<float *>(p.c), ldc);
}

/// True for what our own kernels multiply: a few rows are not worth panels.
static bool isForPanels(const Product &p, int64_t type) {
  return type == MEMOPT_CPU_F32 && getFloatMultiply() && p.m >= 4;
}

static void multiplyByPanels(const Product &p) {
  auto read = [](const Matrix &x) {
    return FloatMatrix{reinterpret_cast<const float *>(x.base), x.row,
                       x.column};
  };
  Workspace &workspace = getWorkspace();
  auto panels = [](Buffer &buffer) {
    return reinterpret_cast<float *>(buffer.get(panelBytes));
  };
  getFloatMultiply()({p.m, p.n, p.k, read(p.a), read(p.b),
                      reinterpret_cast<float *>(p.c), p.cRow, p.accumulate},
                     panels(workspace.aPanels), panels(workspace.bPanels));
}

static OneDnnShape getOneDnnShape(const Product &p, bool cIsBF16) {
  bool aTransposed = isTransposed(p.a, p.m, p.k);
  bool bTransposed = isTransposed(p.b, p.k, p.n);
  int64_t lda = getLeading(p.a, p.m, p.k), ldb = getLeading(p.b, p.k, p.n);
  return {p.m,
          p.n,
          p.k,
          aTransposed ? 1 : lda,
          aTransposed ? lda : 1,
          bTransposed ? 1 : ldb,
          bTransposed ? ldb : 1,
          std::max(p.cRow, p.n),
          cIsBF16,
          p.accumulate};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
class Gemm {
public:
  Gemm(const Layout &layout, const void *first, const void *second, void *c,
       memopt_cpu_epilogue epilogue, void *const *buffers)
      : layout(layout),
        a(static_cast<const char *>(layout.swapped ? second : first)),
        b(static_cast<const char *>(layout.swapped ? first : second)),
        c(static_cast<char *>(c)), epilogue(epilogue), buffers(buffers) {}

  void run() {
    int64_t tiles = layout.getTileCount();
    int64_t groups =
        tiles ? (layout.batch.count - 1) / layout.batchTile + 1 : 0;
    forEach(groups * tiles, [&](int64_t task) { runTask(task, tiles); });
  }

  /// Makes the kernels of every tile's shape.
  void prepareTiles() {
    if (!layout.native || layout.k.count == 0)
      return;
    for (int64_t tile = 0, e = layout.getTileCount(); tile < e; ++tile)
      forEachProduct(
          0, getTile(tile),
          [&](const Product &p) { prepare(getOneDnnShape(p, isBF16Result())); },
          /*packs=*/false);
  }

private:
  struct Tile {
    int64_t mBegin, mEnd, nBegin, nEnd;
  };

  static void getRange(int64_t number, int64_t inner, int64_t tile,
                       int64_t &begin, int64_t &end) {
    int64_t each = (inner + tile - 1) / tile;
    int64_t first = number / each * inner;
    begin = first + number % each * tile;
    end = std::min(begin + tile, first + inner);
  }

  Tile getTile(int64_t number) const {
    int64_t rows = countTiles(layout.m.count, layout.mInner, layout.mTile);
    Tile tile;
    getRange(number % rows, layout.mInner, layout.mTile, tile.mBegin,
             tile.mEnd);
    getRange(number / rows, layout.nInner, layout.nTile, tile.nBegin,
             tile.nEnd);
    return tile;
  }

  bool isBF16Result() const {
    return !layout.privateTile && layout.cType == MEMOPT_CPU_BF16;
  }

  void runTask(int64_t task, int64_t tiles) {
    int64_t first = task / tiles * layout.batchTile;
    int64_t last = std::min(first + layout.batchTile, layout.batch.count);
    Tile tile = getTile(task % tiles);
    for (int64_t point = first; point < last; ++point)
      runTile(point, tile);
  }

  void runTile(int64_t point, const Tile &tile) {
    if (layout.k.count == 0)
      clear(point, tile);
    else
      forEachProduct(
          point, tile,
          [&](const Product &p) {
            if (layout.native)
              multiply(getOneDnnShape(p, isBF16Result()), p.a.base, p.b.base,
                       p.c);
            else if (isForPanels(p, layout.computeType))
              multiplyByPanels(p);
            else
              multiplyByBlas(p, layout.computeType);
          },
          /*packs=*/true);
    if (!layout.privateTile)
      return;
    int64_t columns = tile.nEnd - tile.nBegin;
    const char *made = getWorkspace().tile.get(tileBytes);
    if (epilogue)
      epilogue(buffers, made, columns, point, tile.mBegin, tile.mEnd,
               tile.nBegin, tile.nEnd);
    else
      store(getPoint(c, C, point, layout.cType), layout.cType, made,
            layout.computeType, columns, {layout.m, tile.mBegin, tile.mEnd},
            {layout.n, tile.nBegin, tile.nEnd}, layout.accumulate);
  }

  template <typename Pointer>
  Pointer getPoint(Pointer base, Operand operand, int64_t point,
                   int64_t type) const {
    return base + layout.batch.getOffset(operand, point) * getBytes(type);
  }

  /// Where the sums of a tile are made, and how far apart its rows are.
  std::pair<char *, int64_t> getResult(int64_t point, const Tile &tile) const {
    if (layout.privateTile)
      return {getWorkspace().tile.get(tileBytes), tile.nEnd - tile.nBegin};
    int64_t offset =
        layout.m.getOffset(C, tile.mBegin) + layout.n.getOffset(C, tile.nBegin);
    return {getPoint(c, C, point, layout.cType) +
                offset * getBytes(layout.cType),
            layout.m.getInnerStride(C)};
  }

  /// A sum over nothing.
  void clear(int64_t point, const Tile &tile) const {
    if (layout.accumulate && !layout.privateTile)
      return;
    auto [base, row] = getResult(point, tile);
    int64_t bytes =
        getBytes(layout.privateTile ? layout.computeType : layout.cType);
    for (int64_t i = 0; i < tile.mEnd - tile.mBegin; ++i)
      std::memset(base + i * row * bytes, 0, (tile.nEnd - tile.nBegin) * bytes);
  }

  /// The operand's elements at rows x columns, in place or packed.
  Matrix getOperand(Operand operand, int64_t point, Range rows, Range columns,
                    bool packs) const {
    int64_t type = operand == A ? layout.aType : layout.bType;
    const char *base = getPoint(operand == A ? a : b, operand, point, type);
    Access access = operand == A ? layout.a : layout.b;
    if (access == Access::Direct) {
      int64_t offset = rows.loops.getOffset(operand, rows.begin) +
                       columns.loops.getOffset(operand, columns.begin);
      return {base + offset * getBytes(type),
              rows.loops.getInnerStride(operand),
              columns.loops.getInnerStride(operand)};
    }
    Workspace &workspace = getWorkspace();
    Buffer &buffer = operand == A ? workspace.a : workspace.b;
    int64_t to = layout.native ? int64_t(MEMOPT_CPU_BF16) : layout.computeType;
    return pack(packs ? buffer.get(packBytes) : nullptr, to, base, type,
                operand, rows, columns, packs);
  }

  /// Calls `call` with the products over pieces of k that make up a tile.
  template <typename Call>
  void forEachProduct(int64_t point, const Tile &tile, const Call &call,
                      bool packs) const {
    auto [base, row] = getResult(point, tile);
    Range rows{layout.m, tile.mBegin, tile.mEnd};
    Range columns{layout.n, tile.nBegin, tile.nEnd};
    bool adds = layout.accumulate && !layout.privateTile;
    int64_t pieces = countTiles(layout.k.count, layout.kInner, layout.kTile);
    for (int64_t piece = 0; piece < pieces; ++piece) {
      int64_t begin, end;
      getRange(piece, layout.kInner, layout.kTile, begin, end);
      Range sum{layout.k, begin, end};
      call(Product{rows.size(), columns.size(), sum.size(),
                   getOperand(A, point, rows, sum, packs),
                   getOperand(B, point, sum, columns, packs), base, row,
                   adds || piece > 0});
    }
  }

  const Layout &layout;
  const char *a, *b;
  char *c;
  memopt_cpu_epilogue epilogue;
  void *const *buffers;
};
} // namespace

void memopt_cpu_gemm(const int64_t *shape, const void *a, const void *b,
                     void *c, memopt_cpu_epilogue epilogue,
                     void *const *buffers) {
  Layout layout = makeLayout(shape, epilogue != nullptr, hasNativeBF16());
  Gemm(layout, a, b, c, epilogue, buffers).run();
}

void memopt_cpu_gemm_prepare(const int64_t *shape, int has_epilogue) {
  if (!shape)
    return;
  Layout layout = makeLayout(shape, has_epilogue != 0, hasNativeBF16());
  char nothing = 0; // only its address is computed with
  Gemm(layout, &nothing, &nothing, &nothing, nullptr, nullptr).prepareTiles();
}
