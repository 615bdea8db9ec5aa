//===- PeakBound.h - no plan of that peak costs less ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lower bounds on cost at a peak, for a fixed order of the step's own ops.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_PLANNING_PEAKBOUND_H
#define MEMOPT_LIB_PLANNING_PEAKBOUND_H

#include "MemOpt/MinCut/Hull.h"
#include "MemOpt/Planning/ChoiceModel.h"

namespace memopt {

/// At the moment at which one op runs, some bytes are there in every plan of
/// the order: what it reads and makes, gradients that wait, results of the
/// step. What a plan keeps beyond that moment stands beside them. So the
/// cheapest plan in which only such values weigh, at what is left of the peak,
/// bounds every plan, also with repeated recomputation; the largest bound over
/// a few moments holds.
///
/// Only what no fusion can hide counts: contractions, gathers and opaque ops
/// are kernels of their own in the order in which they stand, and so a value is
/// surely there where one of them, or what depends on one of them, reads it
/// later.
class PeakBound {
public:
  /// `order`: copy 0 of every op, as recomputations are placed in it.
  PeakBound(const StepGraph &graph, const ChoiceModel &model,
            const std::vector<Run> &order);

  /// No plan whose peak is at most `bytes` costs less; -1 where there is none.
  int64_t lowerBound(int64_t bytes) const;

private:
  struct Moment {
    int64_t held = 0; // bytes that are there in every plan
    std::vector<char>
        weighs;         // choice values that are there where they are kept
    int64_t weight = 0; // their bytes
    ChoiceGraph graph;  // in which nothing else weighs
  };

  Moment look(int position) const;
  ChoiceGraph weigh(const Moment &moment) const;

  const StepGraph &graph;
  const ChoiceModel &model;
  const std::vector<Run> &order;
  std::vector<int> positionOf; // of each op
  std::vector<Moment> moments;
};

} // namespace memopt

#endif // MEMOPT_LIB_PLANNING_PEAKBOUND_H
