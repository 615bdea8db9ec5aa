//===- RowKernels.h - three ways through a program's loops ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_ROWKERNELS_H
#define MEMOPT_LIB_CPU_ROWKERNELS_H

#include "PointCode.h"

namespace memopt {

/// What the code of one kernel is written into, and from.
struct KernelCode {
  const KernelProgram &program;
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// Pointers to sources and outputs.
  llvm::SmallVector<mlir::Value> sources, outputs;

  mlir::Value getInteger(int64_t value);
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

/// A parallel range: units, and the bytes that one of them touches.
struct KernelRange {
  int64_t units, bytesPerUnit;
};

/// How a program's loops are walked.
class KernelWalk {
public:
  virtual ~KernelWalk() = default;
  virtual KernelRange getRange() const = 0;
  /// The units [begin, end).
  virtual void emit(KernelCode &code, mlir::Value begin, mlir::Value end) = 0;
};

/// Lanes along rows: neighbouring points, or short rows whose columns are
/// written out.
std::unique_ptr<KernelWalk> walkPoints(const KernelProgram &program);
/// Lanes along columns, a row after the other, in passes that end in sums.
std::unique_ptr<KernelWalk> walkRows(const KernelProgram &program);
/// Lanes along columns that stay, each task down all rows of its columns.
std::unique_ptr<KernelWalk> walkColumns(const KernelProgram &program);

/// Lanes of f32 in a vector: one of AVX-512, two of AVX2. Fixed, so that sums
/// do not depend on the processor.
constexpr int64_t laneCount = 16;
/// The longest row whose columns are written out.
constexpr int64_t maxColumns = 16;

/// Lanes for a loop of `size` iterations.
int64_t getWidth(int64_t size);
/// Bytes that a point reads and writes; what is costly to compute counts as
/// bytes too.
int64_t getBytesPerPoint(const KernelProgram &program);
/// Loops of a set, outermost first, and the product of their sizes.
llvm::SmallVector<unsigned> getLoopList(uint64_t loops);
int64_t getCount(const KernelProgram &program, llvm::ArrayRef<unsigned> loops);
/// True for an op that is worth keeping the result of.
bool isCostly(const ProgramNode &node);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_ROWKERNELS_H
