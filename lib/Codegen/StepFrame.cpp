//===- StepFrame.cpp - bytes on the stack of @memopt_step -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/StepFrame.h"

using namespace mlir;
using namespace memopt;

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
