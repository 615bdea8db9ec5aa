//===- PeakMemory.h - bytes alive while a step runs -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulation of a schedule as it will be fused. Function arguments are
// apart: what is counted is everything else that the step needs at once.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_PLANNING_PEAKMEMORY_H
#define MEMOPT_PLANNING_PEAKMEMORY_H

#include "MemOpt/Planning/FusionPlan.h"

namespace memopt {

struct PeakOptions {
  /// Every storage is rounded up to a multiple of this many bytes.
  int64_t alignment = 64;
};

/// One storage that is alive: a value as a run makes it.
struct LiveValue {
  int value = -1;
  int copy = 0;
  int64_t bytes = 0; // aligned
};

struct PeakMemory {
  /// Bytes alive at each kernel: what earlier kernels made and this or a later
  /// one reads, with the inputs that die here; what it makes and others read,
  /// or that nobody reads; and the results of the step that are there already.
  /// A value whose readers are all in its own kernel is not there.
  std::vector<int64_t> bytes;
  /// The largest of them, and the first kernel that has it (-1: no kernel).
  int64_t peakBytes = 0;
  int peakKernel = -1;
  /// Unaligned bytes that cross from the forward to the backward, without the
  /// results of the step.
  int64_t savedBytes = 0;
};

PeakMemory simulatePeak(const StepGraph &graph, const Schedule &schedule,
                        const ScheduleReads &reads, const FusionPlan &fusion,
                        const PeakOptions &options = {});

/// What is alive at a kernel, in the order in which it is made; the bytes sum
/// to PeakMemory::bytes.
std::vector<LiveValue> listLive(const StepGraph &graph,
                                const Schedule &schedule,
                                const ScheduleReads &reads,
                                const FusionPlan &fusion, int kernel,
                                const PeakOptions &options = {});

} // namespace memopt

#endif // MEMOPT_PLANNING_PEAKMEMORY_H
