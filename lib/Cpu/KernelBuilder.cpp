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

//===----------------------------------------------------------------------===//
// CodeModule
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp CodeModule::lookup(StringRef text) const {
  return functions.lookup(text);
}

LLVM::LLVMFuncOp CodeModule::create(Location loc, StringRef text,
                                    StringRef stem,
                                    LLVM::LLVMFunctionType type) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  std::string name = (stem + "_" + Twine(functions.size())).str();
  auto function =
      LLVM::LLVMFuncOp::create(b, loc, name, type, LLVM::Linkage::Private);
  function.addEntryBlock(b);
  functions[text] = function;
  return function;
}

void CodeModule::erase(StringRef text) {
  functions.lookup(text).erase();
  functions.erase(text);
}

LLVM::LLVMFuncOp CodeModule::declare(Location loc, StringRef name,
                                     LLVM::LLVMFunctionType type) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(b, loc, name, type);
}

LLVM::GlobalOp CodeModule::getConstant(Location loc, StringRef bytes) {
  LLVM::GlobalOp &global = constants[bytes];
  if (global)
    return global;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  std::string name = "memopt_constant_" + std::to_string(constants.size() - 1);
  global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Private, name,
                                  b.getStringAttr(bytes), /*alignment=*/64);
  return global;
}

LLVM::GlobalOp CodeModule::getNumbers(Location loc, StringRef stem,
                                      ArrayRef<int64_t> numbers) {
  std::string name = stem.str();
  for (int64_t number : numbers)
    name += "_" + std::to_string(number);
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), numbers.size());
  auto value = DenseElementsAttr::get(
      RankedTensorType::get(int64_t(numbers.size()), b.getI64Type()), numbers);
  return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                LLVM::Linkage::Private, name, value,
                                /*alignment=*/8);
}

//===----------------------------------------------------------------------===//
// StepFrame
//===----------------------------------------------------------------------===//

StepFrame::StepFrame(Location loc, Block *entry) {
  OpBuilder b = OpBuilder::atBlockBegin(entry);
  size =
      LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(64));
  base =
      LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()),
                             b.getI8Type(), size, /*alignment=*/64);
}

Value StepFrame::take(OpBuilder &b, Location loc, int64_t bytes) {
  int64_t offset = used;
  used += llvm::alignTo(bytes, 64);
  if (used > peak) {
    peak = used;
    size.setValueAttr(b.getI64IntegerAttr(peak));
  }
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

//===----------------------------------------------------------------------===//
// KernelBuilder
//===----------------------------------------------------------------------===//

/// Kernels are isolated, so that a local scope numbers what is inside only; the
/// operands print as unknown values.
static std::string getKernelText(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

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

int64_t memopt::getGrain(int64_t bytesPerUnit) {
  return std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(1, bytesPerUnit));
}
