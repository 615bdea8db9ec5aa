//===- Hull.cpp - all plans that some price makes best --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/MinCut/Hull.h"

#include <algorithm>
#include <numeric>

using namespace memopt;

namespace {

/// The chord rule of Eisner and Severance (J. ACM 23, 1976): the price at which
/// two plans tie either shows a plan below their chord, or that the chord is an
/// edge of the hull.
class HullBuilder {
public:
  /// All vertices, or only those of the edges that are over some `points`, in
  /// bytes.
  HullBuilder(const ChoiceGraph &graph, std::vector<ChoicePlan> &vertices,
              const std::vector<int64_t> *points = nullptr)
      : graph(graph), solver(graph), vertices(vertices), points(points) {}

  int build() {
    // Lexicographic optima: a weight above the other sum makes it come first.
    ChoicePlan cheap = solve(1, graph.totalBytes() + 1);
    ChoicePlan small = solve(graph.totalCost() + 1, 1);
    vertices.push_back(cheap);
    if (small.bytes < cheap.bytes) {
      between(cheap, small);
      vertices.push_back(small);
    }
    return cuts;
  }

private:
  ChoicePlan solve(int64_t byteWeight, int64_t costWeight) {
    ++cuts;
    return solver.minimize(byteWeight, costWeight);
  }

  /// Adds the vertices strictly between `a` (more bytes) and `b`.
  void between(const ChoicePlan &a, const ChoicePlan &b) {
    int64_t byteWeight = b.cost - a.cost, costWeight = a.bytes - b.bytes;
    if (byteWeight <= 0 || costWeight <= 0)
      return;
    int64_t divisor = std::gcd(byteWeight, costWeight);
    byteWeight /= divisor;
    costWeight /= divisor;
    auto price = [&](const ChoicePlan &plan) {
      return static_cast<__int128>(byteWeight) * plan.bytes +
             static_cast<__int128>(costWeight) * plan.cost;
    };
    ChoicePlan middle = solve(byteWeight, costWeight);
    if (price(middle) >= price(a))
      return;
    if (isAsked(middle.bytes, a.bytes))
      between(a, middle);
    vertices.push_back(middle);
    if (isAsked(b.bytes, middle.bytes))
      between(middle, b);
  }

  /// Whether the hull between two vertices is asked for; at a vertex it is
  /// known.
  bool isAsked(int64_t low, int64_t high) const {
    return !points ||
           std::any_of(points->begin(), points->end(), [&](int64_t bytes) {
             return low < bytes && bytes < high;
           });
  }

  const ChoiceGraph &graph;
  CutSolver solver;
  std::vector<ChoicePlan> &vertices;
  const std::vector<int64_t> *points;
  int cuts = 0;
};

} // namespace

Hull Hull::compute(const ChoiceGraph &graph) {
  Hull hull;
  hull.cutCount = HullBuilder(graph, hull.vertices).build();
  return hull;
}

Hull Hull::computeAround(const ChoiceGraph &graph,
                         const std::vector<int64_t> &bytes) {
  Hull hull;
  hull.cutCount = HullBuilder(graph, hull.vertices, &bytes).build();
  return hull;
}

int64_t Hull::lowerBound(int64_t bytes) const {
  if (bytes < vertices.back().bytes)
    return -1;
  if (bytes >= vertices.front().bytes)
    return vertices.front().cost;
  for (size_t i = 0; i + 1 < vertices.size(); ++i) {
    const ChoicePlan &a = vertices[i], &b = vertices[i + 1];
    if (bytes < b.bytes)
      continue;
    // cost >= b.cost - (b.cost - a.cost) (bytes - b.bytes) / (a.bytes -
    // b.bytes)
    __int128 saved = static_cast<__int128>(b.cost - a.cost) * (bytes - b.bytes);
    return b.cost - static_cast<int64_t>(saved / (a.bytes - b.bytes));
  }
  return vertices.back().cost;
}

std::vector<ChoicePlan> Hull::computeChain(const ChoiceGraph &graph) const {
  std::vector<ChoicePlan> chain{vertices.front()};
  CutSolver solver(graph);
  for (size_t i = 0; i + 1 < vertices.size(); ++i) {
    const ChoicePlan &a = vertices[i], &b = vertices[i + 1];
    int64_t byteWeight = b.cost - a.cost, costWeight = a.bytes - b.bytes;
    int64_t divisor = std::gcd(byteWeight, costWeight);
    std::vector<ChoicePlan> edge =
        solver.computeChain(byteWeight / divisor, costWeight / divisor);
    for (auto plan = edge.rbegin(); plan != edge.rend(); ++plan)
      if (plan->bytes < chain.back().bytes)
        chain.push_back(std::move(*plan));
  }
  return chain;
}
