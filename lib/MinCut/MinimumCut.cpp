//===- MinimumCut.cpp - the best plan at one price ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/MinCut/Hull.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

using namespace memopt;

namespace {

// Cost in picoseconds times bytes passes 2^63 on real steps.
using Capacity = __int128;

/// The flow network over nodes v_in, v_out, o, source, sink.
class Network {
  using Traits =
      boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  struct Node {
    boost::default_color_type color;
    long distance;
    Traits::edge_descriptor predecessor;
  };
  struct Edge {
    Capacity capacity, residual;
    Traits::edge_descriptor reverse;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS,
                                      boost::directedS, Node, Edge>;

public:
  explicit Network(size_t nodes) : graph(nodes) {}

  void addEdge(int from, int to, Capacity capacity) {
    auto forward = boost::add_edge(from, to, {capacity, 0, {}}, graph).first;
    auto backward = boost::add_edge(to, from, {0, 0, {}}, graph).first;
    graph[forward].reverse = backward;
    graph[backward].reverse = forward;
  }

  /// The smallest source side of a minimum cut: what the source reaches in the
  /// residual of a maximum flow.
  std::vector<char> cut(int source, int sink) {
    using boost::get;
    boost::boykov_kolmogorov_max_flow(
        graph, get(&Edge::capacity, graph), get(&Edge::residual, graph),
        get(&Edge::reverse, graph), get(&Node::predecessor, graph),
        get(&Node::color, graph), get(&Node::distance, graph),
        get(boost::vertex_index, graph), source, sink);
    std::vector<char> side(boost::num_vertices(graph), 0);
    std::vector<int> stack{source};
    side[source] = 1;
    while (!stack.empty()) {
      int node = stack.back();
      stack.pop_back();
      for (auto [edge, end] = boost::out_edges(node, graph); edge != end;
           ++edge) {
        int next = static_cast<int>(boost::target(*edge, graph));
        if (graph[*edge].residual > 0 && !side[next]) {
          side[next] = 1;
          stack.push_back(next);
        }
      }
    }
    return side;
  }

private:
  Graph graph;
};

} // namespace

ChoicePlan memopt::minimizePrice(const ChoiceGraph &graph, int64_t byteWeight,
                                 int64_t costWeight) {
  const auto &values = graph.getValues();
  const auto &ops = graph.getOps();
  int valueCount = static_cast<int>(values.size());
  auto in = [](int v) { return 2 * v; };
  auto out = [](int v) { return 2 * v + 1; };
  auto node = [&](int o) { return 2 * valueCount + o; };
  int source = 2 * valueCount + static_cast<int>(ops.size()), sink = source + 1;
  // No finite cut reaches it: weights and sums are at most 2^62 each.
  constexpr Capacity infinite = static_cast<Capacity>(1) << 126;

  Network network(sink + 1);
  for (int v = 0; v < valueCount; ++v) {
    network.addEdge(in(v), out(v),
                    static_cast<Capacity>(byteWeight) * values[v].bytes);
    if (values[v].needed)
      network.addEdge(out(v), sink, infinite);
  }
  for (int o = 0; o < static_cast<int>(ops.size()); ++o) {
    network.addEdge(source, node(o),
                    ops[o].recomputable
                        ? static_cast<Capacity>(costWeight) * ops[o].cost
                        : infinite);
    for (int u : ops[o].operands)
      network.addEdge(out(u), node(o), infinite);
    for (int v : ops[o].results)
      network.addEdge(node(o), in(v), infinite);
  }
  std::vector<char> side = network.cut(source, sink);
  std::vector<char> kept(values.size(), 0);
  for (int v = 0; v < valueCount; ++v)
    kept[v] = side[in(v)] && !side[out(v)];
  return planFromKept(graph, kept);
}
