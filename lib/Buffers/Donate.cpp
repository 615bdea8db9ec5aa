//===- Donate.cpp - results that take the place of arguments -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Donate.h"
#include "MemOpt/Analysis/Iteration.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

/// True where `op` walks over `points` points, reads `storage` at each and
/// nowhere else.
static bool readsAtPoint(Operation *op, Value storage, int64_t points) {
  FailureOr<Iteration> iteration = getIteration(op);
  return succeeded(iteration) && iteration->points == points &&
         iteration->opClass == OpClass::Elementwise &&
         iteration->aligned.contains(storage);
}

/// True where the kernel reads input `input` only at the point at which it
/// writes output `output`, which has the same type.
static bool matchesPoints(KernelOp kernel, int64_t input, int64_t output) {
  if (kernel.getKind() != KernelKind::elementwise)
    return false;
  Block &body = kernel.getBody().front();
  Value read = body.getArgument(input);
  int64_t points = cast<ShapedType>(read.getType()).getNumElements();
  for (Operation &op : body.without_terminator()) {
    bool reads = false;
    forEachRead(&op, [&](Value value) { reads |= getStorage(value) == read; });
    if (reads && !readsAtPoint(&op, read, points))
      return false;
  }
  Value written = kernel.getYielded()[output];
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      written.getDefiningOp()))
    written = written.getDefiningOp()->getOperand(0);
  Operation *writer = written.getDefiningOp();
  if (!writer || getViewedValue(written))
    return false;
  FailureOr<Iteration> iteration = getIteration(writer);
  return succeeded(iteration) && iteration->points == points &&
         iteration->opClass == OpClass::Elementwise;
}

/// The number of the input through which the kernel is the last to read
/// `argument`; -1 where it is not, or reads it twice.
static int64_t getLastRead(KernelOp kernel, BlockArgument argument) {
  int64_t input = -1;
  for (OpOperand &use : argument.getUses()) {
    if (use.getOwner() != kernel) {
      // What only reads earlier is done; a view or a result is not followed.
      if (!isa<KernelOp>(use.getOwner()) ||
          !use.getOwner()->isBeforeInBlock(kernel))
        return -1;
      continue;
    }
    if (input >= 0 || kernel.isDpsInit(&use))
      return -1;
    input = use.getOperandNumber();
  }
  return input;
}

static bool takePlace(OpResult result, BlockArgument argument) {
  auto kernel = cast<KernelOp>(result.getOwner());
  if (result.getType() != argument.getType())
    return false;
  int64_t output = result.getResultNumber();
  int64_t input = getLastRead(kernel, argument);
  if (input < 0 || !matchesPoints(kernel, input, output))
    return false;
  SmallVector<int64_t> pairs;
  if (std::optional<ArrayRef<int64_t>> before = kernel.getInPlace())
    llvm::append_range(pairs, *before);
  pairs.append({output, input});
  kernel.setInPlace(pairs);
  kernel.getOutputsMutable()[output].assign(argument);
  return true;
}

SmallVector<int64_t> memopt::updateInPlace(func::FuncOp step,
                                           ArrayRef<int64_t> donated) {
  SmallVector<int64_t> taken;
  llvm::DenseSet<Value> placed;
  for (Value value : step.front().getTerminator()->getOperands()) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || !isa<KernelOp>(result.getOwner()) ||
        !placed.insert(value).second)
      continue;
    for (int64_t number : donated)
      if (!llvm::is_contained(taken, number) &&
          takePlace(result, step.getArgument(number))) {
        taken.push_back(number);
        break;
      }
  }
  llvm::sort(taken);
  return taken;
}
