//===- GatherKernel.h - elements made contiguous ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_GATHERKERNEL_H
#define MEMOPT_LIB_GPU_GATHERKERNEL_H

#include "GpuKernelBuilder.h"

namespace memopt {

struct GatherLoop {
  int64_t size, stride;
};

/// Launches a kernel that writes the elements which the loops reach, the last
/// loop fastest, one behind the other to `target`: sum of i stride behind
/// element `offset` of `source`. A thread copies 16 bytes at once where the
/// last loop runs along memory; where another one does, tiles are turned in
/// shared memory. `target`, like `source`, is on a boundary of 16 bytes. `kind`
/// is that of the launch, and begins the kernel's name.
void emitGatherKernel(GpuLauncher &launcher, mlir::Location loc,
                      mlir::Type element, llvm::ArrayRef<GatherLoop> loops,
                      mlir::Value source, int64_t offset, mlir::Value target,
                      llvm::StringRef kind = "gather");

/// Whether it turns tiles.
bool isTransposition(llvm::ArrayRef<GatherLoop> loops);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_GATHERKERNEL_H
