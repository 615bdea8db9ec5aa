//===- RowKernels.h - three ways through a program's loops ------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_ROWKERNELS_H
#define MEMOPT_LIB_CPU_ROWKERNELS_H

#include "MemOpt/Codegen/LoopWays.h"

namespace memopt {

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

/// Lanes for a loop of `size` iterations.
int64_t getWidth(int64_t size);
} // namespace memopt

#endif // MEMOPT_LIB_CPU_ROWKERNELS_H
