//===- StepBuilder.h - the function that runs a step ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_STEPBUILDER_H
#define MEMOPT_LIB_CPU_STEPBUILDER_H

#include "KernelBuilder.h"
#include "StepGlobals.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace memopt {

/// Writes @memopt_step and the kernels that it runs from a planned step.
class StepBuilder {
public:
  StepBuilder(CodeModule &code, mlir::func::FuncOp step,
              const StepGlobals &globals)
      : code(code), step(step), globals(globals) {}

  /// Fails with a diagnostic on an op without code.
  llvm::LogicalResult build();

private:
  llvm::LogicalResult check();
  void bindArguments();
  llvm::LogicalResult translate(mlir::Operation *op);
  llvm::LogicalResult translateKernel(KernelOp kernel);
  llvm::LogicalResult translateScalar(mlir::Operation *op);
  /// Maps the buffers that `op` makes; nothing where `op` makes none.
  std::optional<llvm::LogicalResult> translateBuffer(mlir::Operation *op);
  std::optional<llvm::LogicalResult> translateAccess(mlir::Operation *op);
  /// The address of an element.
  mlir::Value getAddress(mlir::Location loc, mlir::Value buffer,
                         mlir::ValueRange indices);
  /// A pointer to the input: the buffer itself, or a slot with the scalar.
  mlir::FailureOr<mlir::Value> getPointer(KernelOp kernel, mlir::Value operand);

  CodeModule &code;
  mlir::func::FuncOp step;
  const StepGlobals &globals;
  mlir::LLVM::LLVMFuncOp function;
  std::unique_ptr<StepFrame> frame;
  mlir::OpBuilder host{step.getContext()};
  /// Buffers as pointers, scalars as themselves.
  mlir::IRMapping values;
};

/// The JSON text that says what `step` takes, keeps and where its results lie.
/// Fails with a diagnostic on a type that has no name there.
llvm::FailureOr<std::string> describeStep(mlir::func::FuncOp step,
                                          const StepGlobals &globals);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_STEPBUILDER_H
