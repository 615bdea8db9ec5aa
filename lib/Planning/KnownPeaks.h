//===- KnownPeaks.h - simulations that need not run again -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Peaks that lie close together are searched along the same plans: a fifth to
// two fifths of all candidates were simulated before.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_KNOWNPEAKS_H
#define MEMOPT_LIB_PLANNING_KNOWNPEAKS_H

#include "MemOpt/Planning/PeakMemory.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace memopt {

/// What a simulation said, without its schedule.
struct KnownPeak {
  PeakMemory peak;
  int64_t cost = 0; // picoseconds
  int64_t runs = 0; // positions of the schedule
};

/// The simulations of the last candidates, up to some 32 MiB. Entries are
/// looked up and never walked, so that no order comes from the hash.
class KnownPeaks {
public:
  /// Null where the key was not simulated or is forgotten.
  const KnownPeak *find(const std::string &key) const;
  /// What is added stays at least until the next one is.
  const KnownPeak *add(const std::string &key, KnownPeak known);

private:
  std::unordered_map<std::string, KnownPeak> entries;
  std::deque<const std::string *> oldest; // keys, in the order of arrival
  size_t bytes = 0;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_KNOWNPEAKS_H
