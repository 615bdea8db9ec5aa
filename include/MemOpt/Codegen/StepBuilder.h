//===- StepBuilder.h - the function that runs a step ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_STEPBUILDER_H
#define MEMOPT_CODEGEN_STEPBUILDER_H

#include "MemOpt/Codegen/CodeModule.h"
#include "MemOpt/Codegen/StepFrame.h"
#include "MemOpt/Codegen/StepGlobals.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/JSON.h"

namespace memopt {

/// Writes @memopt_step from a planned step: what holds for every target. A
/// target says how a kernel is run and where scalars are computed.
class StepBuilder {
public:
  /// `target` is its name in messages, such as "CPU".
  StepBuilder(CodeModule &code, mlir::func::FuncOp step,
              const StepGlobals &globals, llvm::StringRef target)
      : code(code), step(step), globals(globals), target(target) {}
  virtual ~StepBuilder() = default;

  /// Fails with a diagnostic on an op without code.
  llvm::LogicalResult build();

protected:
  /// Runs `kernel` here; `buffers` are pointers to its operands, in order.
  virtual llvm::LogicalResult
  emitKernel(KernelOp kernel, llvm::ArrayRef<mlir::Value> buffers) = 0;
  /// A pointer to a slot that holds the scalar, in its type in memory.
  virtual mlir::Value getSlot(mlir::Location loc, mlir::Value scalar) = 0;
  /// A load or store of a scalar, or a copy between contiguous buffers.
  virtual llvm::LogicalResult translateAccess(mlir::Operation *op) = 0;
  /// The address of a global.
  virtual mlir::Value getGlobal(mlir::memref::GetGlobalOp op) = 0;
  /// An op on scalars without side effects, or an assertion.
  virtual llvm::LogicalResult translateScalar(mlir::Operation *op) = 0;
  /// Called once behind the last op.
  virtual llvm::LogicalResult finish() { return llvm::success(); }

  CodeModule &code;
  mlir::func::FuncOp step;
  const StepGlobals &globals;
  llvm::StringRef target;
  mlir::LLVM::LLVMFuncOp function;
  std::unique_ptr<StepFrame> frame;
  mlir::OpBuilder host{step.getContext()};
  /// Buffers as pointers; scalars as the target has them.
  mlir::IRMapping values;

private:
  llvm::LogicalResult check();
  void bindArguments();
  llvm::LogicalResult translate(mlir::Operation *op);
  llvm::LogicalResult translateKernel(KernelOp kernel);
  /// Maps the buffers that `op` makes; nothing where `op` makes none.
  std::optional<llvm::LogicalResult> translateBuffer(mlir::Operation *op);
  /// A pointer to the input: the buffer itself, or a slot with the scalar.
  mlir::FailureOr<mlir::Value> getPointer(KernelOp kernel, mlir::Value operand);
};

/// The one planned step of a module. Fails with a diagnostic, in the name of
/// pass `pass`, where there is none or more than one.
mlir::FailureOr<mlir::func::FuncOp> findPlannedStep(mlir::ModuleOp module,
                                                    llvm::StringRef pass);

/// Adds the constant @memopt_step_description with a null-terminated `text`.
void addDescription(mlir::ModuleOp module, mlir::Location loc,
                    std::string text);

/// The JSON text that says what `step` takes and keeps, where its results lie,
/// and what `addMore` adds. Fails with a diagnostic on a type that has no name
/// there.
llvm::FailureOr<std::string>
describeStep(mlir::func::FuncOp step, const StepGlobals &globals,
             llvm::function_ref<void(llvm::json::OStream &)> addMore = nullptr);

} // namespace memopt

#endif // MEMOPT_CODEGEN_STEPBUILDER_H
