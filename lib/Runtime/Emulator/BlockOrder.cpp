//===- BlockOrder.cpp - which writes come before which accesses -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockOrder.h"
#include "Block.h"

using namespace memopt::emulator;

/// The names of writers in clocks: a block up to a barrier, or one of its
/// warps.
static uint64_t getWhole(uint32_t block) { return uint64_t(block) << 6; }
static uint64_t getWarp(uint32_t block, uint32_t warp) {
  return getWhole(block) + 1 + warp;
}

void BlockOrder::beginLaunch(uint32_t now) {
  stretch = now;
  words.clear();
  beginBlock(0, epoch);
}

void BlockOrder::beginBlock(uint32_t number, uint32_t now) {
  block = number;
  epoch = now;
  epochStart = ++stretch;
  known = {};
  acquired.clear();
  states.clear();
}

void BlockOrder::enter(uint32_t number, uint32_t now) {
  thread = number;
  if (now == epoch)
    return;
  epoch = now;
  epochStart = ++stretch;
  for (auto &[warp, clock] : acquired)
    known.join(clock);
  acquired.clear();
}

const Clock *BlockOrder::getAcquired() const {
  auto it = acquired.find(thread / kWarpSize);
  return it == acquired.end() ? nullptr : &it->second;
}

void BlockOrder::acquire(const Clock &clock) {
  if (!clock.isEmpty())
    acquired[thread / kWarpSize].join(clock);
}

/// What the thread knows, its own writes included.
Clock BlockOrder::getClock() const {
  Clock clock = known;
  if (const Clock *own = getAcquired())
    clock.join(*own);
  clock.raise(getWhole(block), epochStart);
  clock.raise(getWarp(block, thread / kWarpSize), stretch + 1);
  return clock;
}

void BlockOrder::fence(MemoryOrder order) {
  ThreadState &state = states[thread];
  if (order.acquires) {
    acquire(state.read);
    state.read = {};
  }
  if (order.releases) {
    state.fenced = getClock();
    ++stretch;
  }
}

void BlockOrder::update(uint64_t address, bool reads, bool writes,
                        MemoryOrder order) {
  ThreadState &state = states[thread];
  auto it = words.find(address);
  if (reads && it != words.end()) {
    if (order.acquires)
      acquire(it->second);
    else
      state.read.join(it->second);
  }
  if (!writes)
    return;
  Clock released = state.fenced;
  if (order.releases) {
    released = getClock();
    ++stretch;
  }
  // An update goes on with what the writes before it released.
  if (it == words.end())
    it = released.isEmpty() ? it : words.emplace(address, Clock()).first;
  else if (!reads)
    it->second = {};
  if (it != words.end())
    it->second.join(released);
}

bool BlockOrder::knows(uint32_t other, uint32_t warp, uint32_t when) const {
  for (const Clock *clock : {&known, getAcquired()})
    if (clock && (when < clock->get(getWhole(other)) ||
                  when < clock->get(getWarp(other, warp))))
      return true;
  return false;
}
