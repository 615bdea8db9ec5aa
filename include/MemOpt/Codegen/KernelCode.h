//===- KernelCode.h - what a kernel's code is written into ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_CODEGEN_KERNELCODE_H
#define MEMOPT_CODEGEN_KERNELCODE_H

#include "MemOpt/Codegen/CodeModule.h"
#include "MemOpt/Codegen/PointCode.h"

namespace memopt {

/// What the code of one kernel is written into, and from.
struct KernelCode {
  const KernelProgram &program;
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// Pointers to sources and outputs.
  llvm::SmallVector<mlir::Value> sources, outputs;

  /// Sources and outputs of `kernel`, `operands` being pointers to its inputs
  /// and outputs. Constants are put into `module`.
  void bindOperands(KernelOp kernel, CodeModule &module,
                    mlir::ValueRange operands);
  mlir::Value getInteger(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value multiply(mlir::Value x, int64_t y);
  /// Sets the positions of `loops` from their row-major number.
  void place(PointCode &point, llvm::ArrayRef<unsigned> loops,
             mlir::Value number);
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  /// for (i = low; i < high; i += step): values carried from round to round.
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high,
                                      int64_t step, mlir::ValueRange inits,
                                      LoopBody body);
  /// The same without values.
  void loop(mlir::Value low, mlir::Value high, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Takes the innermost of two numbers off `unit`: where piece `unit` mod
  /// `count`, of `size` points, begins. `unit` becomes the rest.
  mlir::Value takePiece(mlir::Value &unit, int64_t count, int64_t size);
  /// `values`, or what `body` gives where the condition holds.
  llvm::SmallVector<mlir::Value>
  choose(mlir::Value condition, mlir::ValueRange values,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);
};

/// Bytes that a point reads and writes; what is costly to compute counts as
/// bytes too.
int64_t getBytesPerPoint(const KernelProgram &program);
/// Loops of a set, outermost first, and the product of their sizes.
llvm::SmallVector<unsigned> getLoopList(uint64_t loops);
int64_t getCount(const KernelProgram &program, llvm::ArrayRef<unsigned> loops);
/// Fails with a diagnostic where the reductions reduce different loops.
llvm::LogicalResult checkReductions(const KernelProgram &program);
/// True for an op that is worth keeping the result of.
bool isCostly(const ProgramNode &node);

} // namespace memopt

#endif // MEMOPT_CODEGEN_KERNELCODE_H
