//===- Hull.h - all plans that some price makes best ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_MINCUT_HULL_H
#define MEMOPT_MINCUT_HULL_H

#include "MemOpt/MinCut/MinimumCut.h"

namespace memopt {

/// The lower convex hull of (bytes, cost) over all plans.
class Hull {
public:
  /// One minimum cut for each vertex and each edge of the hull.
  static Hull compute(const ChoiceGraph &graph);

  /// Some vertices only, those of the edges over `bytes` among them: what
  /// lowerBound says there is the whole hull's, elsewhere it may be too high.
  static Hull computeAround(const ChoiceGraph &graph,
                            const std::vector<int64_t> &bytes);

  /// From the cheapest plan (most bytes) to the smallest (highest cost).
  const std::vector<ChoicePlan> &getVertices() const { return vertices; }
  /// No plan with at most `bytes` bytes costs less: the hull at `bytes`,
  /// rounded up. -1 where no plan is that small.
  int64_t lowerBound(int64_t bytes) const;
  /// The plans of all chains at the prices of the hull's edges, with falling
  /// bytes: each lies on the hull, so none with as few bytes costs less.
  std::vector<ChoicePlan> computeChain(const ChoiceGraph &graph) const;
  /// Minimum cuts that were computed.
  int getCutCount() const { return cutCount; }

private:
  std::vector<ChoicePlan> vertices;
  int cutCount = 0;
};

} // namespace memopt

#endif // MEMOPT_MINCUT_HULL_H
