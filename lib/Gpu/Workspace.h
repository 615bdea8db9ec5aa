//===- Workspace.h - where kernels work besides their buffers ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copied operands, partial sums and what cuBLASLt works in live for the
// launches of one memopt.kernel. They lie where the planned arena has room
// then, which it has everywhere but at its peak, and behind it as far as they
// do not fit.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_WORKSPACE_H
#define MEMOPT_LIB_GPU_WORKSPACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// What cudaMalloc gives, and more than any access asks for: parts of the arena
/// that no buffer of the plan are begin on such a boundary.
constexpr int64_t gpuBoundary = 256;

/// Where a buffer begins in the arena, the last argument of its function;
/// nothing for a buffer that lies elsewhere, or at no known place.
std::optional<int64_t> getArenaOffset(mlir::Value buffer);

class WorkspacePlan {
public:
  /// `step` is planned: its last argument is the arena.
  explicit WorkspacePlan(mlir::func::FuncOp step);

  /// Bytes for the launches of one op.
  struct Place {
    int64_t offset = 0, bytes = 0;
  };
  /// `most` bytes in the smallest gap between the buffers that are alive then;
  /// or as many as the largest gap has, if that are `least`; or else `least`
  /// behind the last of them. Of equal gaps the lowest.
  Place place(mlir::Operation *op, int64_t least, int64_t most);

  /// Bytes of the arena as it was planned, and of it with all that was placed.
  int64_t getPlannedBytes() const { return plannedBytes; }
  int64_t getEnd() const { return end; }
  /// The most bytes that one op has.
  int64_t getMost() const { return mostPlaced; }

private:
  /// Bytes of the arena that ops `first` to `last` need.
  struct Range {
    int64_t begin, end;
    unsigned first, last;
  };
  /// What is free between the buffers that `op` finds alive; behind the last of
  /// them as far as the arena reaches already.
  llvm::SmallVector<Place> getGaps(mlir::Operation *op) const;
  void addBuffer(mlir::Value view, int64_t offset);
  void keepResults();

  mlir::func::FuncOp step;
  int64_t plannedBytes, end, mostPlaced = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::SmallVector<Range> ranges; // by begin
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_WORKSPACE_H
