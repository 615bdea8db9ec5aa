//===- GpuStep.cpp - a step that runs on a GPU ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuStep.h"
#include "Emitters.h"
#include "MemOpt/Codegen/Memory.h"
#include "ScalarKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// What cudaMalloc gives, and more than any access asks for.
static constexpr int64_t boundary = 256;

int64_t GpuStep::getGlobalsOffset() const {
  return llvm::alignTo(plannedBytes, boundary);
}

int64_t GpuStep::getSlotsOffset() const {
  return getGlobalsOffset() + llvm::alignTo(globals.getBytes(), boundary);
}

int64_t GpuStep::getWorkspaceOffset() const {
  return getSlotsOffset() + llvm::alignTo(8 * int64_t(slots.size()), boundary);
}

static Value getInteger(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                  b.getI64IntegerAttr(value));
}

Value GpuStep::getArena() { return function.getBody().getArgument(1); }

GpuLauncher GpuStep::getLauncher() {
  if (!imageBytes) {
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    imageBytes =
        getInteger(b, step.getLoc(), 0).getDefiningOp<LLVM::ConstantOp>();
  }
  return GpuLauncher(gpu, host, *frame, imageBytes);
}

void GpuStep::setImageBytes(int64_t bytes) {
  if (imageBytes)
    imageBytes.setValueAttr(host.getI64IntegerAttr(bytes));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static LogicalResult emit(GpuKernelBuilder &builder) {
  switch (builder.getKernel().getKind()) {
  case KernelKind::elementwise:
  case KernelKind::row_reduction:
  case KernelKind::column_reduction:
    return emitGpuRows(builder);
  case KernelKind::contraction:
    return emitGpuContraction(builder);
  case KernelKind::movement:
    return emitGpuMovement(builder);
  case KernelKind::opaque:
    return emitGpuOpaque(builder);
  }
  llvm_unreachable("unknown kind of kernel");
}

LogicalResult GpuStep::emitKernel(KernelOp kernel, ArrayRef<Value> buffers) {
  flush();
  GpuLauncher launcher = getLauncher();
  Value offset = getInteger(host, kernel.getLoc(), 0);
  workspaceOffsets.push_back(offset.getDefiningOp<LLVM::ConstantOp>());
  Value workspace = getElementAddress(host, kernel.getLoc(), getArena(),
                                      host.getI8Type(), offset);
  GpuKernelBuilder builder(launcher, kernel, buffers, workspace);
  return emit(builder);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

unsigned GpuStep::getSlotNumber(Value scalar) {
  return slots.insert({scalar, slots.size()}).first->second;
}

Value GpuStep::getArenaPlace(Location loc, int64_t offset) {
  return getElementAddress(host, loc, getArena(), host.getI8Type(),
                           getInteger(host, loc, offset));
}

Value GpuStep::getSlot(Location loc, Value scalar) {
  return getArenaPlace(loc, getSlotsOffset() + 8 * getSlotNumber(scalar));
}

Value GpuStep::getGlobal(memref::GetGlobalOp op) {
  return getArenaPlace(op.getLoc(), getGlobalsOffset() + globals.getOffset(op));
}

LogicalResult GpuStep::translateAccess(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    flush();
    GpuLauncher launcher = getLauncher();
    emitCopyKernel(
        launcher, copy.getLoc(), cast<MemRefType>(copy.getSource().getType()),
        values.lookup(copy.getSource()), values.lookup(copy.getTarget()));
    return success();
  }
  pending.push_back(op);
  return success();
}

/// Constants are host values as well: a view's place is one.
LogicalResult GpuStep::translateScalar(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    host.clone(*op, values);
  pending.push_back(op);
  return success();
}

/// True for a result that something behind the waiting ops reads.
static bool isReadLater(Value result, ArrayRef<Operation *> ops) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    return !isa<memref::ViewOp>(user) && !llvm::is_contained(ops, user);
  });
}

void GpuStep::flush() {
  SmallVector<Operation *> ops = std::move(pending);
  pending.clear();
  ScalarKernel kernel;
  kernel.ops = ops;
  llvm::SetVector<Value> inside;
  bool acts = false;
  for (Operation *op : ops) {
    acts |= isa<memref::StoreOp, cf::AssertOp>(op);
    for (Value operand : op->getOperands()) {
      if (isa<MemRefType>(operand.getType()))
        kernel.pointers.insert({operand, values.lookup(operand)});
      else if (!inside.contains(operand))
        kernel.pointers.insert({operand, getSlot(op->getLoc(), operand)});
    }
    for (Value result : op->getResults()) {
      inside.insert(result);
      if (isReadLater(result, ops))
        kernel.results.insert({result, getSlot(op->getLoc(), result)});
    }
  }
  if (!acts && kernel.results.empty())
    return;
  GpuLauncher launcher = getLauncher();
  emitScalarKernel(launcher, kernel);
}

LogicalResult GpuStep::finish() {
  flush();
  for (LLVM::ConstantOp offset : workspaceOffsets)
    offset.setValueAttr(host.getI64IntegerAttr(getWorkspaceOffset()));
  return success();
}
