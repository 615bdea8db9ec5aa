//===- MinimumCut.cpp - the best plan at one price ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/MinCut/MinimumCut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <queue>

using namespace memopt;

namespace {

// Cost in picoseconds times bytes passes 2^63 on real steps.
using Capacity = __int128;

/// The flow network over nodes v_in, v_out, o, source, sink.
class FlowNetwork {
  using Traits =
      boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  struct Node {
    boost::default_color_type color = boost::white_color;
    long distance = 0;
    Traits::edge_descriptor predecessor = {};
  };
  struct Edge {
    Capacity capacity, residual;
    Traits::edge_descriptor reverse;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS,
                                      boost::directedS, Node, Edge>;

public:
  explicit FlowNetwork(size_t nodes) : graph(nodes) {}

  using EdgeId = Traits::edge_descriptor;

  /// An edge without capacity; its reverse has none.
  EdgeId addEdge(int from, int to) {
    auto forward = boost::add_edge(from, to, {0, 0, {}}, graph).first;
    auto backward = boost::add_edge(to, from, {0, 0, {}}, graph).first;
    graph[forward].reverse = backward;
    graph[backward].reverse = forward;
    return forward;
  }
  void setCapacity(EdgeId edge, Capacity capacity) {
    graph[edge].capacity = capacity;
  }

  /// Computes a maximum flow; what follows reads its residual.
  void maximizeFlow(int source, int sink) {
    using boost::get;
    boost::boykov_kolmogorov_max_flow(
        graph, get(&Edge::capacity, graph), get(&Edge::residual, graph),
        get(&Edge::reverse, graph), get(&Node::predecessor, graph),
        get(&Node::color, graph), get(&Node::distance, graph),
        get(boost::vertex_index, graph), source, sink);
  }

  /// Calls f(next) for each node that has residual capacity from `node`.
  template <typename F> void forEachResidual(int node, F f) const {
    for (auto [edge, end] = boost::out_edges(node, graph); edge != end; ++edge)
      if (graph[*edge].residual > 0)
        f(static_cast<int>(boost::target(*edge, graph)));
  }

  /// The smallest source side of a minimum cut: what the source reaches.
  std::vector<char> smallestSide(int source) const {
    std::vector<char> side(size(), 0);
    std::vector<int> stack{source};
    side[source] = 1;
    while (!stack.empty()) {
      int node = stack.back();
      stack.pop_back();
      forEachResidual(node, [&](int next) {
        if (!side[next]) {
          side[next] = 1;
          stack.push_back(next);
        }
      });
    }
    return side;
  }

  /// The strongly connected component of each node in the residual; returns how
  /// many there are.
  int components(std::vector<int> &component) const {
    component.assign(size(), 0);
    auto residual = [this](Traits::edge_descriptor e) {
      return graph[e].residual > 0;
    };
    boost::filtered_graph<Graph, std::function<bool(Traits::edge_descriptor)>>
        filtered(graph, residual);
    return boost::strong_components(
        filtered, boost::make_iterator_property_map(
                      component.begin(), get(boost::vertex_index, filtered)));
  }

  int size() const { return static_cast<int>(boost::num_vertices(graph)); }

private:
  Graph graph;
};

// No finite cut reaches it: weights and sums are at most 2^62 each.
constexpr Capacity infinite = static_cast<Capacity>(1) << 126;

} // namespace

/// The network of a graph, built once; each price sets capacities in it.
class CutSolver::Network {
public:
  explicit Network(const ChoiceGraph &graph)
      : graph(graph), valueCount(static_cast<int>(graph.getValues().size())),
        source(2 * valueCount + static_cast<int>(graph.getOps().size())),
        network(source + 2) {
    int sink = source + 1;
    for (int v = 0; v < valueCount; ++v) {
      keeps.push_back(network.addEdge(in(v), out(v)));
      if (graph.getValues()[v].needed)
        addInfinite(out(v), sink);
    }
    for (int o = 0, e = source - 2 * valueCount; o < e; ++o) {
      const ChoiceOp &op = graph.getOps()[o];
      runs.push_back(network.addEdge(source, 2 * valueCount + o));
      for (int u : op.operands)
        addInfinite(out(u), 2 * valueCount + o);
      for (int v : op.results)
        addInfinite(2 * valueCount + o, in(v));
    }
  }

  /// A maximum flow where keeping value v costs weightOf(v).
  template <typename F> void solve(F weightOf, int64_t costWeight) {
    for (int v = 0; v < valueCount; ++v)
      network.setCapacity(keeps[v], graph.getValues()[v].keepable ? weightOf(v)
                                                                  : infinite);
    for (size_t o = 0; o < runs.size(); ++o) {
      const ChoiceOp &op = graph.getOps()[o];
      network.setCapacity(
          runs[o], op.recomputable ? static_cast<Capacity>(costWeight) * op.cost
                                   : infinite);
    }
    network.maximizeFlow(source, source + 1);
  }
  void solve(int64_t byteWeight, int64_t costWeight) {
    solve(
        [&](int v) {
          return static_cast<Capacity>(byteWeight) * graph.getValues()[v].bytes;
        },
        costWeight);
  }

  std::vector<char> smallestSide() const {
    return network.smallestSide(source);
  }
  ChoicePlan planOfSmallestSide() const {
    return planFromKept(graph, keptBy(smallestSide()));
  }

  /// Flags of the values that a source side keeps.
  std::vector<char> keptBy(const std::vector<char> &side) const {
    std::vector<char> kept(valueCount, 0);
    for (int v = 0; v < valueCount; ++v)
      kept[v] = side[in(v)] && !side[out(v)];
    return kept;
  }

  /// Calls visit(kept) with what a chain of minimum cuts keeps, each a
  /// component larger than the one before, from the smallest source side to the
  /// largest; only where that changes.
  template <typename F> void forEachCut(F visit) const;

private:
  void addInfinite(int from, int to) {
    network.setCapacity(network.addEdge(from, to), infinite);
  }
  static int in(int v) { return 2 * v; }
  static int out(int v) { return 2 * v + 1; }
  /// Where in the step a node stands, to prefer late ones.
  int positionOf(int node) const {
    if (node >= 2 * valueCount)
      return node - 2 * valueCount;
    return graph.getValues()[node / 2].op;
  }

  const ChoiceGraph &graph;
  int valueCount, source;
  FlowNetwork network;
  std::vector<FlowNetwork::EdgeId> keeps, runs; // of each value, of each op
};

template <typename F> void CutSolver::Network::forEachCut(F visit) const {
  std::vector<int> component;
  int count = network.components(component);
  std::vector<std::vector<int>> members(count), readers(count);
  std::vector<int> waiting(count, 0), position(count, -1);
  for (int node = 0; node < network.size(); ++node) {
    int c = component[node];
    members[c].push_back(node);
    if (node < source)
      position[c] = std::max(position[c], positionOf(node));
    // A source side is closed: with a node it holds all the residual reaches.
    network.forEachResidual(node, [&](int next) {
      if (component[next] != c) {
        readers[component[next]].push_back(c);
        ++waiting[c];
      }
    });
  }
  std::vector<char> side = smallestSide(), kept = keptBy(side);
  std::priority_queue<std::pair<int, int>> ready;
  auto settle = [&](int c) {
    for (int reader : readers[c])
      if (--waiting[reader] == 0)
        ready.push({position[reader], reader});
  };
  for (int c = 0; c < count; ++c)
    if (waiting[c] == 0)
      ready.push({position[c], c});
  visit(kept);
  while (!ready.empty()) {
    int c = ready.top().second;
    ready.pop();
    // What reaches the sink stays on its side, and so does all that reaches it.
    if (c == component[source + 1])
      continue;
    for (int node : members[c])
      side[node] = 1;
    settle(c);
    bool changes = false;
    for (int node : members[c])
      if (int v = node / 2; v < valueCount) {
        char keeps = side[in(v)] && !side[out(v)];
        changes |= kept[v] != keeps;
        kept[v] = keeps;
      }
    if (changes)
      visit(kept);
  }
}

CutSolver::CutSolver(const ChoiceGraph &graph)
    : graph(graph), network(std::make_unique<Network>(graph)) {}
CutSolver::~CutSolver() = default;

ChoicePlan CutSolver::minimize(int64_t byteWeight, int64_t costWeight) {
  network->solve(byteWeight, costWeight);
  return network->planOfSmallestSide();
}

ChoicePlan CutSolver::minimize(const std::vector<int64_t> &weights,
                               int64_t costWeight) {
  network->solve([&](int v) { return static_cast<Capacity>(weights[v]); },
                 costWeight);
  return network->planOfSmallestSide();
}

std::vector<ChoicePlan> CutSolver::computeChain(int64_t byteWeight,
                                                int64_t costWeight) {
  network->solve(byteWeight, costWeight);
  std::vector<ChoicePlan> chain;
  network->forEachCut([&](const std::vector<char> &kept) {
    ChoicePlan plan = planFromKept(graph, kept);
    if (chain.empty() || plan.bytes != chain.back().bytes ||
        plan.cost != chain.back().cost)
      chain.push_back(std::move(plan));
  });
  return chain;
}
