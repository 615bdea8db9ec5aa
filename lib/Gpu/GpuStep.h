//===- GpuStep.h - a step that runs on a GPU --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GPUSTEP_H
#define MEMOPT_LIB_GPU_GPUSTEP_H

#include "GpuKernelBuilder.h"
#include "MemOpt/Codegen/StepBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace memopt {

/// Host code that launches kernels. Scalars between kernels are computed by
/// kernels of one thread, as late as what follows allows. Behind the planned
/// arena lie the step's globals, then a slot of 8 bytes for each such scalar,
/// then the workspace.
class GpuStep : public StepBuilder {
public:
  GpuStep(GpuModule &gpu, mlir::func::FuncOp step, const StepGlobals &globals)
      : StepBuilder(gpu.host, step, globals, "GPU"), gpu(gpu),
        plannedBytes(
            step->getAttrOfType<mlir::IntegerAttr>("memopt.arena_bytes")
                .getInt()) {}

  /// Bytes of the arena with slots and workspace, and where the latter lies.
  /// Known once the step is built.
  int64_t getArenaBytes() const {
    return getWorkspaceOffset() + gpu.chip.workspaceBytes;
  }
  int64_t getWorkspaceOffset() const;
  int64_t getGlobalsOffset() const;

  /// Sets the size of the image in the host code.
  void setImageBytes(int64_t bytes);

private:
  llvm::LogicalResult emitKernel(KernelOp kernel,
                                 llvm::ArrayRef<mlir::Value> buffers) override;
  mlir::Value getSlot(mlir::Location loc, mlir::Value scalar) override;
  llvm::LogicalResult translateAccess(mlir::Operation *op) override;
  llvm::LogicalResult translateScalar(mlir::Operation *op) override;
  mlir::Value getGlobal(mlir::memref::GetGlobalOp op) override;
  llvm::LogicalResult finish() override;

  GpuLauncher getLauncher();
  mlir::Value getArena();
  mlir::Value getArenaPlace(mlir::Location loc, int64_t offset);
  int64_t getSlotsOffset() const;
  unsigned getSlotNumber(mlir::Value scalar);
  /// Writes and launches the scalar ops that wait.
  void flush();

  GpuModule &gpu;
  /// Of the arena, without what is added behind.
  int64_t plannedBytes;
  mlir::LLVM::ConstantOp imageBytes;
  /// Where the workspace begins, once the number of slots is known.
  llvm::SmallVector<mlir::LLVM::ConstantOp> workspaceOffsets;
  llvm::SmallVector<mlir::Operation *> pending;
  llvm::MapVector<mlir::Value, unsigned> slots;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUSTEP_H
