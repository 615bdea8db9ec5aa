//===- KernelBody.cpp - the body of a kernel in the making
//------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "MemOpt/Analysis/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

std::optional<int64_t> memopt::getMeasure(Operation *op) {
  if (!isa<tensor::DimOp, tensor::RankOp>(op))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type)
    return std::nullopt;
  if (isa<tensor::RankOp>(op))
    return type.getRank();
  std::optional<int64_t> index = cast<tensor::DimOp>(op).getConstantIndex();
  if (!index || *index < 0 || *index >= type.getRank() ||
      type.isDynamicDim(*index))
    return std::nullopt;
  return type.getDimSize(*index);
}

void memopt::forEachOutsideOperand(Operation *op,
                                   function_ref<void(OpOperand &)> visit) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      // Null in a body that no kernel holds yet.
      Operation *owner = operand.get().getParentBlock()->getParentOp();
      if (!owner || !op->isAncestor(owner))
        visit(operand);
    }
  });
}

KernelBody::KernelBody(const BuiltStepGraph &built, Block &step)
    : built(built), step(step), builder(step.getParentOp()->getContext()) {
  builder.setInsertionPointToStart(&region.emplaceBlock());
}

void KernelBody::add(Operation *op) { clone(op); }

/// An empty of the operand's shape where only that is used and is known; what
/// another op computes is nothing to read.
static Value buildEmpty(OpBuilder &builder, OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!isUnread(operand) || !type || !type.hasStaticShape())
    return {};
  return tensor::EmptyOp::create(builder, operand.getOwner()->getLoc(),
                                 type.getShape(), type.getElementType());
}

void KernelBody::clone(Operation *op) {
  SmallVector<Value> empties; // one for each outside operand, or null
  forEachOutsideOperand(op, [&](OpOperand &operand) {
    empties.push_back(buildEmpty(builder, operand));
    if (!empties.back())
      get(operand.get());
  });
  Operation *copy = op->clone(mapping);
  const auto *next = empties.begin();
  // The clone is walked as the op was, and its outside operands are those that
  // it does not make itself.
  forEachOutsideOperand(copy, [&](OpOperand &operand) {
    if (Value empty = *next++)
      operand.set(empty);
  });
  builder.insert(copy);
}

Value KernelBody::get(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value result;
  if (op && op->getBlock() == &step && !built.opIndex.contains(op)) {
    result = addGlue(cast<OpResult>(value));
  } else if (Value source = getViewedValue(value)) {
    result = addView(cast<OpResult>(value), source);
  } else {
    inputs.push_back(value);
    result = region.front().addArgument(value.getType(), value.getLoc());
  }
  mapping.map(value, result);
  return result;
}

Value KernelBody::addGlue(OpResult value) {
  Operation *op = value.getOwner();
  if (auto fence = dyn_cast<FenceOp>(op))
    return get(fence.getX());
  if (std::optional<int64_t> measure = getMeasure(op))
    return arith::ConstantIndexOp::create(builder, op->getLoc(), *measure);
  if (op->getNumResults() > 1)
    if (Value source = getViewedValue(value))
      return addView(value, source);
  clone(op);
  return mapping.lookup(value);
}

/// One result of a linalg op that hands on an operand, without the others.
Value KernelBody::addView(OpResult value, Value source) {
  auto op = cast<linalg::LinalgOp>(value.getOwner());
  OpOperand *input =
      llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
        return operand.get() == source;
      });
  OpOperand *init = op.getDpsInitOperand(value.getResultNumber());
  Value operand = get(source);
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        type.getElementType());
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(type), operand, empty,
      ArrayRef<AffineMap>{op.getMatchingIndexingMap(input),
                          op.getMatchingIndexingMap(init)},
      op.getIteratorTypesArray(),
      [](OpBuilder &inner, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(inner, loc, arguments.front());
      });
  return generic.getResult(0);
}

KernelOp KernelBody::finish(OpBuilder &outer, Location loc, KernelKind kind,
                            ValueRange operands, ArrayRef<Value> outputs) {
  SmallVector<Value> yielded, inits;
  SmallVector<Type> types;
  for (Value output : outputs) {
    yielded.push_back(get(output));
    auto type = cast<RankedTensorType>(output.getType());
    types.push_back(type);
    inits.push_back(tensor::EmptyOp::create(outer, loc, type.getShape(),
                                            type.getElementType()));
  }
  YieldOp::create(builder, loc, yielded);
  auto kernel = KernelOp::create(outer, loc, types, kind, operands, inits,
                                 DenseI64ArrayAttr());
  kernel.getBody().takeBody(region);
  return kernel;
}
