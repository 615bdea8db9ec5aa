//===- BlockOrder.h - which writes come before which accesses ---*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKORDER_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKORDER_H

#include "Clock.h"

#include <map>
#include <unordered_map>

namespace memopt::emulator {

/// What an atomic access or a fence of device scope, or a wider one, orders.
struct MemoryOrder {
  bool acquires = false, releases = false;
};

/// Which writes of other blocks come before what a thread does, by the order
/// that PTX promises (PTX ISA, "Memory consistency model"): a thread releases
/// by an atomic write that says so or comes behind a fence, another one
/// acquires by an atomic read of the same word that says so or stands before a
/// fence. A released thread's earlier writes are known then, those of its block
/// before the last barrier, and what these knew. After a barrier all of a block
/// know what one of them acquired. Lanes of a warp order themselves by warp
/// operations, which are not followed: what one of them wrote or acquired
/// counts for all.
///
/// Time runs in stretches, one block after the other: a barrier and a release
/// begin a new one.
class BlockOrder {
public:
  /// All is forgotten; `now` is the stretch that begins.
  void beginLaunch(uint32_t now);
  void beginBlock(uint32_t block, uint32_t epoch);

  /// A thread does something, `epoch` being the number of the last barrier.
  void enter(uint32_t thread, uint32_t epoch);
  /// The stretch in which that thread is.
  uint32_t now() const { return stretch; }

  void fence(MemoryOrder order);
  /// An atomic access to the word at `address`.
  void update(uint64_t address, bool reads, bool writes, MemoryOrder order);

  /// Whether what warp `warp` of another block wrote in a stretch comes before
  /// what the thread does now.
  bool knows(uint32_t block, uint32_t warp, uint32_t when) const;

private:
  struct ThreadState {
    /// What was known at its last releasing fence.
    Clock fenced;
    /// What atomic reads gave since its last acquiring fence.
    Clock read;
  };
  Clock getClock() const;
  const Clock *getAcquired() const;
  void acquire(const Clock &clock);

  uint32_t block = 0, thread = 0, epoch = 0;
  uint32_t stretch = 0, epochStart = 0;
  Clock known;                            ///< to all of the block
  std::map<uint32_t, Clock> acquired;     ///< by warp, since the barrier
  std::map<uint32_t, ThreadState> states; ///< by thread
  std::unordered_map<uint64_t, Clock> words;
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKORDER_H
