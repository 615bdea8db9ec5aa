//===- Assertions.cpp - what code does where one fails --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/Assertions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

void memopt::lowerAssertions(
    ModuleOp module,
    function_ref<void(OpBuilder &, Location, StringRef)> report) {
  SmallVector<cf::AssertOp> asserts;
  module.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  for (cf::AssertOp op : asserts) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto function = op->getParentOfType<FunctionOpInterface>();
    Value truth =
        LLVM::ConstantOp::create(b, loc, b.getI1Type(), b.getBoolAttr(true));
    Value fails = LLVM::XOrOp::create(b, loc, op.getArg(), truth);
    auto branch = scf::IfOp::create(b, loc, fails, false);
    b.setInsertionPointToStart(branch.thenBlock());
    report(b, loc, (function.getName() + ": " + op.getMsg()).str());
    op.erase();
  }
}
