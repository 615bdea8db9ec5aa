//===- Emitters.h - kernels on their way to GPU code ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_EMITTERS_H
#define MEMOPT_LIB_GPU_EMITTERS_H

#include "GpuKernelBuilder.h"

namespace memopt {

// One function a kind of kernel. Each writes the kernel's device code (by
// outline) and runs it (by launch), or fails with a diagnostic on an op that
// has no GPU code.

/// Elementwise kernels, row and column reductions, from a KernelProgram.
llvm::LogicalResult emitGpuRows(GpuKernelBuilder &builder);
/// A product, what must be gathered before it and what follows it.
llvm::LogicalResult emitGpuContraction(GpuKernelBuilder &builder);
/// Gathers, scatters, concatenations, copies.
llvm::LogicalResult emitGpuMovement(GpuKernelBuilder &builder);
/// Anything else.
llvm::LogicalResult emitGpuOpaque(GpuKernelBuilder &builder);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_EMITTERS_H
