//===- GpuWalk.h - ways of threads through a program's loops ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GPUWALK_H
#define MEMOPT_LIB_GPU_GPUWALK_H

#include "MemOpt/Codegen/LoopWays.h"
#include "ThreadCode.h"

namespace memopt {

/// A device kernel of a walk: the parameters behind those of the memopt.kernel,
/// and its threads.
struct GpuStage {
  llvm::StringRef name;
  GpuGeometry geometry;
  /// Bytes of the workspace; if there are any, it is the last parameter.
  int64_t workspaceBytes = 0;
  /// Nodes whose elements it loads, one list for each time that it goes along
  /// its points anew.
  llvm::SmallVector<llvm::SmallVector<int>> loads = {};
  llvm::SmallVector<const ProgramStore *> stores = {};
  /// Bytes of partial sums.
  int64_t partialRead = 0, partialWritten = 0;
};

/// How threads walk through a program's loops: one kernel, or several one after
/// the other.
class GpuWalk {
public:
  virtual ~GpuWalk() = default;
  virtual llvm::SmallVector<GpuStage> getStages() const = 0;
  /// Writes stage `stage`; `workspace` is null where it uses none.
  virtual void emit(unsigned stage, KernelCode &code,
                    mlir::Value workspace) = 0;
};

/// A thread some neighbouring points, or some short rows.
std::unique_ptr<GpuWalk> walkGpuPoints(const KernelProgram &program,
                                       const GpuChip &chip);
/// A warp, part of one, or a block a row.
std::unique_ptr<GpuWalk> walkGpuRows(const KernelProgram &program,
                                     const GpuChip &chip);
/// Threads along columns that stay, in chunks of rows.
std::unique_ptr<GpuWalk> walkGpuColumns(const KernelProgram &program,
                                        const GpuChip &chip);

/// Several blocks a row, for the sums of few and long ones; null for others.
std::unique_ptr<GpuWalk> walkGpuLongRows(const KernelProgram &program,
                                         const GpuChip &chip);
/// Groups of threads a row, several rows a block, columns added up along them;
/// null where a program has not sums of both kinds, or none that fit.
std::unique_ptr<GpuWalk> walkGpuRowsAndColumns(const KernelProgram &program,
                                               const GpuChip &chip);

/// The way that fits a program; fails with a diagnostic where none does.
llvm::FailureOr<std::unique_ptr<GpuWalk>>
chooseGpuWalk(const KernelProgram &program, const GpuChip &chip);

/// A stage that loads and stores all of the program once.
GpuStage makeWholeStage(const KernelProgram &program,
                        const GpuGeometry &geometry);

/// Lanes of a thread along loop `lane`: as many as make 16 bytes of the
/// smallest elements that lie side by side along it, but no more than 8 of
/// numbers of 2 bytes or more, nor than `most`.
int64_t getGpuWidth(const KernelProgram &program, unsigned lane, int64_t most);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUWALK_H
