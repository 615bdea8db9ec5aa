//===- ReferenceStep.h - another step on the same arguments -----*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two trainings that differ by rounding alone part in time, since a training
// amplifies what is small. Whether two steps compute the same is seen step by
// step: both start from the same parameters, those of the one that trains.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_REFERENCESTEP_H
#define MEMOPT_RUN_REFERENCESTEP_H

#include "MemOpt/Run/Execution.h"

namespace memopt::run {

/// How far the results of one step are from its reference's.
struct StepDifference {
  /// Of result 0 and its reference r: |difference| / |r|.
  double loss = 0;
  /// The largest |difference| / max(|r|, 0.01 G) over the results, of norms as
  /// in Compare.h.
  double results = 0;
};

class ReferenceStep {
public:
  /// `reference` must take and give the types of `step`, and outlive the
  /// result; `device` as in Execution.
  static llvm::Expected<ReferenceStep> create(const CompiledStep &reference,
                                              const StepInterface &step,
                                              Device *device = nullptr);

  /// Runs on the arguments of `execution`, which is about to run itself.
  llvm::Error runBefore(Execution &execution);
  /// Compares with the results of `execution`, which has run.
  StepDifference compare(const Execution &execution) const;

private:
  explicit ReferenceStep(Execution execution)
      : execution(std::move(execution)) {}
  Execution execution;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_REFERENCESTEP_H
