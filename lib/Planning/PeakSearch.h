//===- PeakSearch.h - plans under a peak ------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building, repairing and filling up plans so that the simulated peak fits.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_PEAKSEARCH_H
#define MEMOPT_LIB_PLANNING_PEAKSEARCH_H

#include "Evaluator.h"

#include <optional>

namespace memopt {

class PeakSearch {
public:
  explicit PeakSearch(Evaluator &evaluator);

  /// A plan from the backward's end: starting from nothing kept, while some
  /// instant needs more than `peak` bytes, the latest such instant is relieved
  /// by keeping what the recomputation before it crosses at a narrow place, or
  /// a value that waits there. What is kept late in the backward is read early
  /// in it, so that earlier instants see it, and later runs can be longer than
  /// earlier ones. None where no relief is found.
  std::optional<Candidate> build(int64_t peak);
  /// The same from what another plan keeps.
  std::optional<Candidate> build(int64_t peak, Candidate start);

  /// Brings a plan under `peak` by single changes at the fullest instant: a
  /// value that is alive there is dropped, kept, or made anew for each reader.
  /// None where that does not get there.
  std::optional<Candidate> repair(Candidate plan, int64_t peak);

  /// Keeps more while the peak stays within `peak`, the most cost for a byte
  /// first, late values first among equal; then stops making anew what need
  /// not be.
  void fill(Candidate &plan, int64_t peak);

  /// Flags of the values that are cheap to make anew.
  const std::vector<char> &getCheap() const { return cheap; }

private:
  using Change = std::vector<int>; // values whose flag flips

  std::vector<Change> reliefs(const Simulation &simulation, int kernel) const;
  std::vector<Change> cuts(const Simulation &simulation, int kernel) const;
  std::vector<char> findRepeated(Candidate &plan);
  void holdRebuilt(Candidate &plan, int64_t peak);
  void setWhileFitting(Candidate &plan, int64_t peak,
                       std::vector<char> Candidate::*flags, char flag,
                       const std::vector<int> &values);
  std::vector<int> waiting(const Simulation &simulation, int kernel) const;

  Evaluator &evaluator;
  std::vector<char> cheap;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_PEAKSEARCH_H
