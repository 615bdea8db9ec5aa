//===- Share.h - which norms share their output -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_SHARE_SHARE_H
#define MEMOPT_SHARE_SHARE_H

#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Dialect/MemOpt.h"

namespace memopt {

/// All gradients of norms of one x: they share one normalised value, so they
/// are decided together.
struct NormDecision {
  /// In program order.
  llvm::SmallVector<NormGradOp> grads;
  /// The norms of that x in the forward, of the same kind, epsilon and rows.
  llvm::SmallVector<NormOp> norms;
  /// Why they are left alone; empty where sharing saves bytes.
  std::string reason;
  /// Bytes that the backward need not keep any more.
  int64_t savedBytes = 0;
  /// The gradients read an xhat that the forward rounded.
  bool rounded = false;
};

/// Decides about every norm gradient of the step, in program order of the first
/// of each x. Changes nothing. `allowRounded` admits a rounded xhat where the
/// exact one saves nothing.
llvm::SmallVector<NormDecision> explainNorms(const TrainingStep &step,
                                             const SavedActivations &saved,
                                             bool allowRounded);

/// Decides again about the gradients and norms of `decision`, which other
/// rewrites may have changed the surroundings of.
void explainNorm(const TrainingStep &step, const SavedActivations &saved,
                 bool allowRounded, NormDecision &decision);

/// Applies a decision whose reason is empty. The ops of `decision.grads` are
/// gone afterwards.
void shareNormOutput(mlir::RewriterBase &rewriter, const TrainingStep &step,
                     NormDecision &decision);

} // namespace memopt

#endif // MEMOPT_SHARE_SHARE_H
