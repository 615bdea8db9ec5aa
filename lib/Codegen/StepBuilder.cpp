//===- StepBuilder.cpp - the function that runs a step --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/StepBuilder.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace memopt;

static bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.hasStaticShape() && memref.getLayout().isIdentity();
}

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
  if (failed(finish()))
    return failure();
  LLVM::ReturnOp::create(host, step.getLoc(), ValueRange());
  return success();
}

LogicalResult StepBuilder::check() {
  if (!step.getBody().hasOneBlock())
    return step.emitError("the step must be one block: branches between blocks "
                          "have no ")
           << target << " code";
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
  if (isa<memref::LoadOp, memref::StoreOp, memref::CopyOp>(op)) {
    for (Type type : op->getOperandTypes())
      if (isa<MemRefType>(type) && !isContiguous(type))
        return op->emitOpError(
                   "between buffers that are not contiguous has no ")
               << target << " code";
    return translateAccess(op);
  }
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (op->getNumRegions() || !llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar) ||
      !(isMemoryEffectFree(op) || isa<cf::AssertOp>(op)))
    return op->emitOpError("between the kernels of a step has no ")
           << target << " code";
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
  return getSlot(kernel.getLoc(), operand);
}

LogicalResult StepBuilder::translateKernel(KernelOp kernel) {
  SmallVector<Value> buffers;
  for (Value operand : kernel->getOperands()) {
    FailureOr<Value> pointer = getPointer(kernel, operand);
    if (failed(pointer))
      return failure();
    buffers.push_back(*pointer);
  }
  return emitKernel(kernel, buffers);
}

//===----------------------------------------------------------------------===//
// Buffers and scalars
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> StepBuilder::translateBuffer(Operation *op) {
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    if (!view.getSizes().empty())
      return op->emitOpError("of dynamic sizes has no ") << target << " code";
    Value shift =
        arith::IndexCastOp::create(host, op->getLoc(), host.getI64Type(),
                                   values.lookup(view.getByteShift()));
    values.map(view, getElementAddress(host, op->getLoc(),
                                       values.lookup(view.getSource()),
                                       host.getI8Type(), shift));
    return success();
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    values.map(global, getGlobal(global));
    return success();
  }
  if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
          memref::ReinterpretCastOp>(op)) {
    if (!isContiguous(op->getOperand(0).getType()) ||
        !isContiguous(op->getResult(0).getType()))
      return op->emitOpError("between buffers that are not contiguous has no ")
             << target << " code";
    values.map(op->getResult(0), values.lookup(op->getOperand(0)));
    return success();
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> memopt::findPlannedStep(ModuleOp module,
                                                StringRef pass) {
  func::FuncOp step;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr("memopt.arena_bytes"))
      continue;
    if (step)
      return function.emitError(pass)
             << ": a module may have one planned step, '" << step.getName()
             << "' is another";
    step = function;
  }
  if (!step)
    return module.emitError(pass)
           << ": no function has the attribute memopt.arena_bytes: put "
              "memopt-plan-memory before";
  return step;
}

void memopt::addDescription(ModuleOp code, Location loc, std::string text) {
  OpBuilder b = OpBuilder::atBlockBegin(code.getBody());
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                         LLVM::Linkage::External, "memopt_step_description",
                         b.getStringAttr(text));
}
