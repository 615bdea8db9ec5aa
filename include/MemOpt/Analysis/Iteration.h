//===- Iteration.h - how an op walks over its tensors -----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_ITERATION_H
#define MEMOPT_ANALYSIS_ITERATION_H

#include "MemOpt/Planning/StepGraph.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace memopt {

/// How an op iterates and what that costs, read from indexing maps and iterator
/// types (linalg), traits (elementwise ops on tensors) or the definition
/// (memopt).
struct Iteration {
  OpClass opClass = OpClass::Opaque;
  /// As in StepOp.
  int64_t points = 0;
  int64_t rowLength = 1;
  /// Contractions and convolutions: 2 points (a product and a sum). Others:
  /// points times the float operations of the body; conversions count nothing.
  int64_t flops = 0;
  int elementBytes = 4;
  /// The storages that are read at the very point that is computed, or, by a
  /// row op, within its very row; by all their readers in the op.
  llvm::DenseSet<mlir::Value> aligned;
};

/// Fails with a diagnostic where a product passes 2^62. All shapes must be
/// static.
llvm::FailureOr<Iteration> getIteration(mlir::Operation *op);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_ITERATION_H
