//===- ChooseRewrites.h - no rewrite that a plan does not need --*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PIPELINES_CHOOSEREWRITES_H
#define MEMOPT_LIB_PIPELINES_CHOOSEREWRITES_H

#include "MemOpt/Analysis/TrainingStep.h"
#include "mlir/Pass/PassManager.h"

namespace memopt {

struct ChooseRewritesOptions {
  TrainingStepOptions step;
  /// Whether a code, and whether a shared norm, is given up where the plan
  /// does not keep it.
  bool codes = true, norms = false;
  /// Whose roofline says which of two plans takes longer.
  std::string device;
};

/// A pass on modules with a raised step that rewrites and plans it, and once
/// more without what the plan does not need.
///
/// `rewrite` holds the two rewrites, `plan` everything from there to
/// memopt-rematerialize. Where the planned step makes a code again in its
/// backward instead of keeping it, the code saves nothing, and its gradient is
/// approximate for nothing; likewise a normalised output that is not kept. Then
/// the gradients of those are marked `memopt.left_alone`, and the step as it
/// was is rewritten and planned a second time. The second plan is taken where
/// it fits the same budget and the modelled time of the whole step, with what
/// runs again, is no longer.
std::unique_ptr<mlir::Pass>
createChooseRewrites(const ChooseRewritesOptions &options,
                     mlir::OpPassManager rewrite, mlir::OpPassManager plan);

} // namespace memopt

#endif // MEMOPT_LIB_PIPELINES_CHOOSEREWRITES_H
