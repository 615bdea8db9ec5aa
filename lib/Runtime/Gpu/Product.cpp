//===- Product.cpp - what cuBLASLt takes as it is -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Runtime/GpuProduct.h"

#include <algorithm>

using namespace memopt::gpu;

namespace {

enum Operand { A, B, C };

struct Loop {
  int64_t size;
  int64_t strides[3];
};

/// The loops of each kind, the last one fastest.
struct Loops {
  std::vector<Loop> ofKind[4];
};

} // namespace

static constexpr const char *kTypeNames[] = {"f32", "f64", "bf16", "f16"};
static constexpr const char *kKindNames[] = {"batch", "m", "n", "k"};
static constexpr const char *kOperandNames[] = {"a", "b", "c"};
/// What cuBLASLt holds in 32 bits.
static constexpr int64_t kMaxSize = INT32_MAX;

int64_t memopt::gpu::getElementBytes(int64_t type) {
  return type == MEMOPT_GPU_F64 ? 8 : type == MEMOPT_GPU_F32 ? 4 : 2;
}

std::string Product::print() const {
  int64_t matrices = batch;
  for (const OuterBatch &loop : outer)
    matrices *= loop.size;
  std::string text = matrices == 1 ? "" : "b" + std::to_string(matrices) + " ";
  return text + "m" + std::to_string(m) + " n" + std::to_string(n) + " k" +
         std::to_string(k) + " " + kTypeNames[aType];
}

int64_t Product::getOuterPoints() const {
  int64_t points = 1;
  for (const OuterBatch &loop : outer)
    points *= loop.size;
  return points;
}

int64_t Product::getOffset(int64_t point, int operand) const {
  const ProductOperand *operands[] = {&a, &b, &c};
  int64_t offset = point % batch * operands[operand]->batchStride;
  point /= batch;
  for (size_t i = outer.size(); i-- > 0;) {
    offset += point % outer[i].size * outer[i].strides[operand];
    point /= outer[i].size;
  }
  return offset;
}

/// An operand's own dimensions: batch all; m a and c; n b and c; k a and b.
static bool isOf(int kind, Operand operand) {
  return kind == MEMOPT_GPU_BATCH || (kind == MEMOPT_GPU_M && operand != B) ||
         (kind == MEMOPT_GPU_N && operand != A) ||
         (kind == MEMOPT_GPU_K && operand != C);
}

/// Whether `inner` goes on where one step of `outer` ends, in all operands.
static bool canJoin(const Loop &outer, const Loop &inner, int kind) {
  for (Operand operand : {A, B, C})
    if (isOf(kind, operand) &&
        outer.strides[operand] != inner.size * inner.strides[operand])
      return false;
  return true;
}

/// Adds an inner loop; loops of one point disappear.
static void addLoop(std::vector<Loop> &loops, const Loop &loop, int kind) {
  if (loop.size == 1)
    return;
  if (loops.empty() || !canJoin(loops.back(), loop, kind)) {
    loops.push_back(loop);
    return;
  }
  Loop joined = loop;
  joined.size *= loops.back().size;
  loops.back() = joined;
}

static bool readLoops(const int64_t *shape, Loops &loops, std::string &why) {
  int64_t count = shape[5];
  if (count < 0 || count > 4 * MEMOPT_GPU_MAX_LOOPS) {
    why = "it has " + std::to_string(count) + " loops";
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t *loop =
        shape + MEMOPT_GPU_SHAPE_HEADER + i * MEMOPT_GPU_SHAPE_LOOP;
    if (loop[0] < 0 || loop[0] > 3 || loop[1] < 0) {
      why = "loop " + std::to_string(i) + " has kind " +
            std::to_string(loop[0]) + " and size " + std::to_string(loop[1]);
      return false;
    }
    addLoop(loops.ofKind[loop[0]], {loop[1], {loop[2], loop[3], loop[4]}},
            int(loop[0]));
  }
  return true;
}

static bool readTypes(const int64_t *shape, Product &product,
                      std::string &why) {
  for (int i = 1; i <= 3; ++i)
    if (shape[i] < 0 || shape[i] > 3) {
      why = "it has the type " + std::to_string(shape[i]);
      return false;
    }
  product.flags = shape[0];
  product.aType = shape[1];
  product.bType = shape[2];
  product.cType = shape[3];
  product.adds = shape[4] != 0;
  bool isNarrow =
      product.aType == MEMOPT_GPU_BF16 || product.aType == MEMOPT_GPU_F16;
  bool isTaken = product.aType == product.bType &&
                 (product.cType == product.aType ||
                  (isNarrow && product.cType == MEMOPT_GPU_F32));
  if (!isTaken)
    why = std::string("cuBLASLt has no product ") + kTypeNames[product.aType] +
          " x " + kTypeNames[product.bType] + " -> " +
          kTypeNames[product.cType];
  return isTaken;
}

/// The matrix of an operand, whose rows and columns are these kinds.
static bool readMatrix(Operand operand, int rowKind, int columnKind,
                       const int64_t *sizes, const int64_t (*strides)[3],
                       ProductOperand &matrix, std::string &why) {
  int64_t rows = sizes[rowKind], columns = sizes[columnKind];
  int64_t row = strides[rowKind][operand],
          column = strides[columnKind][operand];
  // The stride of a dimension of one point is never used. What it stands for is
  // chosen so that the matrix is stored by rows, unless it is one column.
  if (columns == 1 && rows > 1)
    column = row == 1 ? rows : 1;
  else if (columns == 1)
    column = 1;
  if (rows == 1)
    row = column == 1 ? columns : 1;
  bool byRows = column == 1 && row >= columns;
  bool byColumns = row == 1 && column >= rows;
  if (!byRows && !byColumns) {
    why = std::string("the strides of ") + kOperandNames[operand] + " are " +
          std::to_string(row) + " for " + kKindNames[rowKind] + " (" +
          std::to_string(rows) + ") and " + std::to_string(column) + " for " +
          kKindNames[columnKind] + " (" + std::to_string(columns) + ")";
    return false;
  }
  matrix.rowStride = row;
  matrix.columnStride = column;
  return true;
}

/// The longest batch loop becomes the strided batch, the others stay outside.
static void readBatches(const std::vector<Loop> &loops, Product &product) {
  size_t longest = 0;
  for (size_t i = 1; i < loops.size(); ++i)
    if (loops[i].size > loops[longest].size)
      longest = i;
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t *strides = loops[i].strides;
    if (i == longest) {
      product.batch = loops[i].size;
      product.a.batchStride = strides[A];
      product.b.batchStride = strides[B];
      product.c.batchStride = strides[C];
    } else {
      product.outer.push_back(
          {loops[i].size, {strides[A], strides[B], strides[C]}});
    }
  }
}

std::optional<Product> memopt::gpu::getProduct(const int64_t *shape,
                                               bool hasBias, std::string &why) {
  Product product;
  Loops loops;
  if (!readTypes(shape, product, why) || !readLoops(shape, loops, why))
    return std::nullopt;
  int64_t sizes[4] = {1, 1, 1, 1}, strides[4][3] = {};
  for (int kind : {MEMOPT_GPU_M, MEMOPT_GPU_N, MEMOPT_GPU_K}) {
    const std::vector<Loop> &list = loops.ofKind[kind];
    if (list.size() > 1) {
      why = std::string("the loops of ") + kKindNames[kind] +
            " form no one dimension";
      return std::nullopt;
    }
    if (list.empty())
      continue;
    sizes[kind] = list[0].size;
    std::copy_n(list[0].strides, 3, strides[kind]);
  }
  product.m = sizes[MEMOPT_GPU_M];
  product.n = sizes[MEMOPT_GPU_N];
  product.k = sizes[MEMOPT_GPU_K];
  readBatches(loops.ofKind[MEMOPT_GPU_BATCH], product);
  int64_t points = product.batch;
  for (const OuterBatch &loop : product.outer)
    points = loop.size ? points : 0;
  if (!product.m || !product.n || !product.k || !points) {
    why = "it is empty";
    return std::nullopt;
  }
  if (std::max({product.m, product.n, product.k, product.batch}) > kMaxSize) {
    why = "a size is above " + std::to_string(kMaxSize);
    return std::nullopt;
  }
  if (!readMatrix(A, MEMOPT_GPU_M, MEMOPT_GPU_K, sizes, strides, product.a,
                  why) ||
      !readMatrix(B, MEMOPT_GPU_K, MEMOPT_GPU_N, sizes, strides, product.b,
                  why) ||
      !readMatrix(C, MEMOPT_GPU_M, MEMOPT_GPU_N, sizes, strides, product.c,
                  why))
    return std::nullopt;
  if (hasBias && product.c.columnStride != 1) {
    why = "it has a bias, and c is stored by columns";
    return std::nullopt;
  }
  return product;
}
