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

/// The sizes of which the hull's edge behind vertex `edge` gives up most bytes.
std::vector<Class> findClasses(const Branch &branch, size_t edge) {
  // Each takes some hulls, which grow with the square of the step.
  const size_t most = branch.graph.getValues().size() > 8192 ? 1 : 2;
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
  std::vector<std::pair<__int128, Class>> found;
  for (auto [size, count] : given)
    if (count > 0 && size > 0)
      found.push_back(
          {static_cast<__int128>(size) * count, {size, kept[size]}});
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<Class> classes;
  for (size_t i = 0; i < found.size() && i < most; ++i)
    classes.push_back(found[i].second);
  return classes;
}

/// The lower bounds at some numbers of bytes where the values of one size weigh
/// `weight` each; -1 where no plan is that small.
std::vector<int64_t> boundReweighed(const Branch &branch, int64_t size,
                                    int64_t weight,
                                    const std::vector<int64_t> &bytes) {
  const Hull hull =
      weight == size
          ? branch.hull
          : Hull::computeAround(reweigh(branch.graph,
                                        [&](int v) {
                                          int64_t own =
                                              branch.graph.getValues()[v].bytes;
                                          return own == size ? weight : own;
                                        }),
                                bytes);
  std::vector<int64_t> bounds;
  for (int64_t b : bytes)
    bounds.push_back(hull.lowerBound(b));
  return bounds;
}

/// A plan keeps at most k values of the class, or at least k + 1. In the first
/// case its bytes with each of them weighing d instead of its size s are at
/// most W + k (d - s); in the second, with each weighing e, at most
/// W - (k + 1) (s - e). So for every k and every d >= s >= e >= 0
///
///     cost(W) >= min(hull_d(W + k (d - s)), hull_e(W - (k + 1) (s - e))),
///
/// and the largest over k, d and e holds. Taken are those d and e at which the
/// class gives up bytes at the price of neighbouring edges, where the rest of
/// the plan stands, and the extremes.
class ClassBound {
public:
  ClassBound(const Branch &branch, size_t edge, Class sizeClass)
      : branch(branch), edge(edge), size(sizeClass.size),
        count(sizeClass.count) {}

  int64_t compute(int64_t bytes) {
    const auto &vertices = branch.hull.getVertices();
    int64_t limit = branch.graph.totalBytes(), members = 0;
    for (const ChoiceValue &value : branch.graph.getValues())
      members += value.bytes == size;
    if (static_cast<__int128>(limit) * (members + 1) > static_cast<__int128>(1)
                                                           << 61)
      return 0;
    // For each k, the largest bound of both cases; -1: no plan is in it.
    std::vector<int64_t> atMost(count + 1, 0), atLeast(count + 1, 0);
    for (int64_t d : {edge > 0 ? sizeAt(edge - 1) : limit, limit}) {
      d = std::min(std::max(d, size), limit);
      std::vector<int64_t> asked;
      for (int64_t k = 0; k <= count; ++k)
        asked.push_back(bytes + k * (d - size));
      raise(atMost, boundReweighed(branch, size, d, asked));
    }
    for (size_t next : {1, 3, 1000}) {
      int64_t e = edge + next + 1 < vertices.size() ? sizeAt(edge + next) : 0;
      e = std::min(e, size);
      std::vector<int64_t> asked;
      for (int64_t k = 0; k <= count; ++k)
        asked.push_back(bytes - (k + 1) * (size - e));
      raise(atLeast, boundReweighed(branch, size, e, asked));
      if (e == 0)
        break;
    }
    int64_t best = 0;
    for (int64_t k = 0; k <= count; ++k) {
      if (atMost[k] < 0 && atLeast[k] < 0)
        return -1;
      if (atMost[k] < 0 || (atLeast[k] >= 0 && atLeast[k] < atMost[k]))
        best = std::max(best, atLeast[k]);
      else
        best = std::max(best, atMost[k]);
    }
    return best;
  }

private:
  /// The larger of two bounds for each k; -1 stays.
  static void raise(std::vector<int64_t> &bounds,
                    const std::vector<int64_t> &by) {
    for (size_t k = 0; k < bounds.size(); ++k)
      bounds[k] = by[k] < 0 || bounds[k] < 0 ? -1 : std::max(bounds[k], by[k]);
  }

  /// size s_edge / s_neighbour, with slopes s = cost / bytes.
  int64_t sizeAt(size_t neighbour) const {
    int64_t cost =
        scale(size, costOf(edge), std::max<int64_t>(1, bytesOf(edge)));
    return scale(cost, bytesOf(neighbour),
                 std::max<int64_t>(1, costOf(neighbour)));
  }
  int64_t costOf(size_t e) const {
    const auto &vertices = branch.hull.getVertices();
    return vertices[e + 1].cost - vertices[e].cost;
  }
  int64_t bytesOf(size_t e) const {
    const auto &vertices = branch.hull.getVertices();
    return vertices[e].bytes - vertices[e + 1].bytes;
  }

  const Branch &branch;
  size_t edge;
  int64_t size, count;
};

} // namespace

int64_t memopt::countBound(const Branch &branch, int64_t bytes) {
  int64_t best = branch.hull.lowerBound(bytes);
  const auto &vertices = branch.hull.getVertices();
  if (best <= 0 || vertices.size() < 2)
    return best;
  size_t edge = 0;
  while (edge + 2 < vertices.size() && vertices[edge + 1].bytes > bytes)
    ++edge;
  for (Class sizeClass : findClasses(branch, edge)) {
    int64_t bound = ClassBound(branch, edge, sizeClass).compute(bytes);
    if (bound < 0)
      return -1;
    best = std::max(best, bound);
  }
  return best;
}

/// The branches by their plain bound: one whose plain bound is no less than the
/// least so far cannot lower it.
int64_t SavedFrontier::tightBound(int64_t bytes) const {
  std::vector<std::pair<int64_t, const Branch *>> order;
  for (const Branch &branch : branches)
    if (int64_t plain = branch.hull.lowerBound(bytes - branch.keptBytes);
        plain >= 0)
      order.push_back({plain, &branch});
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto &a, const auto &b) { return a.first < b.first; });
  int64_t least = -1;
  for (auto [plain, branch] : order) {
    if (least >= 0 && plain >= least)
      break;
    int64_t rest = bytes - branch->keptBytes;
    int64_t bound = countBound(*branch, rest);
    if (bound >= 0)
      if (int64_t rounded = roundedBound(*branch, rest);
          rounded < 0 || rounded > bound)
        bound = rounded; // -1: the branch has no plan that small
    if (bound >= 0 && (least < 0 || bound < least))
      least = bound;
  }
  return least;
}
