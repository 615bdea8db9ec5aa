//===- KernelBuilder.cpp - where a kernel's code goes ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace memopt;

KernelBuilder::KernelBuilder(CodeModule &code, KernelOp kernel, OpBuilder &host,
                             StepFrame &frame, ValueRange buffers)
    : code(code), kernel(kernel), host(host), frame(frame),
      buffers(buffers.begin(), buffers.end()), text(getKernelText(kernel)) {}

FailureOr<LLVM::LLVMFuncOp> KernelBuilder::outline(
    StringRef part,
    function_ref<LogicalResult(OpBuilder &, Value, Value, Value)> body) {
  std::string key = (part + "\n" + text).str();
  if (LLVM::LLVMFuncOp known = code.lookup(key))
    return known;
  MLIRContext *context = kernel.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, i64, i64});
  std::string stem = ("memopt_" + stringifyKernelKind(kernel.getKind())).str();
  if (!part.empty())
    stem += ("_" + part).str();
  LLVM::LLVMFuncOp function = code.create(getLoc(), key, stem, type);
  Block &entry = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(&entry);
  if (failed(body(b, entry.getArgument(0), entry.getArgument(1),
                  entry.getArgument(2)))) {
    code.erase(key);
    return failure();
  }
  Block &last = function.getBody().back();
  if (last.empty() || !last.back().hasTrait<OpTrait::IsTerminator>()) {
    b.setInsertionPointToEnd(&last);
    LLVM::ReturnOp::create(b, getLoc(), ValueRange());
  }
  return function;
}

Value KernelBuilder::makeBufferArray() {
  Location loc = getLoc();
  Type pointer = LLVM::LLVMPointerType::get(host.getContext());
  Value array = takeFrame(8 * int64_t(buffers.size()));
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    Value slot = LLVM::GEPOp::create(host, loc, pointer, pointer, array,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(host, loc, buffer, slot);
  }
  return array;
}

void KernelBuilder::callParallel(LLVM::LLVMFuncOp function, int64_t count,
                                 int64_t grain) {
  if (count == 0)
    return;
  Location loc = getLoc();
  Type pointer = LLVM::LLVMPointerType::get(host.getContext());
  Type i64 = host.getI64Type();
  Value array = makeBufferArray();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(host.getContext()), {pointer, pointer, i64, i64});
  LLVM::LLVMFuncOp runtime = code.declare(loc, "memopt_cpu_parallel", type);
  Value address = LLVM::AddressOfOp::create(host, loc, function);
  Value units =
      LLVM::ConstantOp::create(host, loc, i64, host.getI64IntegerAttr(count));
  Value piece =
      LLVM::ConstantOp::create(host, loc, i64, host.getI64IntegerAttr(grain));
  LLVM::CallOp::create(host, loc, runtime,
                       ValueRange{address, array, units, piece});
}

SmallVector<Value> memopt::loadPointers(OpBuilder &b, Location loc,
                                        Value buffers, unsigned count) {
  Type pointer = buffers.getType();
  SmallVector<Value> pointers;
  for (unsigned i = 0; i < count; ++i) {
    Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, buffers,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    pointers.push_back(LLVM::LoadOp::create(b, loc, pointer, slot));
  }
  return pointers;
}

int64_t memopt::getGrain(int64_t bytesPerUnit) {
  return std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(1, bytesPerUnit));
}
