//===- ScalarKernel.cpp - scalars between kernels -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarKernel.h"
#include "MemOpt/Codegen/IndexCode.h"
#include "MemOpt/Codegen/Memory.h"
#include "ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

namespace {
class ScalarWriter {
public:
  ScalarWriter(OpBuilder &b, IRMapping &values) : b(b), values(values) {}

  void write(Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value address = getAddress(op, load.getMemref(), load.getIndices());
      values.map(load.getResult(),
                 loadElement(b, op->getLoc(), load.getType(), address));
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value address = getAddress(op, store.getMemref(), store.getIndices());
      storeElement(b, op->getLoc(), values.lookup(store.getValue()), address);
    } else {
      b.clone(*op, values);
    }
  }

private:
  Value getAddress(Operation *op, Value buffer, ValueRange indices) {
    auto type = cast<MemRefType>(buffer.getType());
    IndexCode math{b, op->getLoc()};
    SmallVector<Value> at;
    for (Value index : indices)
      at.push_back(values.lookup(index));
    return getElementAddress(b, op->getLoc(), values.lookup(buffer),
                             type.getElementType(),
                             math.toI64(math.linearize(at, type.getShape())));
  }

  OpBuilder &b;
  IRMapping &values;
};
} // namespace

void memopt::emitScalarKernel(GpuLauncher &launcher,
                              const ScalarKernel &kernel) {
  Location loc = kernel.ops.front()->getLoc();
  SmallVector<GpuParameter> parameters;
  for (auto &[value, pointer] : kernel.pointers)
    parameters.push_back({pointer, 0, /*alone=*/false});
  for (auto &[value, pointer] : kernel.results)
    parameters.push_back({pointer, 0, /*alone=*/false});
  // Each is its own: they are small.
  std::string text = "scalars of step";
  for (Operation *op : kernel.ops)
    text += " " + std::to_string(reinterpret_cast<uintptr_t>(op));
  LLVM::LLVMFuncOp function =
      launcher.create(loc, text, "scalars", parameters, GpuGeometry());
  OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
  IRMapping values;
  GpuTraffic traffic;
  unsigned next = 0;
  for (auto &[value, pointer] : kernel.pointers) {
    Value argument = function.getArgument(next++);
    if (!isa<MemRefType>(value.getType()))
      traffic.read += getElementBytes(value.getType());
    values.map(value, isa<MemRefType>(value.getType())
                          ? argument
                          : loadElement(b, loc, value.getType(), argument));
  }
  ScalarWriter writer(b, values);
  for (Operation *op : kernel.ops) {
    writer.write(op);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      traffic.read += getElementBytes(load.getType());
    if (auto store = dyn_cast<memref::StoreOp>(op))
      traffic.written += getElementBytes(store.getValue().getType());
  }
  for (auto &[value, pointer] : kernel.results) {
    storeElement(b, loc, values.lookup(value), function.getArgument(next++));
    traffic.written += getElementBytes(value.getType());
  }
  LLVM::ReturnOp::create(b, loc, ValueRange());
  traffic.leastRead = traffic.read;
  traffic.leastWritten = traffic.written;
  launcher.launch(loc, function, GpuGeometry(), parameters);
  launcher.getModule().launches.push_back(
      {function.getName().str(), "scalars", traffic});
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void memopt::emitCopyKernel(GpuLauncher &launcher, Location loc,
                            MemRefType type, Value source, Value target) {
  GpuModule &gpu = launcher.getModule();
  int64_t count = type.getNumElements();
  int64_t bytes = count * getElementBytes(type.getElementType());
  if (count == 0)
    return;
  GpuGeometry geometry = getFlatGeometry(gpu.chip, count);
  SmallVector<GpuParameter> parameters{{source, bytes}, {target, -bytes}};
  std::string text = "copy " + std::to_string(count) + " ";
  llvm::raw_string_ostream(text) << type.getElementType();
  LLVM::LLVMFuncOp function = gpu.device.lookup(text);
  if (!function) {
    function = launcher.create(loc, text, "copy", parameters, geometry);
    OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
    ThreadCode threads{b, loc};
    threads.forEachUnit(geometry, count, [&](Value at) {
      Type element = type.getElementType();
      Value value = loadElement(
          b, loc, element,
          getElementAddress(b, loc, function.getArgument(0), element, at));
      storeElement(
          b, loc, value,
          getElementAddress(b, loc, function.getArgument(1), element, at));
    });
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }
  launcher.launch(loc, function, geometry, parameters);
  gpu.launches.push_back(
      {function.getName().str(), "copy", {bytes, bytes, bytes, bytes}});
}
