//===- Hull.h - all plans that some price makes best ------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_MINCUT_HULL_H
#define MEMOPT_MINCUT_HULL_H

#include "MemOpt/MinCut/ChoiceGraph.h"

namespace memopt {

/// The plan that minimises byteWeight * bytes + costWeight * cost, with every
/// dependency: a minimum cut in the network with, for each value v and op o,
///
///     v_in -> v_out   byteWeight bytes(v)     cut: v is kept (infinite where
///     it
///                                             may not be)
///     source -> o     costWeight cost(o)      cut: o runs again
///     u_out -> o      infinite, each operand u of o
///     o -> v_in       infinite, each result v of o
///     v_out -> sink   infinite where the backward needs v
///
/// Of several minimum cuts the one whose source side is smallest, which does
/// not depend on the flow that was found. Weights are >= 0 and at most 2^62,
/// and not both 0.
ChoicePlan minimizePrice(const ChoiceGraph &graph, int64_t byteWeight,
                         int64_t costWeight);

/// Plans that all minimise byteWeight * bytes + costWeight * cost, from the one
/// with the fewest bytes to the one with the most. The strongly connected
/// components of the residual network, with their order, span all minimum cuts
/// (Picard and Queyranne, Math. Programming Study 13, 1980); the chain adds
/// them one by one to the source side, of those whose turn it can be the one
/// that is made latest first, so that late values are kept and early ones
/// recomputed. Plans equal in bytes and cost to their predecessor are left out.
std::vector<ChoicePlan> chainAtPrice(const ChoiceGraph &graph,
                                     int64_t byteWeight, int64_t costWeight);

/// The lower convex hull of (bytes, cost) over all plans.
class Hull {
public:
  /// One minimum cut for each vertex and each edge of the hull.
  static Hull compute(const ChoiceGraph &graph);

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
