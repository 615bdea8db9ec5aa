//===- Effects.h - what may run twice, what may move ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_EFFECTS_H
#define MEMOPT_ANALYSIS_EFFECTS_H

#include "mlir/IR/Operation.h"

namespace memopt {

/// True where the op and all in its regions compute their results from their
/// operands and do nothing else. Not so: reads and writes of memory or globals,
/// calls, assertions, ops that are not registered, and collectives, which meet
/// other devices although upstream calls them pure.
bool isFunctional(mlir::Operation *op);

/// The same of the op itself, whatever is in its regions.
bool isFunctionalAlone(mlir::Operation *op);

/// True where the op may run again in the backward: it is functional and
/// deterministic, makes tensors only, and has a tensor operand behind which a
/// fence can stand.
bool mayRunAgain(mlir::Operation *op);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_EFFECTS_H
