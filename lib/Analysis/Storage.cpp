//===- Storage.cpp - which values share one buffer ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Analysis/FenceCondition.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The input that a parallel linalg op hands on unchanged as its result
/// `number`.
static Value getYieldedInput(linalg::LinalgOp op, unsigned number) {
  Block *body = op.getBlock();
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::hasSingleElement(*body))
    return {};
  auto argument =
      dyn_cast<BlockArgument>(body->getTerminator()->getOperand(number));
  if (!argument || argument.getOwner() != body ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return {};
  return op.getDpsInputOperand(argument.getArgNumber())->get();
}

Value memopt::getViewedValue(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || !isa<TensorType>(value.getType()))
    return {};
  Operation *op = result.getOwner();
  Value source;
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::ReshapeOp, FenceOp>(op))
    source = op->getOperand(0);
  else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    source = getYieldedInput(linalgOp, result.getResultNumber());
  return source && isa<TensorType>(source.getType()) ? source : Value();
}

Value memopt::getStorage(Value value) {
  while (Value source = getViewedValue(value))
    value = source;
  return value;
}

bool memopt::isWeightless(Value root) {
  if (!isa<TensorType>(root.getType()))
    return true;
  Operation *op = root.getDefiningOp();
  return !op || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

bool memopt::isUnread(OpOperand &operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  return op && !op.payloadUsesValueFromOperand(&operand);
}

static bool readsElements(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<tensor::DimOp, tensor::RankOp>(op))
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.payloadUsesValueFromOperand(&operand);
  if (auto kernel = dyn_cast<KernelOp>(op))
    return !kernel.isDpsInit(&operand);
  // The fence's second operand is only waited for, in the dialect or upstream.
  if (isa<FenceOp>(op))
    return false;
  if (auto element = dyn_cast<tensor::ExtractOp>(op))
    return !isOnlyWaitedFor(element);
  return true;
}

static bool isView(Operation *op) {
  return op->getNumResults() && llvm::all_of(op->getResults(), getViewedValue);
}

void memopt::forEachRead(Operation *op, function_ref<void(Value)> callback) {
  op->walk([&](Operation *inner) {
    if (isView(inner))
      return;
    for (OpOperand &operand : inner->getOpOperands()) {
      Value storage = getStorage(operand.get());
      Operation *owner = storage.getParentBlock()->getParentOp();
      if (!op->isAncestor(owner) && readsElements(operand))
        callback(operand.get());
    }
  });
}

//===----------------------------------------------------------------------===//
// Flow through a block
//===----------------------------------------------------------------------===//

BlockFlow::BlockFlow(Block &block) : block(block) {
  for (Operation &op : block)
    if (computesFromConstants(&op))
      flags[&op] |= constant;
  for (Operation &op : llvm::reverse(block)) {
    bool isUsed = llvm::any_of(op.getUses(), [&](OpOperand &use) {
      return !isUnread(use) &&
             isLive(block.findAncestorOpInBlock(*use.getOwner()));
    });
    if (isUsed || op.hasTrait<OpTrait::IsTerminator>() ||
        !isMemoryEffectFree(&op))
      flags[&op] |= live;
  }
}

bool BlockFlow::isConstant(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block && (flags.lookup(op) & constant);
}

bool BlockFlow::computesFromConstants(Operation *op) const {
  if (!isMemoryEffectFree(op))
    return false;
  bool result = true;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        result &= isConstant(operand);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Bytes of one element; 0 where the type has no size.
static int64_t getElementBytes(Type type) {
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  if (type.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBytes(complex.getElementType());
  return 0;
}

std::optional<int64_t> memopt::getByteSize(Type type, std::string *why) {
  auto fail = [&](const Twine &reason) {
    if (why)
      *why = reason.str();
    return std::nullopt;
  };
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return fail("it is no ranked tensor");
  if (tensor.getEncoding())
    return fail("its encoding may change its size");
  int64_t bytes = getElementBytes(tensor.getElementType());
  if (!bytes)
    return fail("its element type has no size");
  bool overflow = false;
  for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
    if (ShapedType::isDynamic(size))
      return fail("dimension " + Twine(i) + " is dynamic");
    if (size == 0) // later sizes may overflow on the way to a product of 0
      return 0;
    overflow |= llvm::MulOverflow(bytes, size, bytes);
  }
  if (overflow)
    return fail("its bytes pass 2^63 - 1");
  return bytes;
}

FailureOr<int64_t> memopt::requireByteSize(Value value) {
  std::string why;
  if (std::optional<int64_t> bytes = getByteSize(value.getType(), &why))
    return *bytes;
  InFlightDiagnostic diag = emitError(value.getLoc());
  if (auto argument = dyn_cast<BlockArgument>(value))
    diag << "argument #" << argument.getArgNumber() << " is";
  else
    diag << "'" << value.getDefiningOp()->getName() << "' makes";
  diag << " a " << value.getType() << " of unknown size: " << why;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && !type.hasStaticShape())
    diag << "; memopt-specialize-shapes gives it a size";
  return diag;
}
