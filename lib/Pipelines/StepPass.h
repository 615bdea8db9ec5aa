//===- StepPass.h - a pass on the training step only ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PIPELINES_STEPPASS_H
#define MEMOPT_PIPELINES_STEPPASS_H

#include "MemOpt/Analysis/TrainingStep.h"
#include "mlir/Pass/Pass.h"

namespace memopt {

/// A pass on modules that finds the step and runs `pass`, a pass on functions,
/// on it and on no other function.
std::unique_ptr<mlir::Pass> createStepPass(const TrainingStepOptions &options,
                                           std::unique_ptr<mlir::Pass> pass);

} // namespace memopt

#endif // MEMOPT_PIPELINES_STEPPASS_H
