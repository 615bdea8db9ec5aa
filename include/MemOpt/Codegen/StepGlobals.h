//===- StepGlobals.h - what a step keeps between its runs -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_STEPGLOBALS_H
#define MEMOPT_CODEGEN_STEPGLOBALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace memopt {

/// The name under which a caller finds the globals, to save and restore them.
constexpr llvm::StringLiteral kGlobalsSymbol = "memopt_step_globals";

/// The buffers outside the arena that a step reads and writes by name, as the
/// state of a dropout's random numbers: one block of bytes, each global at a
/// multiple of 64, in the order in which the step names them first.
class StepGlobals {
public:
  /// Fails with a diagnostic on a global without code.
  static llvm::FailureOr<StepGlobals> collect(mlir::func::FuncOp step);

  /// The place of a global in the block.
  int64_t getOffset(mlir::memref::GetGlobalOp op) const;
  /// The size of the block.
  int64_t getBytes() const { return int64_t(initial.size()); }
  /// Puts the block into `module`, with the values before the first run; does
  /// nothing where there are no globals.
  void create(mlir::ModuleOp module, mlir::Location loc) const;
  /// The address of a global, in code beside the block.
  mlir::Value getAddress(mlir::OpBuilder &b,
                         mlir::memref::GetGlobalOp op) const;

private:
  llvm::LogicalResult add(mlir::memref::GetGlobalOp op);

  /// Byte offsets by name.
  llvm::MapVector<mlir::StringAttr, int64_t> offsets;
  std::string initial;
};

} // namespace memopt

#endif // MEMOPT_CODEGEN_STEPGLOBALS_H
