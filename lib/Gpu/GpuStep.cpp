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

int64_t GpuStep::getGlobalsOffset() const {
  return llvm::alignTo(workspace.getEnd(), gpuBoundary);
}

int64_t GpuStep::getSlotsOffset() const {
  return getGlobalsOffset() + llvm::alignTo(globals.getBytes(), gpuBoundary);
}

int64_t GpuStep::getPointersOffset() const {
  return getSlotsOffset() +
         llvm::alignTo(8 * int64_t(slots.size()), gpuBoundary);
}

/// Up to the last byte that is used, on a boundary as the planned arena's.
int64_t GpuStep::getArenaBytes() const {
  int64_t end = workspace.getEnd();
  if (pointers.getBytes())
    end = getPointersOffset() + pointers.getBytes();
  else if (!slots.empty())
    end = getSlotsOffset() + 8 * int64_t(slots.size());
  else if (globals.getBytes())
    end = getGlobalsOffset() + globals.getBytes();
  auto alignment =
      func::FuncOp(step)->getAttrOfType<IntegerAttr>("memopt.arena_alignment");
  return llvm::alignTo(end, alignment.getInt());
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
  LLVM::ConstantOp offset;
  Value place = getArenaPlace(kernel.getLoc(), 0, offset);
  WorkspaceRequest request;
  GpuKernelBuilder builder(launcher, kernel, buffers, getArena(), place,
                           request);
  if (failed(emit(builder)))
    return failure();
  placeWorkspace(kernel, request, offset);
  return success();
}

void GpuStep::placeWorkspace(KernelOp kernel, const WorkspaceRequest &request,
                             LLVM::ConstantOp offset) {
  int64_t least = request.bytes, most = request.bytes;
  for (const WorkspaceRequest::Product &product : request.products) {
    least = std::max(least, product.offset + gpu.chip.leastWorkspaceBytes);
    most = std::max(most, product.offset + gpu.chip.workspaceBytes);
  }
  WorkspacePlan::Place place = workspace.place(kernel, least, most);
  offset.setValueAttr(host.getI64IntegerAttr(place.offset));
  for (WorkspaceRequest::Product product : request.products)
    product.bytes.setValueAttr(host.getI64IntegerAttr(
        std::min(gpu.chip.workspaceBytes, place.bytes - product.offset)));
  for (WorkspaceRequest::Batches batches : request.batches) {
    SmallVector<int64_t, 3> places;
    for (const GpuAddress &operand : batches.operands)
      places.push_back(*operand.place +
                       (operand.isInWorkspace ? place.offset : 0));
    int64_t begin = pointers.add(batches.product, places);
    batches.offset.setValueAttr(host.getI64IntegerAttr(begin));
    pointerPlaces.push_back(batches.offset);
  }
}

void GpuStep::emitPointers() {
  if (!pointers.getBytes())
    return;
  // The frame is free until the first of the other launches fills it.
  auto frameBegin =
      *function.getBody().front().getOps<LLVM::AllocaOp>().begin();
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPointAfter(frameBegin);
  LLVM::ConstantOp offset;
  Value target = getArenaPlace(step.getLoc(), 0, offset);
  pointerPlaces.push_back(offset);
  GpuLauncher launcher = getLauncher();
  pointers.emit(launcher, step.getLoc(), getArena(), target);
  std::rotate(gpu.launches.begin(), gpu.launches.end() - 1, gpu.launches.end());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

unsigned GpuStep::getSlotNumber(Value scalar) {
  return slots.insert({scalar, slots.size()}).first->second;
}

Value GpuStep::getArenaPlace(Location loc, int64_t offset,
                             LLVM::ConstantOp &number) {
  number = getInteger(host, loc, offset).getDefiningOp<LLVM::ConstantOp>();
  return getElementAddress(host, loc, getArena(), host.getI8Type(), number);
}

Value GpuStep::getSlot(Location loc, Value scalar) {
  return getArenaPlace(loc, 8 * getSlotNumber(scalar),
                       slotPlaces.emplace_back());
}

Value GpuStep::getGlobal(memref::GetGlobalOp op) {
  return getArenaPlace(op.getLoc(), globals.getOffset(op),
                       globalPlaces.emplace_back());
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
  emitPointers();
  auto move = [&](ArrayRef<LLVM::ConstantOp> places, int64_t begin) {
    for (LLVM::ConstantOp place : places)
      place.setValueAttr(host.getI64IntegerAttr(
          begin + cast<IntegerAttr>(place.getValue()).getInt()));
  };
  move(globalPlaces, getGlobalsOffset());
  move(slotPlaces, getSlotsOffset());
  move(pointerPlaces, getPointersOffset());
  return success();
}
