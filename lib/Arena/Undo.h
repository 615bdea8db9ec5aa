//===- Undo.h - numbers that can be taken back ------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search that backtracks needs: a log of writes, and two trees over a
// row of numbers whose writes go through it.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_UNDO_H
#define MEMOPT_LIB_ARENA_UNDO_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace memopt::arena {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// Old values of the cells that were written, in order.
class Undo {
public:
  void set(int64_t &cell, int64_t value) {
    if (cell == value)
      return;
    log.push_back({&cell, cell});
    cell = value;
  }
  size_t mark() const { return log.size(); }
  void rollback(size_t mark) {
    for (; log.size() > mark; log.pop_back())
      *log.back().first = log.back().second;
  }

private:
  std::vector<std::pair<int64_t *, int64_t>> log;
};

/// Numbers that are set one by one, and the smallest of a range.
class MinTree {
public:
  MinTree(Undo &undo, size_t size) : undo(undo) {
    while (leaves < size)
      leaves *= 2;
    nodes.assign(2 * leaves, kNever);
  }

  void set(int at, int64_t value) {
    size_t node = leaves + at;
    undo.set(nodes[node], value);
    while (node /= 2) {
      int64_t smaller = std::min(nodes[2 * node], nodes[2 * node + 1]);
      if (nodes[node] == smaller)
        break;
      undo.set(nodes[node], smaller);
    }
  }

  int64_t get(int at) const { return nodes[leaves + at]; }
  int64_t getMin() const { return nodes[1]; }
  /// The first place that has the smallest number.
  int getPlace() const {
    size_t node = 1;
    while (node < leaves)
      node = 2 * node + (nodes[2 * node] != nodes[node]);
    return static_cast<int>(node - leaves);
  }
  /// The smallest of places `first` to `last`.
  int64_t getMin(int first, int last) const {
    int64_t smallest = kNever;
    for (size_t l = leaves + first, r = leaves + last + 1; l < r;
         l /= 2, r /= 2) {
      if (l % 2)
        smallest = std::min(smallest, nodes[l++]);
      if (r % 2)
        smallest = std::min(smallest, nodes[--r]);
    }
    return smallest;
  }

private:
  Undo &undo;
  size_t leaves = 1;
  std::vector<int64_t> nodes;
};

/// Numbers that are lowered by ranges, and the place of the smallest of a
/// range. What a node takes off holds for all below it.
class SlackTree {
public:
  SlackTree(Undo &undo, const std::vector<int64_t> &values) : undo(undo) {
    while (leaves < values.size())
      leaves *= 2;
    smallest.assign(2 * leaves, kNever);
    taken.assign(leaves, 0);
    std::copy(values.begin(), values.end(), smallest.begin() + leaves);
    for (size_t node = leaves; --node;)
      smallest[node] = std::min(smallest[2 * node], smallest[2 * node + 1]);
  }

  void lower(int first, int last, int64_t by) {
    lower(1, 0, leaves - 1, first, last, by);
  }
  /// (smallest number, first place that has it).
  std::pair<int64_t, int> getMin(int first, int last) const {
    auto [least, node] = getMin(1, 0, leaves - 1, first, last);
    while (node < leaves)
      node = 2 * node + (smallest[2 * node] != smallest[node] + taken[node]);
    return {least, static_cast<int>(node - leaves)};
  }

private:
  void lower(size_t node, int64_t l, int64_t r, int first, int last,
             int64_t by) {
    if (first <= l && r <= last) {
      if (smallest[node] != kNever)
        undo.set(smallest[node], smallest[node] - by);
      if (node < leaves)
        undo.set(taken[node], taken[node] + by);
      return;
    }
    int64_t middle = (l + r) / 2;
    if (first <= middle)
      lower(2 * node, l, middle, first, last, by);
    if (last > middle)
      lower(2 * node + 1, middle + 1, r, first, last, by);
    int64_t least = std::min(smallest[2 * node], smallest[2 * node + 1]);
    undo.set(smallest[node], least == kNever ? kNever : least - taken[node]);
  }

  /// (smallest number, the topmost node within the range that has it); of
  /// equals the leftmost.
  std::pair<int64_t, size_t> getMin(size_t node, int64_t l, int64_t r,
                                    int first, int last) const {
    if (first <= l && r <= last)
      return {smallest[node], node};
    int64_t middle = (l + r) / 2;
    std::pair<int64_t, size_t> best = {kNever, 0}, right = {kNever, 0};
    if (first <= middle)
      best = getMin(2 * node, l, middle, first, last);
    if (last > middle)
      right = getMin(2 * node + 1, middle + 1, r, first, last);
    if (right.first < best.first)
      best = right;
    if (best.first != kNever)
      best.first -= taken[node];
    return best;
  }

  Undo &undo;
  size_t leaves = 1;
  std::vector<int64_t> smallest, taken;
};

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_UNDO_H
