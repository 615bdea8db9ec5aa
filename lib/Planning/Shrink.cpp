//===- Shrink.cpp - plans of somewhat fewer bytes -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SavedFrontier.h"

#include <algorithm>

using namespace memopt;

namespace {

/// Values whose flags flip together, and what that changes.
struct Move {
  std::vector<int> values;
  int64_t freed = 0, cost = 0; // bytes fewer, cost more
};

class Shrinker {
public:
  Shrinker(const ChoiceGraph &graph, ChoiceState &state)
      : graph(graph), state(state) {}

  /// All moves that free bytes, those that cost least for a byte first; among
  /// equal ones early values first, since what is kept late dies early.
  std::vector<Move> rank() {
    for (int v = 0; v < static_cast<int>(graph.getValues().size()); ++v) {
      if (!state.isUsed(v) || !state.getKept()[v] || !state.canToggle(v))
        continue;
      consider({v});
      for (int u : graph.getOps()[graph.getValues()[v].op].operands)
        if (!state.isKept(u))
          considerOperand(v, u);
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move &a, const Move &b) {
                       return static_cast<__int128>(a.cost) * b.freed <
                              static_cast<__int128>(b.cost) * a.freed;
                     });
    return std::move(moves);
  }

  /// Makes the move if each of its values is still as it was and it still frees
  /// bytes.
  bool apply(const Move &move) {
    for (size_t i = 0; i < move.values.size(); ++i)
      if (state.isKept(move.values[i]) == isGained(move, i))
        return false;
    int64_t before = state.getBytes();
    toggle(move.values);
    if (state.getBytes() < before)
      return true;
    toggle(move.values);
    return false;
  }

private:
  /// Only the second value of a move is kept by it.
  static bool isGained(const Move &, size_t i) { return i == 1; }

  void toggle(const std::vector<int> &values) {
    for (int v : values)
      state.toggle(v);
  }

  /// Keeps u in the place of v, which is made from it, and makes what else v is
  /// made from again, too: a norm's statistics from the norm's input.
  void considerOperand(int v, int u) {
    consider({v, u});
    Move move{{v, u}};
    for (int w : graph.getOps()[graph.getValues()[v].op].operands)
      if (w != u && state.getKept()[w] && state.canToggle(w))
        move.values.push_back(w);
    if (move.values.size() > 2)
      consider(std::move(move));
  }

  void consider(Move move) {
    int64_t bytes = state.getBytes(), cost = state.getCost();
    toggle(move.values);
    move.freed = bytes - state.getBytes();
    move.cost = state.getCost() - cost;
    toggle(move.values);
    if (move.freed > 0)
      moves.push_back(std::move(move));
  }
  void consider(std::vector<int> values) { consider(Move{std::move(values)}); }

  const ChoiceGraph &graph;
  ChoiceState &state;
  std::vector<Move> moves;
};

} // namespace

void memopt::shrink(const ChoiceGraph &graph, const ChoiceState &start,
                    int64_t unit,
                    const std::function<void(const ChoiceState &)> &visit) {
  ChoiceState state = start;
  Shrinker shrinker(graph, state);
  std::vector<Move> moves = shrinker.rank();
  for (int64_t most : {int64_t(INT64_MAX), unit / 2, unit / 32}) {
    state = start;
    for (const Move &move : moves)
      if (move.freed <= most && shrinker.apply(move))
        visit(state);
  }
}
