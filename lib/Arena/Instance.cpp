//===- Instance.cpp - what the packers work on ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

#include <algorithm>
#include <numeric>

using namespace memopt::arena;

namespace {

/// Item numbers sorted by `key`, equal ones by number.
template <typename Key>
std::vector<int> sortItems(const std::vector<Item> &items, Key key) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return key(items[a]) < key(items[b]); });
  return order;
}

/// Replaces kernels by sections: a birth opens a new one where a buffer has
/// died since the last birth. Returns the number of sections.
int cutIntoSections(std::vector<Item> &items) {
  std::vector<int> births =
      sortItems(items, [](const Item &i) { return i.first; });
  std::vector<int> deaths =
      sortItems(items, [](const Item &i) { return i.last; });
  std::vector<int> first(items.size()), last(items.size());
  int section = 0;
  size_t dead = 0;
  for (int i : births) {
    size_t before = dead;
    for (; items[deaths[dead]].last < items[i].first; ++dead)
      last[deaths[dead]] = section;
    section += dead != before;
    first[i] = section;
  }
  for (; dead < deaths.size(); ++dead)
    last[deaths[dead]] = section;
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].first = first[i];
    items[i].last = last[i];
  }
  return items.empty() ? 0 : section + 1;
}

} // namespace

Instance::Instance(const std::vector<Buffer> &buffers,
                   const PackOptions &options) {
  int64_t divisor = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].bytes)
      continue;
    int64_t size = (buffers[i].bytes - 1) / options.alignment + 1;
    divisor = std::gcd(divisor, size);
    items.push_back({size, buffers[i].first, buffers[i].last, i});
  }
  for (Item &item : items)
    item.size /= divisor;
  unit = options.alignment * std::max<int64_t>(divisor, 1);
  load.assign(cutIntoSections(items) + 1, 0);
  for (const Item &item : items) {
    load[item.first] += item.size;
    load[item.last + 1] -= item.size;
  }
  load.pop_back();
  std::partial_sum(load.begin(), load.end(), load.begin());
  for (int64_t units : load)
    lowerBound = std::max(lowerBound, units);
}

Packing Instance::toPacking(const std::vector<int64_t> &offsets,
                            size_t bufferCount) const {
  Packing packing;
  packing.offsets.assign(bufferCount, 0);
  for (size_t i = 0; i < items.size(); ++i) {
    packing.offsets[items[i].buffer] = offsets[i] * unit;
    packing.height =
        std::max(packing.height, (offsets[i] + items[i].size) * unit);
  }
  packing.lowerBound = lowerBound * unit;
  packing.optimal = packing.height == packing.lowerBound;
  return packing;
}
