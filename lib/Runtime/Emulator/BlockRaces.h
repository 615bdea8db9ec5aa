//===- BlockRaces.h - what other blocks of a launch wrote -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H

#include "BlockOrder.h"

#include <optional>

namespace memopt::emulator {

/// Who wrote each aligned word of 4 bytes of device memory last. Blocks of a
/// launch have no order but the one that they make by atomics and fences
/// (BlockOrder): none may read or write what another one writes unless that
/// comes before, or both accesses are atomic. Of a narrower access nothing is
/// known, nor of a read that comes before the write: in the other order of
/// blocks it comes behind.
class BlockRaces {
public:
  /// Whether anything is followed.
  bool isOn = true;

  /// A thread of the block at work, and the number of its last barrier.
  struct Place {
    uint32_t thread, epoch;
  };
  struct Access {
    uint64_t address, bytes;
    bool reads, writes;
    /// All blocks see it as one.
    bool isAtomic;
    MemoryOrder order;
  };

  /// `begin` is the first device address of `bytes`. False where the system
  /// refuses.
  bool open(uint64_t begin, uint64_t bytes);
  void close();

  void beginLaunch();
  void beginBlock(int64_t number, uint32_t epoch);

  /// The number of another block that wrote some of it in this launch, without
  /// an order.
  std::optional<int64_t> access(const Access &access, Place place);
  void fence(MemoryOrder order, Place place);

private:
  struct Start {
    uint32_t stretch;
    int64_t block;
  };
  bool follow(Place place);
  void forget();
  std::optional<int64_t> findRace(uint32_t word, bool isAtomic) const;

  /// 0, or the stretch of the last write, whether it was atomic, and the warp.
  uint32_t *words = nullptr;
  uint64_t base = 0, size = 0;
  /// The first stretches of the launch and of each of its blocks.
  uint32_t first = 1;
  std::vector<Start> starts;
  BlockOrder order;
};

BlockRaces &blockRaces();

} // namespace memopt::emulator

extern "C" {
/// The thread at work is at a fence of device scope: bit 0, it acquires; bit 1,
/// it releases.
void memopt_emulator_fence(uint32_t order);
}

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H
