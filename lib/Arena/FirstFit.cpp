//===- FirstFit.cpp - each buffer in turn at its lowest offset ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirstFit.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace memopt::arena;

/// The largest load of the sections in which each item is alive, by a sparse
/// table of range maxima.
static std::vector<int64_t> findLoads(const Instance &instance) {
  std::vector<std::vector<int64_t>> table = {instance.load};
  for (size_t width = 1; 2 * width <= instance.load.size(); width *= 2) {
    const std::vector<int64_t> &half = table.back();
    std::vector<int64_t> row(instance.load.size() - 2 * width + 1);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = std::max(half[i], half[i + width]);
    table.push_back(std::move(row));
  }
  std::vector<int64_t> loads;
  for (const Item &item : instance.items) {
    int level = 0;
    while ((2 << level) <= item.last - item.first + 1)
      ++level;
    loads.push_back(std::max(table[level][item.first],
                             table[level][item.last + 1 - (1 << level)]));
  }
  return loads;
}

std::vector<int> memopt::arena::sortForFirstFit(const Instance &instance,
                                                Order order) {
  std::vector<int> sorted(instance.items.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::vector<int64_t> loads;
  if (order == Order::Load)
    loads = findLoads(instance);
  auto key = [&](int i) -> std::pair<__int128, int64_t> {
    const Item &item = instance.items[i];
    switch (order) {
    case Order::Birth:
      return {item.first, 0};
    case Order::Size:
      return {0, -item.size};
    case Order::Area:
      return {-__int128(item.size) * instance.getLifetime(i), 0};
    case Order::Load:
      return {-loads[i], -item.size};
    }
    return {};
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](int a, int b) { return key(a) < key(b); });
  return sorted;
}

/// The placed items stand sorted by offset. A new one goes up past each that is
/// alive with it and leaves too small a gap.
std::vector<int64_t>
memopt::arena::placeFirstFit(const Instance &instance,
                             const std::vector<int> &order) {
  std::vector<int64_t> offsets(instance.items.size(), 0);
  std::vector<int> placed;
  placed.reserve(order.size());
  for (int i : order) {
    const Item &item = instance.items[i];
    int64_t offset = 0;
    for (int j : placed) {
      const Item &other = instance.items[j];
      if (other.last < item.first || item.last < other.first)
        continue;
      if (offsets[j] >= offset + item.size)
        break;
      offset = std::max(offset, offsets[j] + other.size);
    }
    offsets[i] = offset;
    auto above =
        std::upper_bound(placed.begin(), placed.end(), i,
                         [&](int a, int b) { return offsets[a] < offsets[b]; });
    placed.insert(above, i);
  }
  return offsets;
}

Packing memopt::arena::packFirstFit(const std::vector<Buffer> &buffers,
                                    Order order, const PackOptions &options) {
  Instance instance(buffers, options);
  return instance.toPacking(
      placeFirstFit(instance, sortForFirstFit(instance, order)),
      buffers.size());
}
