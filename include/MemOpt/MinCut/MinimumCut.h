//===- MinimumCut.h - the best plan at one price ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_MINCUT_MINIMUMCUT_H
#define MEMOPT_MINCUT_MINIMUMCUT_H

#include "MemOpt/MinCut/ChoiceGraph.h"

#include <memory>

namespace memopt {

/// Minimum cuts of one graph at any number of prices. The graph must outlive
/// it.
class CutSolver {
public:
  explicit CutSolver(const ChoiceGraph &graph);
  ~CutSolver();

  /// The plan that minimises byteWeight * bytes + costWeight * cost, with every
  /// dependency: a minimum cut in the network with, for each value v and op o,
  ///
  ///     v_in -> v_out   byteWeight bytes(v)     cut: v is kept (infinite
  ///                                             where it may not be)
  ///     source -> o     costWeight cost(o)      cut: o runs again
  ///     u_out -> o      infinite, each operand u of o
  ///     o -> v_in       infinite, each result v of o
  ///     v_out -> sink   infinite where the backward needs v
  ///
  /// Of several minimum cuts the one whose source side is smallest, which does
  /// not depend on the flow that was found. Weights are >= 0 and at most 2^62,
  /// and not both 0.
  ChoicePlan minimize(int64_t byteWeight, int64_t costWeight);

  /// The plan that minimises the weights of what it keeps plus costWeight *
  /// cost: one weight a value in place of its bytes. At most 2^62 in all.
  ChoicePlan minimize(const std::vector<int64_t> &weights, int64_t costWeight);

  /// Plans that all minimise byteWeight * bytes + costWeight * cost, from the
  /// one with the fewest bytes to the one with the most. The strongly connected
  /// components of the residual network, with their order, span all minimum
  /// cuts (Picard and Queyranne, Math. Programming Study 13, 1980); the chain
  /// adds them one by one to the source side, of those whose turn it can be the
  /// one that is made latest first, so that late values are kept and early ones
  /// recomputed. Plans equal in bytes and cost to their predecessor are left
  /// out.
  std::vector<ChoicePlan> computeChain(int64_t byteWeight, int64_t costWeight);

private:
  class Network;
  const ChoiceGraph &graph;
  std::unique_ptr<Network> network;
};

} // namespace memopt

#endif // MEMOPT_MINCUT_MINIMUMCUT_H
