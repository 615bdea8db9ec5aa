//===- RandomGraph.h - small graphs for tests -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_MINCUT_RANDOMGRAPH_H
#define MEMOPT_TEST_MINCUT_RANDOMGRAPH_H

#include "MemOpt/MinCut/ChoiceGraph.h"

#include <random>

namespace memopt {

/// A random graph of `ops` ops, some with two results, some not recomputable.
/// Each but the first reads `leastOperands` to 2 values.
inline ChoiceGraph randomGraph(std::mt19937 &random, int ops,
                               int leastOperands) {
  auto below = [&](int n) { return static_cast<int>(random() % n); };
  ChoiceGraph graph;
  for (int o = 0; o < ops; ++o) {
    std::vector<int> operands;
    int made = static_cast<int>(graph.getValues().size());
    for (int i = 0, n = made ? leastOperands + below(3 - leastOperands) : 0;
         i < n; ++i)
      operands.push_back(below(made));
    std::vector<int64_t> bytes(1 + below(4) / 3);
    for (int64_t &b : bytes)
      b = below(20);
    graph.addOp(below(20), below(8) != 0, operands, bytes);
  }
  for (int v = 0; v < static_cast<int>(graph.getValues().size()); ++v) {
    if (below(3) == 0)
      graph.setNeeded(v);
    if (graph.getOps()[graph.getValues()[v].op].recomputable && below(8) == 0)
      graph.setNotKeepable(v);
  }
  return graph;
}

} // namespace memopt

#endif // MEMOPT_TEST_MINCUT_RANDOMGRAPH_H
