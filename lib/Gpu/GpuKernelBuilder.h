//===- GpuKernelBuilder.h - a kernel and its launch -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GPUKERNELBUILDER_H
#define MEMOPT_LIB_GPU_GPUKERNELBUILDER_H

#include "GpuModule.h"
#include "MemOpt/Codegen/StepFrame.h"

namespace memopt {

/// The threads of a launch.
struct GpuGeometry {
  int64_t grid[3] = {1, 1, 1};
  int64_t block[3] = {1, 1, 1};
  /// Shared memory beside the kernel's own.
  int64_t sharedBytes = 0;

  int64_t getThreads() const { return block[0] * block[1] * block[2]; }
};

/// A pointer that a kernel is launched with.
struct GpuParameter {
  mlir::Value pointer;
  /// n: a buffer of n bytes that is read; -n: one that is written whole; 0:
  /// nothing is promised. The emulator checks it.
  int64_t bytes = 0;
  /// No other parameter of the launch reaches the same bytes.
  bool alone = true;
};

/// Writes the host code of a launch, wherever it stands in the step.
class GpuLauncher {
public:
  GpuLauncher(GpuModule &gpu, mlir::OpBuilder &host, StepFrame &frame,
              mlir::Value imageBytes)
      : gpu(gpu), host(host), frame(frame), imageBytes(imageBytes) {}

  /// A kernel of these parameters under a name that starts with `stem`, with an
  /// entry block; `text` tells it from others. Its threads a block are known.
  mlir::LLVM::LLVMFuncOp create(mlir::Location loc, llvm::StringRef text,
                                llvm::StringRef stem,
                                llvm::ArrayRef<GpuParameter> parameters,
                                const GpuGeometry &geometry);
  void launch(mlir::Location loc, mlir::LLVM::LLVMFuncOp function,
              const GpuGeometry &geometry,
              llvm::ArrayRef<GpuParameter> parameters);

  GpuModule &getModule() { return gpu; }
  mlir::OpBuilder &getHost() { return host; }
  StepFrame &getFrame() { return frame; }

private:
  GpuModule &gpu;
  mlir::OpBuilder &host;
  StepFrame &frame;
  mlir::Value imageBytes;
};

/// One memopt.kernel on its way to code. `buffers` are pointers, in host code,
/// to its inputs and then its outputs in device memory; an input that is a
/// scalar lies in a slot of its own type.
class GpuKernelBuilder {
public:
  GpuKernelBuilder(GpuLauncher &launcher, KernelOp kernel,
                   mlir::ValueRange buffers, mlir::Value workspace);

  GpuModule &getModule() { return launcher.getModule(); }
  GpuLauncher &getLauncher() { return launcher; }
  KernelOp getKernel() { return kernel; }
  mlir::Location getLoc() { return kernel.getLoc(); }
  mlir::OpBuilder &getHost() { return launcher.getHost(); }
  mlir::ValueRange getBuffers() const { return buffers; }
  mlir::Value getBuffer(unsigned operand) const { return buffers[operand]; }
  llvm::StringRef getText() const { return text; }
  /// Device memory of the chip's workspaceBytes, free between launches.
  mlir::Value getWorkspace() { return workspace; }

  /// The parameters that stand for the kernel's operands. `writesAll`: the
  /// launch writes every element of each output.
  llvm::SmallVector<GpuParameter> getParameters(bool writesAll) const;

  using Body = llvm::function_ref<llvm::LogicalResult(
      mlir::OpBuilder &, mlir::ValueRange pointers)>;
  /// Writes a device kernel of the given parameters by `body`, unless a kernel
  /// of the same text, part and geometry has one. `body` starts in the entry
  /// block and need not return.
  llvm::FailureOr<mlir::LLVM::LLVMFuncOp>
  outline(llvm::StringRef part, llvm::ArrayRef<GpuParameter> parameters,
          const GpuGeometry &geometry, Body body);

  /// Launches it, and puts it on the list of launches.
  void launch(mlir::LLVM::LLVMFuncOp function,
              llvm::ArrayRef<GpuParameter> parameters,
              const GpuGeometry &geometry, const GpuTraffic &traffic);

private:
  GpuLauncher &launcher;
  KernelOp kernel;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value workspace;
  std::string text;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUKERNELBUILDER_H
