//===- Owners.cpp - which launch wrote which bytes ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Owners.h"

#include <algorithm>

using namespace memopt::emulator;

Owners::Writer Owners::addWriter(const std::string &name) {
  return {++time, &*names.insert(name).first};
}

void Owners::split(uint64_t at) {
  auto next = intervals.lower_bound(at);
  if (next == intervals.begin())
    return;
  auto before = std::prev(next);
  if (before->second.end <= at)
    return;
  intervals.emplace_hint(next, at, before->second);
  before->second.end = at;
}

void Owners::erase(uint64_t begin, uint64_t end) {
  if (begin >= end)
    return;
  split(begin);
  split(end);
  intervals.erase(intervals.lower_bound(begin), intervals.lower_bound(end));
}

void Owners::assign(uint64_t begin, uint64_t end, Writer writer) {
  if (begin >= end)
    return;
  erase(begin, end);
  intervals[begin] = {end, writer};
}

std::optional<Owners::Intrusion> Owners::findIntrusion(uint64_t begin,
                                                       uint64_t end) const {
  auto it = intervals.upper_bound(begin);
  if (it != intervals.begin() && std::prev(it)->second.end > begin)
    --it;
  if (it == intervals.end() || it->first >= end)
    return std::nullopt;
  Writer first = it->second.writer;
  for (; it != intervals.end() && it->first < end; ++it) {
    if (it->second.writer.time == first.time)
      continue;
    Writer later = std::max(first, it->second.writer);
    uint64_t from = std::max(it->first, begin), to = it->second.end;
    if (later.time == first.time) {
      from = begin;
      to = it->first;
    }
    return Intrusion{from, std::min(to, end),
                     std::min(first, it->second.writer), later};
  }
  return std::nullopt;
}

void Owners::clear() {
  intervals.clear();
  names.clear();
  time = 0;
}
