//===- Fences.cpp - what keeps recomputation apart ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fences.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Analysis/Repeats.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace memopt;

/// Has an element to read. A dynamic dimension is planned only within bounds,
/// and then it is at least 1.
static bool holdsNumbers(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIntOrIndexOrFloat() &&
         !llvm::is_contained(tensor.getShape(), 0);
}

/// True where the bytes of `value` come from elsewhere than a constant or
/// splat.
static bool hasContents(Value value) {
  Value storage = getStorage(value);
  return isa<BlockArgument>(storage) || !isWeightless(storage);
}

Value memopt::chooseFenced(Operation *op) {
  if (isa_and_nonnull<MemOptDialect>(op->getDialect()))
    return op->getOperand(0);
  Value best;
  std::tuple<bool, bool, int64_t> bestRank;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !type.getElementType().isIntOrIndexOrFloat())
      continue;
    bool isRead = !isUnread(operand) && hasContents(operand.get());
    std::tuple<bool, bool, int64_t> rank{!isRead, !holdsNumbers(type),
                                         getByteSize(type).value_or(0)};
    if (!best || rank < bestRank) {
      best = operand.get();
      bestRank = rank;
    }
  }
  return best;
}

Value memopt::getAwaited(Operation *op) {
  Value awaited;
  for (Value result : op->getResults())
    // An unused result of a memopt op is never made.
    if (holdsNumbers(result.getType()) && !result.use_empty())
      awaited = result;
  return awaited;
}

LogicalResult memopt::requireUnplanned(func::FuncOp function, StringRef pass) {
  if (!function->hasAttr(planAttrName))
    return success();
  return emitError(function.getLoc())
         << pass << ": the step was rematerialized already";
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

static void fence(Operation *op, Value awaited) {
  Value value = chooseFenced(op);
  if (!value)
    return;
  OpBuilder builder(op);
  Value late =
      FenceOp::create(builder, op->getLoc(), value.getType(), value, awaited);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value)
      operand.set(late);
}

void memopt::fenceRepeats(Block &body, Operation *lastForward) {
  Repeats repeats;
  llvm::DenseSet<Operation *> inForward;
  bool forward = true;
  Value awaited;
  for (Operation &op : body.without_terminator()) {
    bool isGlue = makesNoStorage(&op);
    Operation *same = repeats.find(&op);
    if (same && !isGlue && !forward && awaited && inForward.contains(same)) {
      fence(&op, awaited);
      same = nullptr;
    }
    if (same) {
      repeats.unify(&op, same);
    } else {
      repeats.record(&op);
      if (forward)
        inForward.insert(&op);
    }
    if (Value result = isGlue ? Value() : getAwaited(&op))
      awaited = result;
    forward &= &op != lastForward;
  }
}
