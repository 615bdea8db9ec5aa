//===- EmitOpaque.cpp - anything else on tensors --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies that hold more than elements computed one by one (loops, branches, ops
// of other dialects) are bufferized by upstream, within one function: inputs
// and outputs are the kernel's buffers, what lies in between stands on the
// stack.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "MemOpt/Codegen/Constants.h"
#include "MemOpt/Codegen/Memory.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace memopt;

/// Bytes of a kernel's own tensors that may stand on the stack.
static constexpr int64_t stackBytes = 64 << 10;

static MemRefType getBufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

//===----------------------------------------------------------------------===//
// From tensors to loops
//===----------------------------------------------------------------------===//

/// The body as a function on buffers, in a module of its own.
static func::FuncOp makeFunction(KernelOp kernel, ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Location loc = kernel.getLoc();
  Block &body = kernel.getBody().front();
  SmallVector<Type> types;
  for (Type type : body.getArgumentTypes())
    types.push_back(isa<RankedTensorType>(type) ? getBufferType(type) : type);
  for (Value value : kernel.getYielded())
    types.push_back(getBufferType(value.getType()));
  auto function =
      func::FuncOp::create(b, loc, "kernel", b.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments()) {
    Value value = entry->getArgument(argument.getArgNumber());
    if (isa<RankedTensorType>(argument.getType()))
      value = bufferization::ToTensorOp::create(b, loc, argument.getType(),
                                                value, /*restrict=*/true);
    mapping.map(argument, value);
  }
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  for (auto [i, value] : llvm::enumerate(kernel.getYielded()))
    bufferization::MaterializeInDestinationOp::create(
        b, loc, Type(), mapping.lookup(value),
        entry->getArgument(body.getNumArguments() + i), /*restrict=*/true,
        /*writable=*/true);
  func::ReturnOp::create(b, loc);
  return function;
}

static LogicalResult bufferize(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))) ||
      failed(bufferization::eliminateEmptyTensors(rewriter, module)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(module, options, state);
}

/// Linalg ops and copies become loops.
static LogicalResult toLoops(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    rewriter.eraseOp(copy);
  }
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitOpError("has no loops");
    rewriter.eraseOp(op);
  }
  return success();
}

/// Allocations of static size move to the stack.
static LogicalResult toStack(KernelOp kernel, func::FuncOp function) {
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
  int64_t bytes = 0;
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  for (memref::AllocOp op : allocations) {
    MemRefType type = op.getType();
    if (!type.hasStaticShape())
      return kernel.emitOpError("makes a ")
             << type << " of its own, whose size is not known";
    bytes += llvm::alignTo(
        type.getNumElements() * getElementBytes(type.getElementType()), 64);
    if (bytes > stackBytes)
      return kernel.emitOpError("makes tensors of its own of at least ")
             << bytes << " bytes; the stack holds " << stackBytes
             << ": give what makes them a kernel of its own";
    Value place = memref::AllocaOp::create(b, op.getLoc(), type, ValueRange(),
                                           b.getI64IntegerAttr(64));
    op.replaceAllUsesWith(place);
    op.erase();
  }
  function.walk([](memref::DeallocOp op) { op.erase(); });
  return success();
}

//===----------------------------------------------------------------------===//
// Into the kernel's function
//===----------------------------------------------------------------------===//

/// A contiguous buffer at `pointer`.
static Value makeBuffer(OpBuilder &b, Location loc, MemRefType type,
                        Value pointer) {
  LLVMTypeConverter converter(b.getContext());
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, converter, type, pointer);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

/// Constants lie where all constants of the code do.
static LogicalResult moveConstants(func::FuncOp function, CodeModule &code) {
  auto module = function->getParentOfType<ModuleOp>();
  SmallVector<memref::GetGlobalOp> reads;
  function.walk([&](memref::GetGlobalOp op) { reads.push_back(op); });
  for (memref::GetGlobalOp op : reads) {
    auto global = module.lookupSymbol<memref::GlobalOp>(op.getName());
    auto elements =
        dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
    if (!elements)
      return failure();
    FailureOr<std::string> bytes = getBytes(elements);
    if (failed(bytes))
      return failure();
    OpBuilder b(op);
    // The code's module is another one: the symbol is resolved there.
    LLVM::GlobalOp constant = code.getConstant(op.getLoc(), *bytes);
    Value pointer = LLVM::AddressOfOp::create(
        b, op.getLoc(), LLVM::LLVMPointerType::get(b.getContext()),
        constant.getSymName());
    op.replaceAllUsesWith(makeBuffer(b, op.getLoc(), op.getType(), pointer));
    op.erase();
  }
  return success();
}

static LogicalResult inlineInto(KernelOp kernel, func::FuncOp function,
                                OpBuilder &b, Value buffers) {
  Location loc = kernel.getLoc();
  Block &body = function.getBody().front();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments()) {
    Value slot = LLVM::GEPOp::create(
        b, loc, pointer, pointer, buffers,
        ArrayRef<LLVM::GEPArg>{int32_t(argument.getArgNumber())});
    Value place = LLVM::LoadOp::create(b, loc, pointer, slot);
    auto type = dyn_cast<MemRefType>(argument.getType());
    mapping.map(argument, type
                              ? makeBuffer(b, loc, type, place)
                              : loadElement(b, loc, argument.getType(), place));
  }
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  return success();
}

LogicalResult memopt::emitOpaque(KernelOp kernel, KernelBuilder &builder) {
  FailureOr<LLVM::LLVMFuncOp> outlined = builder.outline(
      "body", [&](OpBuilder &b, Value buffers, Value, Value) -> LogicalResult {
        OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
        func::FuncOp function = makeFunction(kernel, *module);
        if (failed(bufferize(*module)))
          return kernel.emitOpError("has no CPU code: its body cannot be "
                                    "bufferized");
        if (failed(toStack(kernel, function)) || failed(toLoops(*module)) ||
            failed(moveConstants(function, builder.getCode())))
          return failure();
        return inlineInto(kernel, function, b, buffers);
      });
  if (failed(outlined))
    return failure();
  builder.callParallel(*outlined, 1, 1);
  return success();
}
