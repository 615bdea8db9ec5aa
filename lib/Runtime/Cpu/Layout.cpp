//===- Layout.cpp - the loops of a product --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Elements.h"
#include "FloatProduct.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace memopt::cpu;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void Loops::add(int64_t size, const int64_t *operandStrides) {
  count *= size;
  if (size == 1)
    return;
  bool joins = rank > 0;
  for (int x = 0; joins && x < 3; ++x)
    joins = strides[x][rank - 1] == size * operandStrides[x];
  rank += !joins;
  sizes[rank - 1] = joins ? sizes[rank - 1] * size : size;
  for (int x = 0; x < 3; ++x)
    strides[x][rank - 1] = operandStrides[x];
}

int64_t Loops::getOffset(Operand operand, int64_t index) const {
  if (rank == 1)
    return index * strides[operand][0];
  int64_t offset = 0;
  for (int i = rank; i-- > 0; index /= sizes[i])
    offset += index % sizes[i] * strides[operand][i];
  return offset;
}

bool Loops::isUniform(Operand operand) const {
  for (int i = 0; i + 1 < rank; ++i)
    if (strides[operand][i] != sizes[i + 1] * strides[operand][i + 1])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Reading the shape
//===----------------------------------------------------------------------===//

[[noreturn]] static void fail(const char *reason, int64_t number) {
  std::fprintf(stderr, "memopt_cpu_gemm: %s (%lld)\n", reason,
               static_cast<long long>(number));
  std::abort();
}

static void readLoops(const int64_t *shape, Layout &layout) {
  Loops *byKind[] = {&layout.batch, &layout.m, &layout.n, &layout.k};
  const int64_t *loop = shape + MEMOPT_CPU_SHAPE_HEADER;
  for (int64_t i = 0; i < shape[4]; ++i, loop += MEMOPT_CPU_SHAPE_LOOP) {
    if (loop[0] < MEMOPT_CPU_BATCH || loop[0] > MEMOPT_CPU_K)
      fail("no such kind of loop", loop[0]);
    if (loop[1] < 0)
      fail("a loop of negative size", loop[1]);
    Loops &loops = *byKind[loop[0]];
    if (loops.rank == MEMOPT_CPU_MAX_LOOPS)
      fail("more loops of one kind than there is room for", loops.rank + 1);
    loops.add(loop[1], loop + 2);
  }
}

/// c^T = b^T a^T: m becomes n.
static void swapOperands(Layout &layout) {
  std::swap(layout.aType, layout.bType);
  std::swap(layout.m, layout.n);
  for (Loops *loops : {&layout.batch, &layout.m, &layout.n, &layout.k})
    std::swap(loops->strides[A], loops->strides[B]);
  layout.swapped = true;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The loops that tiles stay within: all of them where each of `operands` has
/// one stride for them, the inner one where it is long enough to be worth a
/// call of its own, else all of them, copied.
static int64_t getInner(const Loops &loops,
                        std::initializer_list<Operand> operands,
                        int64_t worthwhile) {
  bool uniform = std::all_of(operands.begin(), operands.end(),
                             [&](Operand x) { return loops.isUniform(x); });
  return !uniform && loops.getInnerSize() >= worthwhile ? loops.getInnerSize()
                                                        : loops.count;
}

static bool hasOneStride(const Loops &loops, Operand operand, int64_t inner) {
  return inner != loops.count || loops.isUniform(operand);
}

/// A BLAS wants rows or columns of consecutive elements that do not overlap,
/// and counts in int.
bool memopt::cpu::isMatrix(int64_t rows, int64_t columns, int64_t rowStride,
                           int64_t columnStride) {
  return (columnStride == 1 || columns == 1) &&
         (rows == 1 || (rowStride >= columns && rowStride <= INT_MAX)) &&
         columns <= INT_MAX;
}

static Access getAccess(const Layout &layout, Operand operand,
                        const Loops &loops, int64_t inner) {
  int64_t type = operand == A ? layout.aType : layout.bType;
  if (!layout.native && type != layout.computeType)
    return Access::Packed;
  if (!hasOneStride(loops, operand, inner) ||
      !hasOneStride(layout.k, operand, layout.kInner))
    return Access::Packed;
  int64_t stride = loops.getInnerStride(operand);
  int64_t kStride = layout.k.getInnerStride(operand);
  return isMatrix(inner, layout.kInner, stride, kStride) ||
                 isMatrix(layout.kInner, inner, kStride, stride)
             ? Access::Direct
             : Access::Packed;
}

/// Pieces of k are at most so long: packed ones fit the workspace, and a BLAS
/// counts in int.
static constexpr int64_t packedPiece = 512, longest = int64_t(1) << 24;

static bool isPacked(const Layout &layout) {
  return layout.a == Access::Packed || layout.b == Access::Packed;
}

static bool isDirectResult(const Layout &layout, bool hasEpilogue) {
  bool inOnePiece =
      layout.kInner == layout.k.count &&
      layout.k.count <= (isPacked(layout) ? packedPiece : longest);
  bool oneRounding =
      layout.native && layout.cType == MEMOPT_CPU_BF16 && inOnePiece;
  if (hasEpilogue || (layout.cType != layout.computeType && !oneRounding))
    return false;
  return hasOneStride(layout.m, C, layout.mInner) &&
         hasOneStride(layout.n, C, layout.nInner) &&
         isMatrix(layout.mInner, layout.nInner, layout.m.getInnerStride(C),
                  layout.n.getInnerStride(C));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Half of a tile, in the multiples that kernels like.
static int64_t halve(int64_t size) { return (size / 2 + 31) / 32 * 32; }

static void shrink(int64_t &size, int64_t most) {
  while (size > most && halve(size) < size)
    size = halve(size);
}

/// Cuts the longer side in two; false where neither can be cut.
static bool cut(Layout &layout) {
  int64_t &longer = layout.mTile >= layout.nTile ? layout.mTile : layout.nTile;
  if (halve(longer) >= longer)
    return false;
  longer = halve(longer);
  return true;
}

/// Into how many tiles one product is cut. Each tile copies its share of both
/// operands within the BLAS, so fewer are faster, and more keep more threads
/// busy: measured with OpenBLAS on 1040x384x384, 2 tiles cost 3 %, 4 tiles 9 %,
/// 8 tiles 20 % of the time of one thread.
static int64_t getCuts(double flops, int64_t others) {
  static const std::pair<double, int64_t> steps[] = {
      {6.4e10, 64}, {1.6e10, 32}, {4e9, 16}, {1e9, 8}, {2e8, 4}, {1.6e7, 2}};
  for (auto [limit, cuts] : steps)
    if (flops >= limit)
      return std::max<int64_t>(
          1, std::min(cuts, 64 / std::max<int64_t>(others, 1)));
  return 1;
}

/// Our own f32 kernels copy less than a BLAS, and want c in the second cache.
static void cutForThreads(Layout &layout, double flops, int64_t others) {
  if (layout.computeType == MEMOPT_CPU_F32 && !layout.native &&
      getFloatMultiply()) {
    shrink(layout.mTile, 544);
    shrink(layout.nTile, 256);
  }
  int64_t cuts = getCuts(flops, others);
  while (flops > 0 &&
         countTiles(layout.mInner, layout.mInner, layout.mTile) *
                 countTiles(layout.nInner, layout.nInner, layout.nTile) <
             cuts)
    if (!cut(layout))
      break;
}

static void chooseTiles(Layout &layout) {
  layout.mTile = std::max<int64_t>(layout.mInner, 1);
  layout.nTile = std::max<int64_t>(layout.nInner, 1);
  double flops = 2.0 * layout.mInner * layout.nInner * layout.k.count;
  int64_t others = layout.batch.count *
                   (layout.m.count / std::max<int64_t>(layout.mInner, 1)) *
                   (layout.n.count / std::max<int64_t>(layout.nInner, 1));
  cutForThreads(layout, flops, others);

  int64_t bytes = getBytes(layout.computeType);
  while (
      std::max(layout.mTile, layout.nTile) > longest ||
      (layout.privateTile && layout.mTile * layout.nTile * bytes > tileBytes))
    if (!cut(layout))
      break;
  int64_t piece = isPacked(layout) ? packedPiece : longest;
  int64_t pieces = std::max<int64_t>((layout.kInner + piece - 1) / piece, 1);
  layout.kTile = (layout.kInner + pieces - 1) / pieces;
  layout.kTile = std::max<int64_t>(layout.kTile, 1);
  if (layout.a == Access::Packed)
    layout.mTile = std::min(layout.mTile, packBytes / (layout.kTile * bytes));
  if (layout.b == Access::Packed)
    layout.nTile =
        std::min(layout.nTile, packBytes / (layout.kTile * bytes) / 16 * 16);

  double all = flops * others;
  layout.batchTile = all < 4e6
                         ? layout.batch.count
                         : static_cast<int64_t>(1e6 / std::max(flops, 1.));
  layout.batchTile =
      std::max<int64_t>(1, std::min(layout.batchTile, layout.batch.count));
}

int64_t Layout::getTileCount() const {
  if (!batch.count || !m.count || !n.count)
    return 0;
  return countTiles(m.count, mInner, mTile) *
         countTiles(n.count, nInner, nTile);
}

Layout memopt::cpu::makeLayout(const int64_t *shape, bool hasEpilogue,
                               bool native) {
  for (int i = 0; i < 3; ++i)
    if (shape[i] < MEMOPT_CPU_F32 || shape[i] > MEMOPT_CPU_F16)
      fail("no such element type", shape[i]);
  Layout layout{};
  layout.aType = shape[0];
  layout.bType = shape[1];
  layout.cType = shape[2];
  layout.accumulate = shape[3];
  if (layout.accumulate && hasEpilogue)
    fail("an epilogue has nothing to add to", shape[3]);
  bool isDouble = shape[0] == MEMOPT_CPU_F64 || shape[1] == MEMOPT_CPU_F64 ||
                  shape[2] == MEMOPT_CPU_F64;
  layout.computeType = isDouble ? MEMOPT_CPU_F64 : MEMOPT_CPU_F32;
  layout.native = native && !isDouble && shape[0] == MEMOPT_CPU_BF16 &&
                  shape[1] == MEMOPT_CPU_BF16;
  readLoops(shape, layout);
  if (!hasEpilogue && layout.n.getInnerStride(C) != 1 &&
      layout.m.getInnerStride(C) == 1)
    swapOperands(layout);

  bool storesDirectly = !hasEpilogue;
  layout.mInner = storesDirectly ? getInner(layout.m, {A, C}, 16)
                                 : getInner(layout.m, {A}, 16);
  layout.nInner = storesDirectly ? getInner(layout.n, {B, C}, 16)
                                 : getInner(layout.n, {B}, 16);
  layout.kInner = getInner(layout.k, {A, B}, 64);
  layout.a = getAccess(layout, A, layout.m, layout.mInner);
  layout.b = getAccess(layout, B, layout.n, layout.nInner);
  layout.privateTile = !isDirectResult(layout, hasEpilogue);
  chooseTiles(layout);
  return layout;
}
