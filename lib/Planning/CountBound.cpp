//===- CountBound.cpp - bounds that count what is kept --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SavedFrontier.h"

#include <algorithm>
#include <map>

using namespace memopt;

namespace {

/// a b / c, at most 2^61; c > 0.
int64_t scale(int64_t a, int64_t b, int64_t c) {
  __int128 result = static_cast<__int128>(a) * b / c;
  constexpr int64_t most = int64_t(1) << 61;
  return result > most ? most : static_cast<int64_t>(result);
}

/// A class: all values of one size, since a plan can keep one in another's
/// place.
struct Class {
  int64_t size = 0;
  /// How many of them the vertex before the edge keeps.
  int64_t count = 0;
};

/// The size of which the hull's edge behind vertex `edge` gives up several
/// values, together the most bytes.
Class findClass(const Branch &branch, size_t edge) {
  const auto &vertices = branch.hull.getVertices();
  const auto &values = branch.graph.getValues();
  std::vector<char> below(values.size(), 0);
  for (int v : vertices[edge + 1].kept)
    below[v] = 1;
  std::map<int64_t, int64_t> given, kept;
  for (int v : vertices[edge].kept) {
    ++kept[values[v].bytes];
    given[values[v].bytes] += !below[v];
  }
  Class best;
  __int128 most = 0;
  for (auto [size, count] : given)
    if (__int128 sum = static_cast<__int128>(size) * count;
        count > 1 && sum > most) {
      most = sum;
      best = {size, kept[size]};
    }
  return best;
}

/// The hull where the values of one size weigh `bytes` each.
Hull reweighed(const ChoiceGraph &graph, int64_t size, int64_t bytes) {
  return Hull::compute(reweigh(graph, [&](int v) {
    int64_t own = graph.getValues()[v].bytes;
    return own == size ? bytes : own;
  }));
}

} // namespace

/// A plan keeps at most k values of the class, or at least k + 1. In the first
/// case its bytes with each of them made d heavier are at most W + k d; in the
/// second, with each made e lighter, at most W - (k + 1) e. So for every k and
/// every d, e >= 0
///
///     cost(W) >= min(hull_d(W + k d), hull_e(W - (k + 1) e)),
///
/// and the largest over k holds. d and e are those at which the class gives up
/// bytes at the price of the neighbouring edges, where the rest of the plan
/// stands.
int64_t memopt::countBound(const Branch &branch, int64_t bytes) {
  int64_t plain = branch.hull.lowerBound(bytes);
  const auto &vertices = branch.hull.getVertices();
  if (plain <= 0 || vertices.size() < 2)
    return plain;
  size_t edge = 0;
  while (edge + 2 < vertices.size() && vertices[edge + 1].bytes > bytes)
    ++edge;
  Class sizeClass = findClass(branch, edge);
  int64_t size = sizeClass.size, count = sizeClass.count;
  if (count == 0)
    return plain;
  auto costOf = [&](size_t e) {
    return vertices[e + 1].cost - vertices[e].cost;
  };
  auto bytesOf = [&](size_t e) {
    return vertices[e].bytes - vertices[e + 1].bytes;
  };
  // size s_edge / s_neighbour, with slopes s = cost / bytes.
  auto sizeAt = [&](size_t neighbour) {
    int64_t cost =
        scale(size, costOf(edge), std::max<int64_t>(1, bytesOf(edge)));
    return scale(cost, bytesOf(neighbour),
                 std::max<int64_t>(1, costOf(neighbour)));
  };
  int64_t limit = branch.graph.totalBytes();
  int64_t heavy = edge > 0 ? std::min(sizeAt(edge - 1), limit) : limit;
  int64_t light = edge + 2 < vertices.size() ? sizeAt(edge + 1) : size / 2;
  heavy = std::max(heavy, size);
  light = std::min(light, size);
  int64_t members = 0;
  for (const ChoiceValue &value : branch.graph.getValues())
    members += value.bytes == size;
  if (static_cast<__int128>(heavy) * members + limit > static_cast<__int128>(1)
                                                           << 61)
    return plain;
  Hull heavier = reweighed(branch.graph, size, heavy);
  Hull lighter = reweighed(branch.graph, size, light);
  int64_t best = plain;
  for (int64_t k = 0; k <= count; ++k) {
    int64_t atMost = heavier.lowerBound(bytes + k * (heavy - size));
    int64_t atLeast = lighter.lowerBound(bytes - (k + 1) * (size - light));
    // -1: no plan is in that case.
    if (atMost < 0 && atLeast < 0)
      continue;
    if (atMost < 0 || (atLeast >= 0 && atLeast < atMost))
      atMost = atLeast;
    best = std::max(best, atMost);
  }
  return best;
}

int64_t SavedFrontier::tightBound(int64_t bytes) const {
  int64_t least = -1;
  for (const Branch &branch : branches) {
    int64_t bound = countBound(branch, bytes - branch.keptBytes);
    if (bound >= 0)
      if (int64_t rounded = roundedBound(branch, bytes - branch.keptBytes);
          rounded < 0 || rounded > bound)
        bound = rounded; // -1: the branch has no plan that small
    if (bound >= 0 && (least < 0 || bound < least))
      least = bound;
  }
  return least;
}
