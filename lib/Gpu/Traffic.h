//===- Traffic.h - bytes that a launch moves --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_TRAFFIC_H
#define MEMOPT_LIB_GPU_TRAFFIC_H

#include "GpuKernelBuilder.h"
#include "GpuWalk.h"

namespace memopt {

/// The nodes that read memory, of those that `roots` need without the results
/// of reductions; in the program's order.
llvm::SmallVector<int> getLoads(const KernelProgram &program,
                                llvm::ArrayRef<int> roots);

/// What a stage moves. `parameters` are those of the kernel's operands, by
/// which a source is known. A gather counts as if it reached its whole source,
/// or an element at each of its points where those are fewer.
GpuTraffic getTraffic(const KernelProgram &program, const GpuStage &stage,
                      llvm::ArrayRef<GpuParameter> parameters);

/// What a kernel moves that reads each of its inputs and writes each of its
/// outputs once: an upper bound where it reads parts of them.
GpuTraffic getWholeTraffic(llvm::ArrayRef<GpuParameter> parameters);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_TRAFFIC_H
