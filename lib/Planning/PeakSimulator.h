//===- PeakSimulator.h - the peaks of many schedules ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What simulatePeak() and listLive() do, for many schedules of one step.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_PEAKSIMULATOR_H
#define MEMOPT_LIB_PLANNING_PEAKSIMULATOR_H

#include "FlatStep.h"
#include "MemOpt/Planning/PeakMemory.h"

namespace memopt {

/// Its members are scratch that is kept from one schedule to the next.
class PeakSimulator {
public:
  /// `step` must outlive it.
  PeakSimulator(const FlatStep &step, const PeakOptions &options);

  PeakMemory run(const std::vector<Run> &order, const ScheduleReads &reads,
                 const FusionPlan &fusion);

  /// What is alive at a kernel.
  std::vector<LiveValue> list(const std::vector<Run> &order,
                              const ScheduleReads &reads,
                              const FusionPlan &fusion, int kernel);

private:
  void findDeaths(const std::vector<Run> &order, const ScheduleReads &reads,
                  const FusionPlan &fusion);
  template <typename F>
  void forEachStorage(const std::vector<Run> &order, const FusionPlan &fusion,
                      F visit) const;

  const FlatStep &step;
  std::vector<int64_t> aligned; // bytes of each result
  /// The last kernel that reads result i of the run at position p, or -1, is
  /// deaths[base[p] + i].
  std::vector<int> base, deaths;
  std::vector<char> forward; // flags of kernels
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_PEAKSIMULATOR_H
