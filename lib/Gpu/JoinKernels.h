//===- JoinKernels.h - two kernels of the plan in one launch ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan fuses what follows from each other. Kernels side by side that read
// the same, as an activation and its code or the gradients of gamma and beta,
// are two for it, and read their operand twice. Where both can run at the place
// of the first they become one kernel here. No buffer is moved and none lives
// longer, so that the plan's memory stays what it is.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_GPU_JOINKERNELS_H
#define MEMOPT_LIB_GPU_JOINKERNELS_H

#include "Chips.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Joins elementwise kernels and reductions of a planned step where together
/// they move fewer bytes. The second one is done at the place of the first: no
/// op in between writes what it reads, or touches what it writes.
void joinKernels(mlir::func::FuncOp step, const GpuChip &chip);

} // namespace memopt

#endif // MEMOPT_LIB_GPU_JOINKERNELS_H
