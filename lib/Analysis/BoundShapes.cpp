//===- BoundShapes.cpp - from bounded arguments to bounded results --------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundShapes.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// An upper bound of a number that is at least 0; dynamic where none is known.
using Bound = int64_t;
static constexpr Bound unknown = ShapedType::kDynamic;

static Bound smaller(Bound a, Bound b) {
  return a == unknown ? b : b == unknown ? a : std::min(a, b);
}

static Bound add(Bound a, Bound b) {
  Bound sum;
  return a == unknown || b == unknown || llvm::AddOverflow(a, b, sum) ? unknown
                                                                      : sum;
}

static Bound multiply(Bound a, Bound b) {
  Bound product;
  return a == unknown || b == unknown || llvm::MulOverflow(a, b, product)
             ? unknown
             : product;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Bound boundNumber(OpFoldResult number);

/// The op that makes an index, over the bounds of its operands.
static Bound boundIndexOp(Operation *op) {
  auto operand = [&](unsigned i) { return boundNumber(op->getOperand(i)); };
  return TypeSwitch<Operation *, Bound>(op)
      .Case([](tensor::DimOp dim) {
        auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
        std::optional<int64_t> number = dim.getConstantIndex();
        bool isIn = type && number && *number >= 0 && *number < type.getRank();
        return isIn ? type.getDimSize(*number) : unknown;
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](Operation *) { return operand(0); })
      .Case([&](arith::AddIOp) { return add(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1)); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](Operation *) { return smaller(operand(0), operand(1)); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](Operation *) {
        Bound a = operand(0), b = operand(1);
        return a == unknown || b == unknown ? unknown : std::max(a, b);
      })
      .Default(unknown);
}

static Bound boundNumber(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant < 0 ? unknown : *constant;
  auto value = dyn_cast<Value>(number);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  return op ? boundIndexOp(op) : unknown;
}

static SmallVector<Bound> boundNumbers(ArrayRef<OpFoldResult> numbers) {
  return llvm::map_to_vector(numbers, boundNumber);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Each loop is as long as any dimension it walks over; a result dimension that
/// is a loop is as long as that.
static SmallVector<Bound> boundLinalg(linalg::LinalgOp op, OpResult result) {
  SmallVector<Bound> loops(op.getNumLoops(), unknown);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), getShape(operand.get())))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        loops[dim.getPosition()] = smaller(loops[dim.getPosition()], size);
  }
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  SmallVector<Bound> shape(getShape(init->get()));
  AffineMap map = op.getMatchingIndexingMap(init);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      size = smaller(size, loops[dim.getPosition()]);
  return shape;
}

static SmallVector<Bound> boundCollapse(tensor::CollapseShapeOp op) {
  SmallVector<Bound> shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Bound product = 1;
    for (int64_t dimension : group)
      product = multiply(product, getShape(op.getSrc())[dimension]);
    shape.push_back(product);
  }
  return shape;
}

/// Of one dimension cut into several, one that is dynamic has what the static
/// ones leave.
static SmallVector<Bound> boundExpand(tensor::ExpandShapeOp op) {
  SmallVector<Bound> shape = boundNumbers(op.getMixedOutputShape());
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    Bound rest = getShape(op.getSrc())[i];
    for (int64_t dimension : group) {
      int64_t size = op.getResultType().getDimSize(dimension);
      if (rest != unknown && !ShapedType::isDynamic(size) && size > 0)
        rest /= size;
    }
    for (int64_t dimension : group)
      if (op.getResultType().isDynamicDim(dimension))
        shape[dimension] = smaller(shape[dimension], rest);
  }
  return shape;
}

static SmallVector<Bound> boundPad(tensor::PadOp op) {
  SmallVector<Bound> low = boundNumbers(op.getMixedLowPad());
  SmallVector<Bound> high = boundNumbers(op.getMixedHighPad());
  SmallVector<Bound> shape(getShape(op.getSource()));
  for (auto [size, before, after] : llvm::zip_equal(shape, low, high))
    size = add(size, add(before, after));
  return shape;
}

static SmallVector<Bound> boundConcat(tensor::ConcatOp op) {
  SmallVector<Bound> shape(op.getResultType().getRank(), unknown);
  for (auto [i, size] : llvm::enumerate(shape)) {
    Bound sum = 0;
    for (Value input : op.getInputs()) {
      sum = add(sum, getShape(input)[i]);
      size = smaller(size, getShape(input)[i]);
    }
    if (i == op.getDim())
      size = sum;
  }
  return shape;
}

static SmallVector<Bound> boundSlice(tensor::ExtractSliceOp op) {
  SmallVector<Bound> sizes = boundNumbers(op.getMixedSizes());
  SmallVector<Bound> shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!dropped[i])
      shape.push_back(smaller(size, getShape(op.getSource())[i]));
  return shape;
}

/// Of ops that compute element by element every operand has the result's shape.
static SmallVector<Bound> boundElementwise(Operation *op) {
  SmallVector<Bound> shape;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    if (shape.empty())
      shape.assign(getShape(operand).size(), unknown);
    for (auto [size, other] : llvm::zip_equal(shape, getShape(operand)))
      size = smaller(size, other);
  }
  return shape;
}

/// Bounds of a result's dimensions, or nothing where the op is not known.
static SmallVector<Bound> boundResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return boundLinalg(linalgOp, result);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return SmallVector<Bound>(
        getShape(destination.getTiedOpOperand(result)->get()));
  if (op->hasTrait<OpTrait::Elementwise>())
    return boundElementwise(op);
  return TypeSwitch<Operation *, SmallVector<Bound>>(op)
      .Case([](tensor::EmptyOp empty) {
        return boundNumbers(empty.getMixedSizes());
      })
      .Case<tensor::CastOp, FenceOp>([](auto view) -> SmallVector<Bound> {
        if (!isa<RankedTensorType>(view->getOperand(0).getType()))
          return {};
        return SmallVector<Bound>(getShape(view->getOperand(0)));
      })
      .Case(boundCollapse)
      .Case(boundExpand)
      .Case(boundPad)
      .Case(boundConcat)
      .Case(boundSlice)
      .Default(SmallVector<Bound>());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Recomputation moves ops, and a shape is nothing that the plan keeps: it may
/// come from arguments, not from what another op computes.
static LogicalResult checkShapeSources(Operation *op) {
  constexpr StringLiteral hint =
      ": run resolve-shaped-type-result-dims and cse before";
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
        (!type || !type.hasStaticShape()) &&
        !isa<BlockArgument>(getStorage(dim.getSource())))
      return op->emitOpError("measures a tensor that the step computes")
             << hint;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.hasStaticShape() || !isUnread(operand))
      continue;
    Value storage = getStorage(operand.get());
    if (!isa<BlockArgument>(storage) && !isWeightless(storage))
      return op->emitOpError("has its dynamic shape from a tensor that the "
                             "step computes, operand #")
             << operand.getOperandNumber()
             << ": give it a tensor.empty or an argument";
  }
  return success();
}

LogicalResult memopt::boundShapes(Block &block) {
  // Before any type changes: these are about dynamic shapes.
  for (Operation &op : block)
    if (failed(checkShapeSources(&op)))
      return failure();
  for (Operation &op : block)
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || type.hasStaticShape())
        continue;
      SmallVector<Bound> bounds = boundResult(result);
      if (bounds.size() != size_t(type.getRank()))
        continue;
      SmallVector<int64_t> shape(type.getShape());
      for (auto [size, bound] : llvm::zip_equal(shape, bounds))
        if (ShapedType::isDynamic(size))
          size = bound;
      result.setType(type.clone(shape));
    }
  return success();
}
