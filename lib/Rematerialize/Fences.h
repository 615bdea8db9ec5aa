//===- Fences.h - what keeps recomputation apart ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REMATERIALIZE_FENCES_H
#define MEMOPT_LIB_REMATERIALIZE_FENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace memopt {

/// The operand to fence so that `op` is no repetition: of an op that is lowered
/// to several, the one that all of them read; else the smallest tensor that is
/// read, or, where none is, an init. Null where the op has no tensor operand.
mlir::Value chooseFenced(mlir::Operation *op);

/// The result of `op` that a fence can stand after: it holds a number. Null
/// where there is none.
mlir::Value getAwaited(mlir::Operation *op);

/// Fails where the step has a plan: a second one would take the first one's
/// recomputations for the step's own. `pass` is who says so.
llvm::LogicalResult requireUnplanned(mlir::func::FuncOp function,
                                     llvm::StringRef pass);

/// Fences each op after `lastForward` that computes what an op up to there
/// computes from the same values, so that cse would merge the two and hold the
/// result from one to the other: a step whose front end recomputes already.
void fenceRepeats(mlir::Block &body, mlir::Operation *lastForward);

} // namespace memopt

#endif // MEMOPT_LIB_REMATERIALIZE_FENCES_H
