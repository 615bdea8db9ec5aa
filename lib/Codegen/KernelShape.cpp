//===- KernelShape.cpp - points and rows of a kernel ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace mlir;
using namespace memopt;

bool memopt::reduces(linalg::LinalgOp op) {
  if (op.hasDynamicShape())
    return false;
  for (auto [range, type] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction && range != 1)
      return true;
  return false;
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// The shape of one reduction: rows where only trailing loops are reduced.
static KernelShape getReductionShape(linalg::LinalgOp op) {
  KernelShape shape;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  shape.points = getProduct(ranges);
  int64_t rows = 1;
  bool reduced = false;
  for (auto [range, type] : llvm::zip(ranges, op.getIteratorTypesArray())) {
    if (range == 1)
      continue;
    if (type == utils::IteratorType::reduction)
      reduced = true;
    else if (reduced)
      return shape; // a column
    else
      rows *= range;
  }
  shape.rows = rows;
  return shape;
}

static LogicalResult checkSame(Operation *op, StringRef what, int64_t known,
                               int64_t now) {
  if (known == now)
    return success();
  return op->emitOpError("runs over ")
         << now << " " << what << ", another reduction of its kernel over "
         << known << ": one kernel has no loops for both";
}

/// The shape that the outputs of a kernel without reductions share: each has an
/// element a point or an element a row.
static KernelShape getOutputShape(ArrayRef<Value> outputs) {
  KernelShape shape{0, 0};
  int64_t fewest = -1;
  for (Value output : outputs) {
    int64_t count = cast<RankedTensorType>(output.getType()).getNumElements();
    shape.points = std::max(shape.points, count);
    fewest = fewest < 0 ? count : std::min(fewest, count);
  }
  if (fewest > 0 && fewest < shape.points && shape.points % fewest == 0)
    shape.rows = fewest;
  return shape;
}

FailureOr<KernelShape> memopt::getKernelShape(KernelOp kernel,
                                              ArrayRef<Value> outputs) {
  std::optional<KernelShape> shape;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    if (!reduces(op))
      continue;
    KernelShape own = getReductionShape(op);
    if (shape && failed(checkSame(op, "points", shape->points, own.points)))
      return failure();
    // A sum of columns may stand beside sums of rows.
    if (shape && shape->rows && own.rows &&
        failed(checkSame(op, "rows", shape->rows, own.rows)))
      return failure();
    if (!shape || own.rows)
      shape = own;
  }
  return shape ? *shape : getOutputShape(outputs);
}
