//===- PartialSums.h - sums of which each block has a part ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks store their parts into the workspace and count themselves; the one
// that comes last has all parts in front of it and adds them, by their numbers:
// which block that is makes no difference.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_PARTIALSUMS_H
#define MEMOPT_LIB_GPU_PARTIALSUMS_H

#include "MemOpt/Codegen/KernelCode.h"

namespace memopt {

struct GpuStage;

/// The type of a sum, and the op that adds two parts.
struct PartialSum {
  mlir::Operation *op;
  mlir::Type type;
};

/// Where the parts of some sums lie in the workspace, each `vectors` vectors of
/// `width` neighbours.
class PartialSums {
public:
  PartialSums() = default;
  PartialSums(llvm::ArrayRef<PartialSum> sums, int64_t vectors, int64_t width)
      : sums(sums.begin(), sums.end()), vectors(vectors), width(width) {}

  int64_t getBytesPerPart() const;
  /// The same without what fills up lines of memory: what is stored.
  int64_t getMovedPerPart() const;
  /// The workspace of `parts` parts, each stored and read once, and the bytes
  /// of counting to `counters` counters so many times in all.
  void addTo(GpuStage &stage, int64_t parts, int64_t counters,
             int64_t counted) const;

  /// One value a sum, at vector `vector` of part `part`.
  void store(KernelCode &code, mlir::Value workspace, mlir::Value part,
             mlir::Value vector, llvm::ArrayRef<mlir::Value> values) const;
  /// Parts `first`, `first + step`, ... below `end`, in this order.
  llvm::SmallVector<mlir::Value> add(KernelCode &code, mlir::Value workspace,
                                     mlir::Value first, mlir::Value end,
                                     int64_t step, mlir::Value vector) const;
  /// What changes no sum.
  llvm::SmallVector<mlir::Value> getNeutrals(KernelCode &code) const;

  int64_t getBoundary(mlir::Type element) const;

private:
  int64_t getSumBytes(mlir::Type type) const;
  mlir::Value getAddress(KernelCode &code, mlir::Value workspace,
                         mlir::Value part, unsigned sum,
                         mlir::Value vector) const;

  llvm::SmallVector<PartialSum> sums;
  int64_t vectors = 0, width = 1;
};

/// Whether this block is the last one of `count` that come here for number
/// `number` of `counters`; the same for all of its threads, of which all take
/// part. What those blocks stored before, in global memory, is there then. The
/// counter is 0 before and after.
mlir::Value isLastBlock(KernelCode &code, llvm::StringRef name,
                        int64_t counters, mlir::Value number,
                        mlir::Value count);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_PARTIALSUMS_H
