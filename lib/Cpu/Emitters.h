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
/// Contractions: matrix products and convolutions.
llvm::LogicalResult emitContraction(KernelOp kernel, KernelBuilder &builder);
/// Movement: gathers, slices, concatenations, padding, copies.
llvm::LogicalResult emitMovement(KernelOp kernel, KernelBuilder &builder);
/// Anything else on tensors, as upstream bufferizes it.
llvm::LogicalResult emitOpaque(KernelOp kernel, KernelBuilder &builder);

/// Writes some outputs, each element computed on its own from what the kernel
/// reads. Fails, without a diagnostic, at an op that has no such code.
llvm::LogicalResult emitOutputs(KernelOp kernel,
                                llvm::ArrayRef<unsigned> outputs,
                                KernelBuilder &builder,
                                mlir::Operation *&refusal);

} // namespace memopt

#endif // MEMOPT_LIB_CPU_EMITTERS_H
