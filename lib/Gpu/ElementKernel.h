//===- ElementKernel.h - outputs element by element -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_ELEMENTKERNEL_H
#define MEMOPT_LIB_GPU_ELEMENTKERNEL_H

#include "GpuKernelBuilder.h"
#include "MemOpt/Codegen/ElementReader.h"

namespace memopt {

/// A tensor of a kernel's body that lies in device memory, row-major; none if
/// `tensor` is null.
struct GpuLeaf {
  mlir::Value tensor;
  mlir::Value pointer;
};

/// Writes `outputs` of the builder's kernel by loops over their points, with
/// all that vectors, rows and columns give. Fails, with nothing written and
/// without a message, where these have no place for an op.
llvm::LogicalResult emitGpuProgram(GpuKernelBuilder &builder,
                                   llvm::ArrayRef<unsigned> outputs,
                                   const GpuLeaf &leaf);

/// The same one thread an element, each computed from the kernel's inputs and
/// the leaf alone; fails, without a message, where an op, then `refusal`, has
/// no such code.
llvm::LogicalResult emitGpuElements(GpuKernelBuilder &builder,
                                    llvm::ArrayRef<unsigned> outputs,
                                    const GpuLeaf &leaf,
                                    mlir::Operation *&refusal);

/// By emitGpuProgram, and each output that it does not take by
/// emitGpuElements.
llvm::LogicalResult emitGpuOutputs(GpuKernelBuilder &builder,
                                   llvm::ArrayRef<unsigned> outputs,
                                   const GpuLeaf &leaf,
                                   mlir::Operation *&refusal);

/// Writes a tensor of the body, its elements as `type`, row-major to `target`.
/// Fails as emitGpuElements does.
llvm::LogicalResult emitGpuTensor(GpuKernelBuilder &builder, mlir::Value tensor,
                                  mlir::Type type, mlir::Value target,
                                  mlir::Operation *&refusal);

/// The parameters of a launch that reads the kernel's inputs and writes
/// `outputs`, by operand; the others stand for themselves, unused.
llvm::SmallVector<GpuParameter>
getOutputParameters(GpuKernelBuilder &builder, llvm::ArrayRef<unsigned> outputs,
                    bool writesAll);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_ELEMENTKERNEL_H
