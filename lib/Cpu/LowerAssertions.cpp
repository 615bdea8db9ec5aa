//===- LowerAssertions.cpp - assertions as calls of the runtime -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerAssertions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace memopt;

void memopt::lowerAssertions(CodeModule &code) {
  SmallVector<cf::AssertOp> asserts;
  code.getModule().walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto kernel = op->getParentOfType<FunctionOpInterface>();
    std::string text = (kernel.getName() + ": " + op.getMsg()).str();
    text.push_back('\0');
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    LLVM::LLVMFuncOp fail = code.declare(
        loc, "memopt_cpu_fail",
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    pointer));
    Value truth =
        LLVM::ConstantOp::create(b, loc, b.getI1Type(), b.getBoolAttr(true));
    Value fails = LLVM::XOrOp::create(b, loc, op.getArg(), truth);
    auto branch = scf::IfOp::create(b, loc, fails, false);
    b.setInsertionPointToStart(branch.thenBlock());
    Value message =
        LLVM::AddressOfOp::create(b, loc, code.getConstant(loc, text));
    LLVM::CallOp::create(b, loc, fail, message);
    op.erase();
  }
}
