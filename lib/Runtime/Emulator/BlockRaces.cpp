//===- BlockRaces.cpp - what other blocks of a launch wrote ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockRaces.h"
#include "Block.h"

#include <algorithm>
#include <sys/mman.h>

using namespace memopt::emulator;

static constexpr uint64_t kWord = sizeof(uint32_t);
/// A word of the table: warp, atomic, stretch.
static constexpr uint32_t kWarpBits = 5, kStretchShift = kWarpBits + 1;
static constexpr uint32_t kLastStretch = UINT32_MAX >> kStretchShift;

BlockRaces &memopt::emulator::blockRaces() {
  static BlockRaces races;
  return races;
}

bool BlockRaces::open(uint64_t begin, uint64_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return false;
  words = static_cast<uint32_t *>(pages);
  base = begin;
  size = bytes;
  starts.clear();
  order.beginLaunch(1);
  return true;
}

void BlockRaces::close() {
  if (words)
    munmap(words, size);
  words = nullptr;
}

void BlockRaces::beginLaunch() {
  starts.clear();
  first = order.now() + 1;
  order.beginLaunch(order.now());
}

void BlockRaces::beginBlock(int64_t number, uint32_t epoch) {
  order.beginBlock(uint32_t(number), epoch);
  starts.push_back({order.now(), number});
}

/// Numbers of stretches are at their end: all words are as if nobody had
/// written them. Races with what is forgotten are not found.
void BlockRaces::forget() {
  madvise(words, size, MADV_DONTNEED); // zeros
  int64_t current = starts.empty() ? 0 : starts.back().block;
  order.beginLaunch(1);
  first = 2;
  starts = {{order.now(), current}};
}

/// False where nothing is followed.
bool BlockRaces::follow(Place place) {
  if (!isOn || !words)
    return false;
  if (order.now() + 2 >= kLastStretch)
    forget();
  order.enter(place.thread, place.epoch);
  return true;
}

std::optional<int64_t> BlockRaces::findRace(uint32_t word,
                                            bool isAtomic) const {
  uint32_t stretch = word >> kStretchShift;
  if (stretch < first || stretch >= starts.back().stretch)
    return std::nullopt;
  bool wasAtomic = word >> kWarpBits & 1;
  if (isAtomic && wasAtomic)
    return std::nullopt;
  auto behind = std::upper_bound(
      starts.begin(), starts.end(), stretch,
      [](uint32_t when, const Start &start) { return when < start.stretch; });
  int64_t block = std::prev(behind)->block;
  uint32_t warp = word & ((1u << kWarpBits) - 1);
  if (order.knows(uint32_t(block), warp, stretch))
    return std::nullopt;
  return block;
}

std::optional<int64_t> BlockRaces::access(const Access &access, Place place) {
  if (!follow(place))
    return std::nullopt;
  uint64_t begin = (access.address - base + kWord - 1) / kWord;
  uint64_t end = (access.address - base + access.bytes) / kWord;
  uint32_t mine = order.now() << kStretchShift |
                  uint32_t(access.isAtomic) << kWarpBits |
                  place.thread / kWarpSize;
  for (uint64_t i = begin; i < end; ++i) {
    if (words[i])
      if (auto block = findRace(words[i], access.isAtomic))
        return block;
    if (access.writes)
      words[i] = mine;
  }
  if (access.isAtomic)
    order.update(access.address, access.reads, access.writes, access.order);
  return std::nullopt;
}

void BlockRaces::fence(MemoryOrder order, Place place) {
  if (follow(place))
    this->order.fence(order);
}

void memopt_emulator_fence(uint32_t order) {
  BlockRunner &runner = blockRunner();
  blockRaces().fence({bool(order & 1), bool(order & 2)},
                     {runner.current().number, runner.epoch()});
}
