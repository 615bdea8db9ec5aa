//===- AccessCounts.h - bytes that kernels move ----------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_ACCESSCOUNTS_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_ACCESSCOUNTS_H

#include "MemOpt/Runtime/Emulator.h"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace memopt::emulator {

/// Adds up what launches load and store, by kernel.
class AccessCounts {
public:
  struct Sum {
    std::string kernel;
    memopt_emulator_bytes bytes{};
  };

  void setEnabled(bool is) { isEnabled = is; }
  /// A launch begins, and ends.
  void begin(const std::string &kernel);
  void finish();
  /// An access of thread `thread` of the launch, numbered from 1.
  void add(uint64_t address, uint64_t bytes, bool reads, bool writes,
           uint64_t thread);
  bool isCounting() const { return current; }

  /// In the order of first launch; nothing is left.
  std::deque<Sum> take();

private:
  static constexpr uint64_t kPageBytes = 1024;
  /// Several threads load the byte.
  static constexpr uint64_t kMany = ~uint64_t(0);
  struct Byte {
    uint64_t reader = 0; ///< 0: none yet
    uint32_t rereads = 0;
    bool isWritten = false;
  };
  using Page = std::array<Byte, kPageBytes>;

  Byte &getByte(uint64_t address);
  void read(Byte &byte, uint64_t thread);

  bool isEnabled = false;
  std::deque<Sum> sums;
  memopt_emulator_bytes *current = nullptr; ///< null outside of a launch
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = 0;
  Page *lastPage = nullptr;
};

AccessCounts &accessCounts();

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_ACCESSCOUNTS_H
