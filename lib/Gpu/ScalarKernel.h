//===- ScalarKernel.h - scalars between kernels -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_SCALARKERNEL_H
#define MEMOPT_LIB_GPU_SCALARKERNEL_H

#include "GpuKernelBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace memopt {

/// Ops on scalars, loads and stores of single elements, in order.
struct ScalarKernel {
  llvm::ArrayRef<mlir::Operation *> ops;
  /// Host pointers to the buffers that they access, and to the slots of scalars
  /// from before.
  llvm::MapVector<mlir::Value, mlir::Value> pointers;
  /// Host pointers to the slots of results.
  llvm::MapVector<mlir::Value, mlir::Value> results;
};

/// Launches one thread that does it.
void emitScalarKernel(GpuLauncher &launcher, const ScalarKernel &kernel);

/// Launches a copy of a contiguous buffer, a thread an element.
void emitCopyKernel(GpuLauncher &launcher, mlir::Location loc,
                    mlir::MemRefType type, mlir::Value source,
                    mlir::Value target);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_SCALARKERNEL_H
