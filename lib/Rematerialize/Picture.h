//===- Picture.h - a plan as a picture --------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_REMATERIALIZE_PICTURE_H
#define MEMOPT_LIB_REMATERIALIZE_PICTURE_H

#include "MemOpt/Planning/PeakMemory.h"

#include <array>
#include <string>

namespace memopt {

/// What bytes are for, from the bottom of the picture to its top.
enum MemoryKind {
  Arguments,   ///< what the caller owns
  Results,     ///< gradients and other results of the step
  Codes,       ///< packed codes that cross to the backward
  Activations, ///< everything else that crosses
  Recomputed,  ///< what was made again
  Transients,  ///< the rest: used on the side where it is made
  KindCount
};

/// Bytes of each kind while a schedule runs, kernel by kernel; long schedules
/// are sampled, the fullest kernel of each sample's neighbourhood.
struct Timeline {
  std::vector<std::array<int64_t, KindCount>> bytes;
  /// Where the backward begins, as a sample.
  size_t backward = 0;
};

Timeline traceSchedule(const StepGraph &graph, const Schedule &schedule);

/// A plan that nothing beats: its peak, and what it and any plan within that
/// peak cost, as shares of the step.
struct FrontPoint {
  int64_t peakBytes = 0;
  double overhead = 0, bound = 0;
};

struct Picture {
  std::string title;
  Timeline before, after;
  std::vector<FrontPoint> front; // rising peaks
  FrontPoint chosen;
  int64_t budget = -1; // of the peak; -1: none

  /// A self-contained SVG document.
  std::string draw() const;
};

} // namespace memopt

#endif // MEMOPT_LIB_REMATERIALIZE_PICTURE_H
