//===- FusedStep.h - a step as written, fused and simulated ------*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_FUSEDSTEP_H
#define MEMOPT_ANALYSIS_FUSEDSTEP_H

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/PeakMemory.h"

namespace memopt {

/// The order in which a step is written, its kernels, and what they need.
struct FusedStep {
  BuiltStepGraph built;
  Schedule schedule;
  ScheduleReads reads;
  FusionPlan fusion;
  PeakMemory peak;
};

/// Fails with a diagnostic where the step's graph cannot be built.
llvm::FailureOr<FusedStep> fuseAsWritten(const TrainingStep &step);

} // namespace memopt

#endif // MEMOPT_ANALYSIS_FUSEDSTEP_H
