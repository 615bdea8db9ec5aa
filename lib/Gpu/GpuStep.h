//===- GpuStep.h - a step that runs on a GPU --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GPUSTEP_H
#define MEMOPT_LIB_GPU_GPUSTEP_H

#include "BatchPointers.h"
#include "MemOpt/Codegen/StepBuilder.h"
#include "Workspace.h"
#include "llvm/ADT/SetVector.h"

namespace memopt {

/// Host code that launches kernels. Scalars between kernels are computed by
/// kernels of one thread, as late as what follows allows. Behind the arena with
/// its workspace lie the step's globals, then a slot of 8 bytes for each such
/// scalar, then the addresses of batches' matrices.
class GpuStep : public StepBuilder {
public:
  GpuStep(GpuModule &gpu, mlir::func::FuncOp step, const StepGlobals &globals)
      : StepBuilder(gpu.host, step, globals, "GPU"), gpu(gpu), workspace(step) {
  }

  /// Bytes of the arena with all that was added to the plan's, and where the
  /// globals lie. Known once the step is built.
  int64_t getArenaBytes() const;
  int64_t getGlobalsOffset() const;
  const WorkspacePlan &getWorkspace() const { return workspace; }

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

  /// Gives a kernel's launches what they asked for.
  void placeWorkspace(KernelOp kernel, const WorkspaceRequest &request,
                      mlir::LLVM::ConstantOp offset);
  GpuLauncher getLauncher();
  mlir::Value getArena();
  /// `number` is the constant in the host code that says where.
  mlir::Value getArenaPlace(mlir::Location loc, int64_t offset,
                            mlir::LLVM::ConstantOp &number);
  int64_t getSlotsOffset() const;
  int64_t getPointersOffset() const;
  /// Launches the kernel that writes the addresses, in front of all others.
  void emitPointers();
  unsigned getSlotNumber(mlir::Value scalar);
  /// Writes and launches the scalar ops that wait.
  void flush();

  GpuModule &gpu;
  WorkspacePlan workspace;
  mlir::LLVM::ConstantOp imageBytes;
  /// Places that count from where the globals, slots and addresses will begin.
  llvm::SmallVector<mlir::LLVM::ConstantOp> globalPlaces, slotPlaces,
      pointerPlaces;
  BatchPointers pointers;
  llvm::SmallVector<mlir::Operation *> pending;
  llvm::MapVector<mlir::Value, unsigned> slots;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUSTEP_H
