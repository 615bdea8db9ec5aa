//===- FenceCondition.h - the condition of a fence upstream ----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence that left the dialect (`fence=scalar`) is a select under a condition
// that hangs on an element of the tensor that it waits for and always holds:
//
//   (x | c) != 0    for a constant c other than 0
//
// Such an element is waited for, but not read, as that of `memopt.fence` is.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_FENCECONDITION_H
#define MEMOPT_ANALYSIS_FENCECONDITION_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace memopt {

/// True where the element serves for nothing but conditions that always hold.
bool isOnlyWaitedFor(mlir::tensor::ExtractOp element);

/// Takes the conditions that always hold out of all bodies below `root`, with
/// their selects; for code that runs its ops in the order in which they stand.
void removeFenceConditions(mlir::Operation *root);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_FENCECONDITION_H
