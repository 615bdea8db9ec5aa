//===- ThreadCode.h - what a thread knows and exchanges ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_THREADCODE_H
#define MEMOPT_LIB_GPU_THREADCODE_H

#include "GpuKernelBuilder.h"

namespace memopt {

constexpr int64_t warpSize = 32;

/// Threads for `units` pieces of work, one each, or several in turn where they
/// would not be on the chip together anyway.
GpuGeometry getFlatGeometry(const GpuChip &chip, int64_t units);

/// Code that depends on which thread runs it.
struct ThreadCode {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value getInteger(int64_t value);
  /// As i64: x and y within the block, and the block's number in the grid.
  mlir::Value getThread();
  mlir::Value getThreadY();
  mlir::Value getBlock();
  mlir::Value getBlockY();

  /// Runs `body` for each of the units [0, count) of a flat launch.
  void forEachUnit(const GpuGeometry &geometry, int64_t count,
                   llvm::function_ref<void(mlir::Value unit)> body);

  /// Waits for all threads of the block.
  void synchronize();
  /// The number that the lane has whose number within the warp differs in bits
  /// `mask`. All lanes of the warp take part.
  mlir::Value exchange(mlir::Value value, int32_t mask);
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_THREADCODE_H
