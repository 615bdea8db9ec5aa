//===- CodeModule.cpp - the module that is written ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/CodeModule.h"

using namespace mlir;
using namespace memopt;

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
  global = LLVM::GlobalOp::create(
      b, loc, type, /*isConstant=*/true, LLVM::Linkage::Private, name,
      b.getStringAttr(bytes), /*alignment=*/64, addressSpace);
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

/// Kernels are isolated, so that a local scope numbers what is inside only; the
/// operands print as unknown values.
std::string memopt::getKernelText(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  return text;
}
