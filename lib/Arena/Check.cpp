//===- Check.cpp - is the input sane, is the packing right ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Arena/Pack.h"

#include <algorithm>
#include <map>

using namespace memopt::arena;

namespace {

/// Twice a height and one more still fits into 64 bits.
constexpr int64_t kMostBytes = int64_t(1) << 61;

std::string nameOf(size_t buffer) { return "buffer " + std::to_string(buffer); }

/// Bytes rounded up to the alignment; at most 2^61 plus the alignment.
int64_t roundUp(int64_t bytes, int64_t alignment) {
  int64_t over = bytes % alignment;
  return over ? bytes - over + alignment : bytes;
}

std::string checkOffset(const std::vector<Buffer> &buffers, size_t i,
                        const PackOptions &options, const Packing &packing) {
  int64_t offset = packing.offsets[i];
  if (offset < 0 || offset >= kMostBytes)
    return nameOf(i) + " has the offset " + std::to_string(offset);
  if (offset % options.alignment)
    return nameOf(i) + " is at " + std::to_string(offset) +
           ", no multiple of " + std::to_string(options.alignment);
  return "";
}

/// The birth or the death of a buffer; at one kernel births come first, as both
/// ends of a lifetime belong to it.
struct Event {
  int64_t time; // twice the kernel, and 1 for a death
  size_t buffer;
  bool operator<(const Event &other) const {
    return time != other.time ? time < other.time : buffer < other.buffer;
  }
};

std::vector<Event> sortEvents(const std::vector<Buffer> &buffers) {
  std::vector<Event> events;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes) {
      events.push_back({2 * int64_t(buffers[i].first), i});
      events.push_back({2 * int64_t(buffers[i].last) + 1, i});
    }
  std::sort(events.begin(), events.end());
  return events;
}

} // namespace

std::string memopt::arena::check(const std::vector<Buffer> &buffers,
                                 const PackOptions &options) {
  if (options.alignment < 1 || options.alignment > kMostBytes)
    return "the alignment is " + std::to_string(options.alignment) +
           ", not from 1 to 2^61";
  int64_t left = kMostBytes;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &b = buffers[i];
    if (b.bytes < 0)
      return nameOf(i) + " has " + std::to_string(b.bytes) + " bytes";
    if (b.first < 0 || b.last < b.first)
      return nameOf(i) + " is alive from kernel " + std::to_string(b.first) +
             " to " + std::to_string(b.last);
    if (b.bytes > left || (left -= roundUp(b.bytes, options.alignment)) < 0)
      return nameOf(i) + " takes the sum of sizes past 2^61 bytes";
  }
  return "";
}

/// Sweeps over the lifetimes. The live buffers stand in a map by offset; one
/// that is born may overlap no neighbour in it.
std::string memopt::arena::verify(const std::vector<Buffer> &buffers,
                                  const PackOptions &options,
                                  const Packing &packing) {
  if (packing.offsets.size() != buffers.size())
    return std::to_string(packing.offsets.size()) + " offsets for " +
           std::to_string(buffers.size()) + " buffers";
  std::map<int64_t, size_t> live;
  int64_t alive = 0, most = 0, height = 0;
  auto endOf = [&](size_t i) {
    return packing.offsets[i] + roundUp(buffers[i].bytes, options.alignment);
  };
  for (size_t i = 0; i < buffers.size(); ++i)
    if (std::string error = checkOffset(buffers, i, options, packing);
        !error.empty())
      return error;
  for (const Event &event : sortEvents(buffers)) {
    size_t i = event.buffer;
    int64_t bytes = roundUp(buffers[i].bytes, options.alignment);
    if (event.time % 2) {
      live.erase(packing.offsets[i]);
      alive -= bytes;
      continue;
    }
    auto above = live.lower_bound(packing.offsets[i]);
    if (above != live.end() && above->first < endOf(i))
      return nameOf(i) + " overlaps " + nameOf(above->second);
    if (above != live.begin() &&
        endOf(std::prev(above)->second) > packing.offsets[i])
      return nameOf(i) + " overlaps " + nameOf(std::prev(above)->second);
    live.emplace_hint(above, packing.offsets[i], i);
    most = std::max(most, alive += bytes);
    height = std::max(height, endOf(i));
  }
  if (height != packing.height)
    return "the height is " + std::to_string(height) + ", not " +
           std::to_string(packing.height);
  if (most != packing.lowerBound)
    return "the lower bound is " + std::to_string(most) + ", not " +
           std::to_string(packing.lowerBound);
  return "";
}
