//===- SharedMemory.h - a block's shared memory ----------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_SHAREDMEMORY_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace memopt::emulator {

/// Where a shared variable lies.
struct SharedRange {
  uint64_t offset = 0, bytes = 0;
};

/// The shared memory of the block at work, NaN in each type of floats before
/// anybody writes it. For each byte it is known who wrote and read it last, and
/// before which barrier.
class SharedMemory {
public:
  /// More than any chip has: all variables of an image lie side by side.
  static constexpr uint64_t kBytes = uint64_t(1) << 22;
  /// What a block may ask for on sm_90 and sm_100 (CUDA C++ Programming Guide,
  /// technical specifications).
  static constexpr int64_t kMaxBlockBytes = 227 * 1024;

  uint64_t begin();
  bool contains(uint64_t address) const { return address - base < kBytes; }

  /// A new block, with these variables.
  void reset(const std::vector<SharedRange> &ranges);
  /// Checks an access by a thread in an epoch, and notes it; what is wrong with
  /// it, or null.
  const std::string *access(uint64_t address, uint64_t bytes, bool reads,
                            bool writes, uint32_t thread, uint32_t epoch);

private:
  struct Trace {
    uint32_t writer = 0, writeEpoch = 0, reader = 0, readEpoch = 0;
  };
  const std::string *fail(std::string text);
  const std::string *checkOrder(const Trace &trace, bool reads, bool writes,
                                uint32_t thread, uint32_t epoch);

  uint64_t base = 0;
  std::vector<uint8_t> states;
  std::vector<Trace> traces;
  std::vector<SharedRange> current;
  std::string text;
};

SharedMemory &sharedMemory();

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_SHAREDMEMORY_H
