//===- ReadLoops.cpp - elements of what loops carry -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that changes a tensor element by element, as a scatter that adds, is a
// loop for each element: those of its iterations that change others change
// nothing here. Elements then need no order among each other, and each one is
// made in the order of the iterations.
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/ElementReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace memopt;

FailureOr<Value> ElementReader::readAt(Value value, ArrayRef<Value> indices) {
  return isa<RankedTensorType>(value.getType()) ? read(value, indices)
                                                : readScalar(value);
}

/// `argument` of a body: a number, or a tensor of which element `indices` alone
/// is known. What reads another one depends on the order of elements.
void ElementReader::setCarried(Value argument, Value value,
                               ArrayRef<Value> indices) {
  if (!isa<RankedTensorType>(argument.getType())) {
    seen[{argument.getAsOpaquePointer(), {}}] = value;
    return;
  }
  Indices own(indices);
  setValue(argument, [this, own, value](ArrayRef<Value> at) {
    for (auto [x, y] : llvm::zip_equal(at, own))
      if (x != y && equal.lookup(x) != y)
        return Value();
    return value;
  });
}

/// The loop changes, in each iteration, elements whose index in this dimension
/// is the iteration's number only.
static std::optional<unsigned> findOwnDim(scf::ForOp op) {
  if (op.getNumRegionIterArgs() != 1 || getConstantIntValue(op.getStep()) != 1)
    return std::nullopt;
  Value carried = op.getRegionIterArg(0);
  Value changed = op.getYieldedValues().front();
  while (auto inner = changed.getDefiningOp<scf::ForOp>()) {
    if (inner.getNumRegionIterArgs() != 1 || inner.getInitArgs()[0] != carried)
      return std::nullopt;
    carried = inner.getRegionIterArg(0);
    changed = inner.getYieldedValues().front();
  }
  Value number = op.getInductionVar();
  if (auto insert = changed.getDefiningOp<tensor::InsertOp>())
    if (insert.getDest() == carried)
      for (auto [dim, index] : llvm::enumerate(insert.getIndices()))
        if (index == number)
          return dim;
  if (auto insert = changed.getDefiningOp<tensor::InsertSliceOp>())
    if (insert.getDest() == carried)
      for (auto [dim, offset] : llvm::enumerate(insert.getMixedOffsets()))
        if (dyn_cast<Value>(offset) == number &&
            insert.getStaticSizes()[dim] == 1)
          return dim;
  return std::nullopt;
}

/// Of such a loop the one iteration that reaches the element.
FailureOr<Value> ElementReader::readIteration(scf::ForOp op, unsigned dim,
                                              OpResult result,
                                              ArrayRef<Value> indices) {
  FailureOr<Value> before = read(op.getInitArgs()[0], indices);
  FailureOr<Value> low = readScalar(op.getLowerBound());
  FailureOr<Value> high = readScalar(op.getUpperBound());
  if (failed(before) || failed(low) || failed(high))
    return failure();
  Value above = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                      indices[dim], *low);
  Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                      indices[dim], *high);
  return choose(
      getElementTypeOrSelf(result.getType()),
      arith::AndIOp::create(b, loc, above, below),
      [&] {
        seen[{op.getInductionVar().getAsOpaquePointer(), {}}] = indices[dim];
        setCarried(op.getRegionIterArg(0), *before, indices);
        return read(op.getYieldedValues().front(), indices);
      },
      [&] { return before; });
}

FailureOr<Value> ElementReader::readLoop(scf::ForOp op, OpResult result,
                                         ArrayRef<Value> indices) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!followsLoops || !type || !op.getInductionVar().getType().isIndex())
    return refuse(op);
  if (std::optional<unsigned> dim = findOwnDim(op))
    return readIteration(op, *dim, result, indices);
  SmallVector<Value> inits, bounds;
  for (Value init : op.getInitArgs()) {
    auto other = dyn_cast<RankedTensorType>(init.getType());
    if (isa<ShapedType>(init.getType()) &&
        (!other || other.getShape() != type.getShape()))
      return refuse(op);
    FailureOr<Value> value = readAt(init, indices);
    if (failed(value))
      return failure();
    inits.push_back(*value);
  }
  for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()}) {
    FailureOr<Value> value = readScalar(bound);
    if (failed(value))
      return failure();
    bounds.push_back(*value);
  }
  auto loop =
      scf::ForOp::create(b, loc, bounds[0], bounds[1], bounds[2], inits);
  OpBuilder::InsertionGuard guard(b);
  Scope scope(*this);
  b.setInsertionPointToStart(loop.getBody());
  setCarried(op.getInductionVar(), loop.getInductionVar(), {});
  for (auto [argument, value] :
       llvm::zip_equal(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    setCarried(argument, value, indices);
  SmallVector<Value> next;
  for (Value yielded : op.getYieldedValues()) {
    FailureOr<Value> value = readAt(yielded, indices);
    if (failed(value))
      return failure();
    next.push_back(*value);
  }
  scf::YieldOp::create(b, loc, next);
  return loop.getResult(result.getResultNumber());
}

FailureOr<Value> ElementReader::readBranch(scf::IfOp op, OpResult result,
                                           ArrayRef<Value> indices) {
  if (!followsLoops)
    return refuse(op);
  FailureOr<Value> condition = readScalar(op.getCondition());
  if (failed(condition))
    return failure();
  unsigned number = result.getResultNumber();
  return choose(
      getElementTypeOrSelf(result.getType()), *condition,
      [&] { return readAt(op.thenYield().getOperand(number), indices); },
      [&] { return readAt(op.elseYield().getOperand(number), indices); });
}
