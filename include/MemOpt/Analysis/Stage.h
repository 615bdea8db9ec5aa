//===- Stage.h - how far a step has come ------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_STAGE_H
#define MEMOPT_ANALYSIS_STAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace memopt {

/// Whether a function went through memopt-raise. That it holds memopt ops says
/// so; where nothing was recognised, the attribute `memopt.raised` does.
/// Without it, a pass that rewrites memopt ops could not tell a step without
/// activations and norms from one that it meets too early.
bool isRaised(mlir::func::FuncOp function);

/// For memopt-raise and memopt-to-linalg: sets the attribute where no memopt op says
/// the same, or removes it.
void setRaised(mlir::func::FuncOp function, bool raised);

/// Fails with a diagnostic that names `pass` and what it expects where
/// `function` is not raised.
llvm::LogicalResult requireRaised(mlir::func::FuncOp function,
                                  llvm::StringRef pass);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_STAGE_H
