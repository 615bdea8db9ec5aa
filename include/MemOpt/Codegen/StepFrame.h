//===- StepFrame.h - bytes on the stack of @memopt_step ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_STEPFRAME_H
#define MEMOPT_CODEGEN_STEPFRAME_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace memopt {

/// Bytes in the frame of @memopt_step, taken by one kernel after the other:
/// what a kernel takes is free again once it has run.
class StepFrame {
public:
  /// Starts a frame at the front of `entry`.
  StepFrame(mlir::Location loc, mlir::Block *entry);

  /// `bytes` aligned to 64, as a pointer made by `b`.
  mlir::Value take(mlir::OpBuilder &b, mlir::Location loc, int64_t bytes);
  /// Frees what has been taken.
  void reset() { used = 0; }

private:
  mlir::LLVM::ConstantOp size;
  mlir::Value base;
  int64_t used = 0, peak = 0;
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_STEPFRAME_H
