//===- Approximate.h - which gradients a code pays for ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_APPROXIMATE_APPROXIMATE_H
#define MEMOPT_APPROXIMATE_APPROXIMATE_H

#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Surrogate/Surrogate.h"

namespace memopt {

/// Where thresholds and slopes come from.
enum class Coefficients { Optimal, Paper };

/// All activation gradients that read one storage: they go over to codes
/// together or not at all, since a reader that is left would keep the storage.
struct ActivationDecision {
  /// In program order.
  llvm::SmallVector<ActivationGradOp> grads;
  /// Why they are left alone; empty where codes save bytes.
  std::string reason;
  /// Bytes that the backward need not keep any more; nothing where sizes are
  /// dynamic.
  std::optional<int64_t> savedBytes;
};

/// Decides about every activation gradient of the step, in program order of the
/// first of each storage. Changes nothing.
llvm::SmallVector<ActivationDecision>
explainActivations(const TrainingStep &step, const SavedActivations &saved,
                   unsigned bits);

/// Applies one decision whose reason is empty: a code directly after each x,
/// and each gradient from its code. All gradients are of the kind of
/// `surrogate`.
void approximate(mlir::RewriterBase &rewriter, ActivationGradOp grad,
                 const Surrogate &surrogate);

} // namespace memopt

#endif // MEMOPT_APPROXIMATE_APPROXIMATE_H
