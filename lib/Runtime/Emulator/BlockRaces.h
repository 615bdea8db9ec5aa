//===- BlockRaces.h - what other blocks of a launch wrote -------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H

#include <cstdint>
#include <optional>

namespace memopt::emulator {

/// Which block wrote each aligned word of 4 bytes of device memory last. Blocks
/// of a launch have no order: none may read or write without atomics what
/// another one writes. Of a narrower access nothing is known, nor of a read
/// that comes before the write: in the other order of blocks it comes behind.
class BlockRaces {
public:
  /// Whether anything is followed.
  bool isOn = true;

  /// `begin` is the first device address of `bytes`. False where the system
  /// refuses.
  bool open(uint64_t begin, uint64_t bytes);
  void close();

  void beginLaunch(int64_t blocks);
  void beginBlock(int64_t number) { current = first + uint32_t(number); }

  /// The block at work accesses [address, address + bytes): the number of
  /// another block that wrote some of it in this launch.
  std::optional<int64_t> access(uint64_t address, uint64_t bytes, bool writes);

private:
  uint32_t *words = nullptr;
  uint64_t base = 0, size = 0;
  /// Blocks are counted over all launches, from 1.
  uint32_t first = 1, next = 1, current = 1;
};

BlockRaces &blockRaces();

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_BLOCKRACES_H
