//===- CpuStep.cpp - a step that runs on the CPU --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuStep.h"
#include "Emitters.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

LogicalResult CpuStep::emitKernel(KernelOp kernel, ArrayRef<Value> buffers) {
  KernelBuilder builder(code, kernel, host, *frame, buffers);
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

Value CpuStep::getSlot(Location loc, Value scalar) {
  Value slot = frame->take(host, loc, 8);
  storeElement(host, loc, values.lookup(scalar), slot);
  return slot;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value CpuStep::getAddress(Location loc, Value buffer, ValueRange indices) {
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

LogicalResult CpuStep::translateAccess(Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp load) {
        Value address = getAddress(loc, load.getMemref(), load.getIndices());
        values.map(load, loadElement(host, loc, load.getType(), address));
        return success();
      })
      .Case([&](memref::StoreOp store) {
        Value address = getAddress(loc, store.getMemref(), store.getIndices());
        storeElement(host, loc, values.lookup(store.getValue()), address);
        return success();
      })
      .Case([&](memref::CopyOp copy) {
        auto type = cast<MemRefType>(copy.getSource().getType());
        int64_t bytes =
            type.getNumElements() * getElementBytes(type.getElementType());
        Value count = LLVM::ConstantOp::create(host, loc, host.getI64Type(),
                                               host.getI64IntegerAttr(bytes));
        LLVM::MemcpyOp::create(host, loc, values.lookup(copy.getTarget()),
                               values.lookup(copy.getSource()), count,
                               /*isVolatile=*/false);
        return success();
      })
      .Default([](Operation *) { return failure(); });
}

/// Scalar ops are cloned; the final conversion knows them.

/// Scalar ops are cloned; the final conversion knows them.
LogicalResult CpuStep::translateScalar(Operation *op) {
  host.clone(*op, values);
  return success();
}
