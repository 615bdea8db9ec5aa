//===- Block.cpp - the threads of one block -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>
#include <cstdlib>

using namespace memopt::emulator;

BlockRunner &memopt::emulator::blockRunner() {
  static BlockRunner runner;
  return runner;
}

static std::string printTriple(const uint32_t *three) {
  return "(" + std::to_string(three[0]) + "," + std::to_string(three[1]) + "," +
         std::to_string(three[2]) + ")";
}

std::string Thread::print() const { return "thread " + printTriple(id); }

void BlockRunner::begin(const uint32_t *grid, const uint32_t *block,
                        Entry kernel, void *const *values, bool waits,
                        bool backwards) {
  std::copy_n(grid, 3, gridSize);
  std::copy_n(block, 3, size);
  count = size[0] * size[1] * size[2];
  while (threads.size() < count)
    threads.emplace_back();
  entry = kernel;
  parameters = values;
  synchronises = waits;
  reverse = backwards;
  faultText.clear();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

void BlockRunner::enterOne() {
  Fibre::noteEntry();
  BlockRunner &self = blockRunner();
  self.entry(self.parameters);
  self.exitThread();
}

/// All threads on the stack of the first, where none waits for another.
void BlockRunner::enterAll() {
  Fibre::noteEntry();
  BlockRunner &self = blockRunner();
  for (uint32_t i = 0; i < self.count; ++i) {
    self.running = &self.threads[self.reverse ? self.count - 1 - i : i];
    self.entry(self.parameters);
    self.running->state = Thread::State::Done;
  }
  self.isDone = true;
  Fibre::suspend();
  std::abort(); // never resumed
}

void BlockRunner::exitThread() {
  running->state = Thread::State::Done;
  Fibre::suspend();
  std::abort(); // never resumed
}

void BlockRunner::setFault(const Thread &thread, const std::string &what) {
  faultText =
      "block " + printTriple(blockNumber) + ", " + thread.print() + ": " + what;
}

void BlockRunner::fail(const std::string &what) {
  setFault(*running, what);
  Fibre::suspend();
  std::abort(); // never resumed
}

void BlockRunner::startThreads() {
  for (uint32_t i = 0; i < count; ++i) {
    Thread &thread = threads[i];
    thread.number = i;
    thread.id[0] = i % size[0];
    thread.id[1] = i / size[0] % size[1];
    thread.id[2] = i / size[0] / size[1];
    thread.state = Thread::State::Ready;
    if (synchronises)
      thread.fibre.start(enterOne);
  }
}

bool BlockRunner::run(const uint32_t *block) {
  std::copy_n(block, 3, blockNumber);
  ++barrierEpoch;
  startThreads();
  if (synchronises) {
    runTogether();
  } else {
    isDone = false;
    threads[0].fibre.start(enterAll);
    threads[0].fibre.resume();
  }
  running = nullptr;
  return faultText.empty();
}

//===----------------------------------------------------------------------===//
// Waiting for each other
//===----------------------------------------------------------------------===//

void BlockRunner::meetWarp() {
  running->state = Thread::State::AtWarp;
  if (!(running->warp.mask >> running->lane() & 1))
    fail("calls a warp operation whose mask leaves it out");
  Fibre::suspend();
}

void BlockRunner::meetBarrier() {
  running->state = Thread::State::AtBarrier;
  Fibre::suspend();
}

bool BlockRunner::runTogether() {
  uint32_t warps = (count + kWarpSize - 1) / kWarpSize;
  while (true) {
    for (uint32_t i = 0; i < warps; ++i)
      if (!runWarp(reverse ? warps - 1 - i : i))
        return false;
    auto isDone = [](const Thread &t) {
      return t.state == Thread::State::Done;
    };
    if (std::all_of(threads.begin(), threads.begin() + count, isDone))
      return true;
    if (!releaseBarriers()) {
      if (faultText.empty())
        reportStuck();
      return false;
    }
  }
}

/// Runs the warp until all of its threads are done or wait at a barrier, or for
/// a lane that is not to come; false after a fault.
bool BlockRunner::runWarp(uint32_t warp) {
  uint32_t first = warp * kWarpSize, end = std::min(first + kWarpSize, count);
  do {
    if (!runReady(first, end))
      return false;
  } while (releaseWarp(first, end));
  return faultText.empty();
}

bool BlockRunner::runReady(uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    Thread &thread = threads[reverse ? first + end - 1 - i : i];
    if (thread.state != Thread::State::Ready)
      continue;
    running = &thread;
    thread.fibre.resume();
    if (!faultText.empty())
      return false;
  }
  return true;
}

/// Whether all lanes that a thread's mask names came to its operation.
bool BlockRunner::isComplete(const Thread &thread, uint32_t first,
                             uint32_t end) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (!(thread.warp.mask >> lane & 1))
      continue;
    if (first + lane >= end) {
      setFault(thread, "the mask of a warp operation names lane " +
                           std::to_string(lane) + ", which the block lacks");
      return false;
    }
    const Thread &other = threads[first + lane];
    if (other.state == Thread::State::Done) {
      setFault(thread, "waits at a warp operation for " + other.print() +
                           ", which has ended");
      return false;
    }
    bool isThere = other.state == Thread::State::AtWarp &&
                   other.warp.mask == thread.warp.mask &&
                   other.warp.mode == thread.warp.mode;
    if (!isThere)
      return false;
  }
  return true;
}

bool BlockRunner::releaseWarp(uint32_t first, uint32_t end) {
  bool isAny = false;
  for (uint32_t i = first; i < end; ++i) {
    if (threads[i].state != Thread::State::AtWarp)
      continue;
    if (!isComplete(threads[i], first, end)) {
      if (!faultText.empty())
        return false;
      continue;
    }
    Thread *lanes[kWarpSize];
    for (uint32_t lane = first; lane < end; ++lane)
      lanes[lane - first] =
          threads[i].warp.mask >> (lane - first) & 1 ? &threads[lane] : nullptr;
    std::string wrong = resolveWarp(lanes, end - first);
    if (!wrong.empty()) {
      setFault(threads[i], wrong);
      return false;
    }
    for (uint32_t lane = 0; lane < end - first; ++lane)
      if (lanes[lane])
        lanes[lane]->state = Thread::State::Ready;
    isAny = true;
  }
  return isAny;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static bool isSame(const BarrierRequest &a, const BarrierRequest &b) {
  return a.number == b.number && a.count == b.count;
}

bool BlockRunner::isFull(const BarrierRequest &barrier) const {
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < count; ++i)
    waiting += threads[i].state == Thread::State::AtBarrier &&
               isSame(threads[i].barrier, barrier);
  return waiting == (barrier.count ? barrier.count : count);
}

/// The threads of a warp must be at the same instruction of a barrier that is
/// `.aligned`.
bool BlockRunner::isAligned(const BarrierRequest &barrier) {
  for (uint32_t i = 1; i < count; ++i) {
    const Thread &one = threads[i - 1], &other = threads[i];
    bool areBoth = one.state == Thread::State::AtBarrier &&
                   other.state == Thread::State::AtBarrier &&
                   isSame(one.barrier, barrier) &&
                   isSame(other.barrier, barrier) && barrier.isAligned &&
                   one.warpNumber() == other.warpNumber();
    if (areBoth && one.barrier.site != other.barrier.site) {
      setFault(other, "divergent barrier: is at another instruction than " +
                          one.print() + " of its warp");
      return false;
    }
  }
  return true;
}

void BlockRunner::release(const BarrierRequest &barrier) {
  auto isWaiting = [&](const Thread &thread) {
    return thread.state == Thread::State::AtBarrier &&
           isSame(thread.barrier, barrier);
  };
  uint32_t trueCount = 0;
  for (uint32_t i = 0; i < count; ++i)
    trueCount += isWaiting(threads[i]) && threads[i].barrier.predicate;
  BarrierRequest released = barrier; // `barrier` is one of those that change
  for (uint32_t i = 0; i < count; ++i)
    if (threads[i].state == Thread::State::AtBarrier &&
        isSame(threads[i].barrier, released)) {
      threads[i].barrier.trueCount = trueCount;
      threads[i].state = Thread::State::Ready;
    }
  ++barrierEpoch;
}

bool BlockRunner::releaseBarriers() {
  bool isAny = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (threads[i].state != Thread::State::AtBarrier ||
        !isFull(threads[i].barrier))
      continue;
    if (!isAligned(threads[i].barrier))
      return false;
    release(threads[i].barrier);
    isAny = true;
  }
  return isAny;
}

static std::string describe(const Thread &thread) {
  switch (thread.state) {
  case Thread::State::Done:
    return thread.print() + " has ended";
  case Thread::State::AtBarrier:
    return thread.print() + " waits at barrier " +
           std::to_string(thread.barrier.number);
  case Thread::State::AtWarp:
    return thread.print() + " waits at a warp operation";
  case Thread::State::Ready:
    break;
  }
  return thread.print() + " runs";
}

/// Nobody can go on: names one that waits and the first that is elsewhere.
void BlockRunner::reportStuck() {
  auto begin = threads.begin(), end = begin + count;
  auto waiting = std::find_if(begin, end, [](const Thread &t) {
    return t.state != Thread::State::Done;
  });
  auto elsewhere = std::find_if(begin, end, [&](const Thread &t) {
    return t.state != waiting->state ||
           (t.state == Thread::State::AtBarrier &&
            !isSame(t.barrier, waiting->barrier)) ||
           (t.state == Thread::State::AtWarp &&
            t.warp.mask != waiting->warp.mask);
  });
  std::string kind = waiting->state == Thread::State::AtBarrier
                         ? "divergent barrier: waits at barrier " +
                               std::to_string(waiting->barrier.number)
                         : "divergent warp: waits at a warp operation";
  setFault(*waiting, kind + " for ever; " +
                         (elsewhere == end ? "too few threads came"
                                           : describe(*elsewhere)));
}
