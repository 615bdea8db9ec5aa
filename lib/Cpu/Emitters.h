//===- Emitters.h - one function a kind of kernel ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_CPU_EMITTERS_H
#define MEMOPT_LIB_CPU_EMITTERS_H

#include "KernelBuilder.h"

namespace memopt {

/// Each writes the code of one kernel: functions into the new module, and into
/// the step what runs them. Fails with a diagnostic that names the op that has
/// no code.
///
/// Elementwise kernels, row reductions and column reductions.
llvm::LogicalResult emitRows(KernelOp kernel, KernelBuilder &builder);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_EMITTERS_H
