//===- StepBuilder.cpp - the function that runs a step --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepBuilder.h"
#include "Emitters.h"
#include "MemOpt/Analysis/Storage.h"
#include "Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

LogicalResult StepBuilder::build() {
  if (failed(check()))
    return failure();
  MLIRContext *context = step.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  OpBuilder b = OpBuilder::atBlockEnd(code.getModule().getBody());
  function = LLVM::LLVMFuncOp::create(
      b, step.getLoc(), "memopt_step",
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  {pointer, pointer}));
  Block *entry = function.addEntryBlock(b);
  frame = std::make_unique<StepFrame>(step.getLoc(), entry);
  host.setInsertionPointToEnd(entry);
  bindArguments();
  globals.create(code.getModule(), step.getLoc());
  for (Operation &op : step.getBody().front().without_terminator()) {
    frame->reset();
    if (failed(translate(&op)))
      return failure();
  }
  LLVM::ReturnOp::create(host, step.getLoc(), ValueRange());
  return success();
}

LogicalResult StepBuilder::check() {
  if (!step.getBody().hasOneBlock())
    return step.emitError("the step must be one block: branches between blocks "
                          "have no CPU code");
  if (step.getNumArguments() == 0 || step.getNumResults() != 0)
    return step.emitError("the step must take the arena last and return "
                          "nothing: put memopt-plan-memory before");
  for (BlockArgument argument : step.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return step.emitError("argument #")
             << argument.getArgNumber() << " is a " << argument.getType()
             << "; the step takes contiguous buffers of static shapes";
  }
  return success();
}

/// The arguments are loaded from the array, the last one is the arena.
void StepBuilder::bindArguments() {
  Block *entry = &function.getBody().front();
  Type pointer = entry->getArgument(0).getType();
  for (BlockArgument argument : step.getArguments().drop_back()) {
    Value slot = LLVM::GEPOp::create(
        host, step.getLoc(), pointer, pointer, entry->getArgument(0),
        ArrayRef<LLVM::GEPArg>{int32_t(argument.getArgNumber())});
    values.map(argument,
               LLVM::LoadOp::create(host, step.getLoc(), pointer, slot));
  }
  values.map(step.getArguments().back(), entry->getArgument(1));
}

LogicalResult StepBuilder::translate(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return translateKernel(kernel);
  if (auto done = translateBuffer(op))
    return *done;
  if (auto done = translateAccess(op))
    return *done;
  return translateScalar(op);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

FailureOr<Value> StepBuilder::getPointer(KernelOp kernel, Value operand) {
  if (auto type = dyn_cast<MemRefType>(operand.getType())) {
    if (type.hasStaticShape() && type.getLayout().isIdentity())
      return values.lookup(operand);
    return kernel.emitOpError("has an operand of type ")
           << type << "; kernels read and write contiguous buffers of static "
           << "shapes";
  }
  if (!operand.getType().isIntOrIndexOrFloat())
    return kernel.emitOpError("has an operand of type ")
           << operand.getType() << ", which is neither a buffer nor a number";
  Value slot = frame->take(host, kernel.getLoc(), 8);
  storeElement(host, kernel.getLoc(), values.lookup(operand), slot);
  return slot;
}

static LogicalResult emitKernel(KernelOp kernel, KernelBuilder &builder) {
  switch (kernel.getKind()) {
  case KernelKind::elementwise:
  case KernelKind::row_reduction:
  case KernelKind::column_reduction:
    return emitRows(kernel, builder);
  case KernelKind::contraction:
    return emitContraction(kernel, builder);
  case KernelKind::movement:
    return emitMovement(kernel, builder);
  case KernelKind::opaque:
    return emitOpaque(kernel, builder);
  }
  llvm_unreachable("unknown kind of kernel");
}

LogicalResult StepBuilder::translateKernel(KernelOp kernel) {
  SmallVector<Value> buffers;
  for (Value operand : kernel->getOperands()) {
    FailureOr<Value> pointer = getPointer(kernel, operand);
    if (failed(pointer))
      return failure();
    buffers.push_back(*pointer);
  }
  KernelBuilder builder(code, kernel, host, *frame, buffers);
  return emitKernel(kernel, builder);
}

//===----------------------------------------------------------------------===//
// Buffers and scalars
//===----------------------------------------------------------------------===//

Value StepBuilder::getAddress(Location loc, Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Type i64 = host.getI64Type();
  Value offset =
      LLVM::ConstantOp::create(host, loc, i64, host.getI64IntegerAttr(0));
  for (auto [index, size] : llvm::zip(indices, type.getShape())) {
    Value extent =
        LLVM::ConstantOp::create(host, loc, i64, host.getI64IntegerAttr(size));
    Value at = arith::IndexCastOp::create(host, loc, i64, values.lookup(index));
    offset = LLVM::MulOp::create(host, loc, offset, extent);
    offset = LLVM::AddOp::create(host, loc, offset, at);
  }
  return getElementAddress(host, loc, values.lookup(buffer),
                           type.getElementType(), offset);
}

static bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() && memref.getLayout().isIdentity();
}

std::optional<LogicalResult> StepBuilder::translateBuffer(Operation *op) {
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    if (!view.getSizes().empty())
      return op->emitOpError("of dynamic sizes has no CPU code");
    Value shift =
        arith::IndexCastOp::create(host, op->getLoc(), host.getI64Type(),
                                   values.lookup(view.getByteShift()));
    values.map(view, getElementAddress(host, op->getLoc(),
                                       values.lookup(view.getSource()),
                                       host.getI8Type(), shift));
    return success();
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    values.map(global, globals.getAddress(host, global));
    return success();
  }
  if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
          memref::ReinterpretCastOp>(op)) {
    if (!isContiguous(op->getOperand(0).getType()) ||
        !isContiguous(op->getResult(0).getType()))
      return op->emitOpError("between buffers that are not contiguous has no "
                             "CPU code");
    values.map(op->getResult(0), values.lookup(op->getOperand(0)));
    return success();
  }
  return std::nullopt;
}

std::optional<LogicalResult> StepBuilder::translateAccess(Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](memref::LoadOp load) -> LogicalResult {
        Value address = getAddress(loc, load.getMemref(), load.getIndices());
        values.map(load, loadElement(host, loc, load.getType(), address));
        return success();
      })
      .Case([&](memref::StoreOp store) -> LogicalResult {
        Value address = getAddress(loc, store.getMemref(), store.getIndices());
        storeElement(host, loc, values.lookup(store.getValue()), address);
        return success();
      })
      .Case([&](memref::CopyOp copy) -> LogicalResult {
        auto type = copy.getSource().getType();
        if (!isContiguous(type) || !isContiguous(copy.getTarget().getType()))
          return copy.emitOpError("between buffers that are not contiguous has "
                                  "no CPU code");
        int64_t bytes =
            cast<MemRefType>(type).getNumElements() *
            getElementBytes(cast<MemRefType>(type).getElementType());
        Value count = LLVM::ConstantOp::create(host, loc, host.getI64Type(),
                                               host.getI64IntegerAttr(bytes));
        LLVM::MemcpyOp::create(host, loc, values.lookup(copy.getTarget()),
                               values.lookup(copy.getSource()), count,
                               /*isVolatile=*/false);
        return success();
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Scalar ops are cloned; the final conversion knows them.
LogicalResult StepBuilder::translateScalar(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (op->getNumRegions() || !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar) ||
      !(isMemoryEffectFree(op) || isa<cf::AssertOp>(op)))
    return op->emitOpError("between the kernels of a step has no CPU code");
  host.clone(*op, values);
  return success();
}
