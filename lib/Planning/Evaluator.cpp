//===- Evaluator.cpp - what a choice costs and needs ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace memopt;

namespace {

/// One character for both flags of a value.
std::string makeKey(const Candidate &candidate) {
  std::string key(candidate.kept.size(), 0);
  for (size_t v = 0; v < key.size(); ++v)
    key[v] = static_cast<char>((candidate.kept[v] != 0) +
                               2 * (candidate.rebuilt[v] != 0));
  return key;
}

} // namespace

const PeakMemory &Evaluator::evaluate(Candidate &candidate) {
  std::string key = makeKey(candidate);
  const KnownPeak *known = knownPeaks.find(key);
  if (!known) {
    run(candidate, key);
    known = knownPeaks.add(
        key, {latest.peak, sumPrices(),
              static_cast<int64_t>(latest.schedule.order.size())});
  }
  candidate.cost = known->cost;
  candidate.savedBytes = known->peak.savedBytes;
  candidate.peakBytes = known->peak.peakBytes;
  workLeft -= known->runs + 1;
  return known->peak;
}

const Simulation &Evaluator::look(const Candidate &candidate) {
  std::string key = makeKey(candidate);
  if (key != latestKey)
    run(candidate, key);
  return latest;
}

void Evaluator::run(const Candidate &candidate, const std::string &key) {
  latestKey = key;
  // A placed schedule is sane.
  latest.schedule = placer.place(
      {model.toStep(candidate.kept), model.toStep(candidate.rebuilt)},
      latest.reads);
  latest.fusion = fuser.run(latest.schedule.order, latest.reads);
  latest.peak = peaks.run(latest.schedule.order, latest.reads, latest.fusion);
}

/// What the latest simulation recomputes.
int64_t Evaluator::sumPrices() const {
  __int128 cost = 0;
  for (Run run : latest.schedule.order)
    if (run.copy > 0)
      cost += prices[run.op];
  constexpr int64_t most = int64_t(1) << 62;
  return cost > most ? most : static_cast<int64_t>(cost);
}
