//===- CpuStep.h - a step that runs on the CPU ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_CPUSTEP_H
#define MEMOPT_LIB_CPU_CPUSTEP_H

#include "MemOpt/Codegen/StepBuilder.h"

namespace memopt {

/// A step whose kernels are functions of the same module, and whose scalars are
/// values in @memopt_step.
class CpuStep : public StepBuilder {
public:
  CpuStep(CodeModule &code, mlir::func::FuncOp step, const StepGlobals &globals)
      : StepBuilder(code, step, globals, "CPU") {}

private:
  llvm::LogicalResult emitKernel(KernelOp kernel,
                                 llvm::ArrayRef<mlir::Value> buffers) override;
  mlir::Value getSlot(mlir::Location loc, mlir::Value scalar) override;
  llvm::LogicalResult translateAccess(mlir::Operation *op) override;
  llvm::LogicalResult translateScalar(mlir::Operation *op) override;
  mlir::Value getGlobal(mlir::memref::GetGlobalOp op) override {
    return globals.getAddress(host, op);
  }
  /// The address of an element.
  mlir::Value getAddress(mlir::Location loc, mlir::Value buffer,
                         mlir::ValueRange indices);
};

} // namespace memopt

#endif // MEMOPT_LIB_CPU_CPUSTEP_H
