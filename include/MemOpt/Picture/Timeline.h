//===- Timeline.h - bytes by kind over a schedule ---------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PICTURE_TIMELINE_H
#define MEMOPT_PICTURE_TIMELINE_H

#include "MemOpt/Analysis/BuildStepGraph.h"

#include <array>

namespace memopt {

/// What bytes are for, from the bottom of the picture to its top.
enum MemoryKind {
  Arguments,   ///< what the caller owns
  Results,     ///< gradients and other results of the step
  Codes,       ///< 8-bit integers that cross to the backward: packed codes
  Activations, ///< everything else that crosses
  Recomputed,  ///< what was made again
  Transients,  ///< the rest: used on the side where it is made
  KindCount
};

/// Bytes of each kind while a schedule runs, kernel by kernel, fused and
/// aligned as in simulatePeak; long schedules are sampled, the fullest kernel
/// of each sample's neighbourhood.
struct Timeline {
  std::vector<std::array<int64_t, KindCount>> bytes;
  /// Where the backward begins, as a sample.
  size_t backward = 0;
};

/// `schedule` is a sane one of `built.graph`, which is the graph of `step`.
Timeline traceSchedule(const TrainingStep &step, const BuiltStepGraph &built,
                       const Schedule &schedule);

/// The step in the order in which it is written. Fails with a diagnostic where
/// the step's graph cannot be built.
llvm::FailureOr<Timeline> traceAsWritten(const TrainingStep &step);

} // namespace memopt

#endif // MEMOPT_PICTURE_TIMELINE_H
