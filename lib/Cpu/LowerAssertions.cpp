//===- LowerAssertions.cpp - assertions as calls of the runtime -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerAssertions.h"
#include "MemOpt/Codegen/Assertions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace memopt;

void memopt::callWhereAssertionsFail(CodeModule &code) {
  lowerAssertions(code.getModule(), [&](OpBuilder &b, Location loc,
                                        StringRef text) {
    MLIRContext *context = b.getContext();
    LLVM::LLVMFuncOp fail = code.declare(
        loc, "memopt_cpu_fail",
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                    LLVM::LLVMPointerType::get(context)));
    std::string terminated = text.str();
    terminated.push_back('\0');
    Value message =
        LLVM::AddressOfOp::create(b, loc, code.getConstant(loc, terminated));
    LLVM::CallOp::create(b, loc, fail, message);
  });
}
