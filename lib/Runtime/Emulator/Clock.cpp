//===- Clock.cpp - what is known of others' writes ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"

#include <algorithm>

using namespace memopt::emulator;

static bool isBefore(const std::pair<uint64_t, uint32_t> &entry,
                     uint64_t writer) {
  return entry.first < writer;
}

uint32_t Clock::get(uint64_t writer) const {
  auto it = std::lower_bound(times.begin(), times.end(), writer, isBefore);
  return it != times.end() && it->first == writer ? it->second : 0;
}

void Clock::raise(uint64_t writer, uint32_t time) {
  auto it = std::lower_bound(times.begin(), times.end(), writer, isBefore);
  if (it == times.end() || it->first != writer)
    times.insert(it, {writer, time});
  else
    it->second = std::max(it->second, time);
}

void Clock::join(const Clock &other) {
  if (other.isEmpty())
    return;
  if (isEmpty()) {
    times = other.times;
    return;
  }
  std::vector<std::pair<uint64_t, uint32_t>> both;
  both.reserve(times.size() + other.times.size());
  std::merge(times.begin(), times.end(), other.times.begin(), other.times.end(),
             std::back_inserter(both));
  times.clear();
  // Of one writer the later time stands last.
  for (const auto &entry : both)
    if (!times.empty() && times.back().first == entry.first)
      times.back() = entry;
    else
      times.push_back(entry);
}
