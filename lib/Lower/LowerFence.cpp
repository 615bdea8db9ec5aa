//===- LowerFence.cpp - fences in upstream dialects -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

/// Whether an element of type `type` gives a condition.
static bool hasBits(Type type) {
  return isa<FloatType, IntegerType, IndexType>(type);
}

/// A condition that is always true and that nothing can fold without knowing
/// so: the bits of the first element of `after`, or 1, are not 0. It stands
/// inside a body, so that nothing is read where there is nothing to compute.
static Value buildCondition(ImplicitLocOpBuilder &b, Value after) {
  int64_t rank = cast<RankedTensorType>(after.getType()).getRank();
  Value zero = rank ? integer(b, b.getIndexType(), 0) : Value();
  Value bits =
      tensor::ExtractOp::create(b, after, SmallVector<Value>(rank, zero));
  Type type = bits.getType();
  if (type.isInteger(1)) { // "or true" folds, and so does what has range 0..1
    type = b.getF32Type();
    bits = arith::UIToFPOp::create(b, type, bits);
  }
  if (isa<FloatType>(type)) {
    type = b.getIntegerType(type.getIntOrFloatBitWidth());
    bits = arith::BitcastOp::create(b, type, bits);
  }
  bits = arith::OrIOp::create(b, bits, integer(b, type, 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits,
                               integer(b, type, 0));
}

/// `value`, or a zero under a condition that never holds.
static Value buildSelect(ImplicitLocOpBuilder &b, Value value, Value after) {
  Value zero = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::SelectOp::create(b, buildCondition(b, after), value, zero);
}

/// Lets the generic that owns `use` read the fence's operand, and select its
/// elements in the body.
static void moveIntoBody(IRRewriter &rewriter, FenceOp fence, OpOperand &use) {
  auto generic = cast<linalg::GenericOp>(use.getOwner());
  BlockArgument argument =
      generic.getBody()->getArgument(use.getOperandNumber());
  rewriter.modifyOpInPlace(generic, [&] { use.set(fence.getX()); });
  if (argument.use_empty())
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(generic.getBody());
  ImplicitLocOpBuilder b(fence.getLoc(), rewriter);
  Value selected = buildSelect(b, argument, fence.getAfter());
  rewriter.replaceUsesWithIf(argument, selected, [&](OpOperand &inner) {
    return inner.getOwner() != selected.getDefiningOp();
  });
}

/// Lets the generic that owns `use`, an init of which it reads no element,
/// select the elements that it writes there.
static void moveBehindBody(IRRewriter &rewriter, FenceOp fence,
                           OpOperand &use) {
  auto generic = cast<linalg::GenericOp>(use.getOwner());
  Operation *yield = generic.getBody()->getTerminator();
  OpOperand &yielded =
      yield->getOpOperand(use.getOperandNumber() - generic.getNumDpsInputs());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  ImplicitLocOpBuilder b(fence.getLoc(), rewriter);
  Value selected = buildSelect(b, yielded.get(), fence.getAfter());
  rewriter.modifyOpInPlace(yield, [&] { yielded.set(selected); });
  rewriter.modifyOpInPlace(generic, [&] { use.set(fence.getX()); });
}

/// Moves the fence into the reader that owns `use` where it has a body to put
/// the select in; one that asks only for a size needs none.
static void moveIntoReader(IRRewriter &rewriter, FenceOp fence,
                           OpOperand &use) {
  if (isa<tensor::DimOp>(use.getOwner()))
    return rewriter.modifyOpInPlace(use.getOwner(),
                                    [&] { use.set(fence.getX()); });
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (generic && generic.isDpsInput(&use))
    moveIntoBody(rewriter, fence, use);
  else if (generic && !generic.payloadUsesValueFromOperand(&use))
    moveBehindBody(rewriter, fence, use);
}

LogicalResult memopt::lowerFence(IRRewriter &rewriter, FenceOp op) {
  auto after = cast<RankedTensorType>(op.getAfter().getType());
  auto type = cast<RankedTensorType>(op.getX().getType());
  if (llvm::is_contained(type.getShape(), 0)) { // no element, nothing to fence
    rewriter.replaceOp(op, op.getX());
    return success();
  }
  if (llvm::is_contained(after.getShape(), 0))
    return op.emitOpError("cannot wait for ")
           << after << ", which has no element to read";
  for (RankedTensorType tensor : {after, type})
    if (!hasBits(tensor.getElementType()))
      return op.emitOpError("cannot select on elements of type ")
             << tensor.getElementType()
             << ": expected a float, integer or index type";
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
    moveIntoReader(rewriter, op, use);
  if (op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getX());
  AffineMap loops = b.getMultiDimIdentityMap(type.getRank());
  Value fenced =
      buildParallel(b, {{op.getX(), loops}}, sizes, type.getElementType(),
                    [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                      return buildSelect(inner, args[0], op.getAfter());
                    });
  rewriter.replaceOp(op, fenced);
  return success();
}
