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
#include "MemOpt/Runtime/GpuProduct.h"

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
  /// n: a buffer of n bytes that is read; -n: one that is written whole; n +
  /// MEMOPT_GPU_PARTIAL: one that is written in part; 0: nothing is promised.
  /// The emulator checks it.
  int64_t bytes = 0;
  /// No other parameter of the launch reaches the same bytes.
  bool alone = true;

  bool isRead() const { return bytes > 0 && bytes < MEMOPT_GPU_PARTIAL; }
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

/// An address in host code, and where it is.
struct GpuAddress {
  mlir::Value pointer;
  /// The byte of the arena, or of the kernel's workspace; nothing in an
  /// argument of the step.
  std::optional<int64_t> place;
  bool isInWorkspace = false;
};

/// What the launches of one memopt.kernel work in.
struct WorkspaceRequest {
  /// Of the kernel's own.
  int64_t bytes = 0;
  /// For cuBLASLt, in each call of a product: where it begins, and the constant
  /// in the host code that says how many bytes there are.
  struct Product {
    int64_t offset;
    mlir::LLVM::ConstantOp bytes;
  };
  llvm::SmallVector<Product> products;
  /// Arrays of addresses for the batches of a product: where its operands
  /// begin, and the constant in the host code that says where the array does.
  struct Batches {
    gpu::Product product;
    llvm::SmallVector<GpuAddress, 3> operands;
    mlir::LLVM::ConstantOp offset;
  };
  std::vector<Batches> batches;
};

/// One memopt.kernel on its way to code. `buffers` are pointers, in host code,
/// to its inputs and then its outputs in device memory; an input that is a
/// scalar lies in a slot of its own type.
class GpuKernelBuilder {
public:
  GpuKernelBuilder(GpuLauncher &launcher, KernelOp kernel,
                   mlir::ValueRange buffers, mlir::Value arena,
                   mlir::Value workspace, WorkspaceRequest &request);

  GpuModule &getModule() { return launcher.getModule(); }
  GpuLauncher &getLauncher() { return launcher; }
  KernelOp getKernel() { return kernel; }
  mlir::Location getLoc() { return kernel.getLoc(); }
  mlir::OpBuilder &getHost() { return launcher.getHost(); }
  mlir::ValueRange getBuffers() const { return buffers; }
  mlir::Value getBuffer(unsigned operand) const { return buffers[operand]; }
  llvm::StringRef getText() const { return text; }
  /// Device memory of `bytes` for the launches of this kernel, on a boundary of
  /// gpuBoundary. Each call gives the same place.
  mlir::Value getWorkspace(int64_t bytes) {
    request.bytes = std::max(request.bytes, bytes);
    return workspace;
  }
  /// The same as a parameter, through which a block reads what others wrote.
  GpuParameter getScratch(int64_t bytes) {
    return {getWorkspace(bytes), MEMOPT_GPU_PARTIAL + bytes, /*alone=*/false};
  }
  /// `bytes` of it that begin at `offset`.
  GpuAddress getWorkspaceAt(int64_t offset, int64_t bytes);
  WorkspaceRequest &getRequest() { return request; }
  mlir::Value getArena() { return arena; }
  /// Where an input or output begins.
  GpuAddress getAddress(unsigned operand);
  /// The address `offset` elements behind another one.
  GpuAddress getAddress(const GpuAddress &base, mlir::Type element,
                        int64_t offset);

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
  mlir::Value arena, workspace;
  WorkspaceRequest &request;
  std::string text;
};

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GPUKERNELBUILDER_H
