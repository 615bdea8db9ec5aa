//===- Access.h - every access of a kernel ---------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_ACCESS_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_ACCESS_H

#include "BlockOrder.h"
#include "DeviceMemory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace memopt::emulator {

/// What the compiler knows of an access, in 32 bits.
struct AccessFlags {
  bool reads = false, writes = false;
  uint32_t log2Alignment = 0;
  uint32_t operand = 0;  ///< the kernel's parameter, from 1; 0: not known
  bool isAtomic = false; ///< to all blocks
  MemoryOrder order = {};

  uint32_t encode() const {
    return uint32_t(reads) | uint32_t(writes) << 1 | uint32_t(isAtomic) << 2 |
           uint32_t(order.acquires) << 3 | uint32_t(order.releases) << 4 |
           log2Alignment << 8 | operand << 16;
  }
  static AccessFlags decode(uint32_t bits) {
    return {bool(bits & 1), bool(bits & 2), bits >> 8 & 0xFF,
            bits >> 16,     bool(bits & 4), {bool(bits & 8), bool(bits & 16)}};
  }
};

/// What a launch may touch, by its parameters.
class LaunchBuffers {
public:
  struct Buffer {
    uint64_t begin = 0, end = 0; ///< end = begin: nothing is known
    bool isRead = false, isWritten = false;
    bool isPartial = false; ///< some of it is written, the rest stays
    uint32_t number = 0;    ///< of the parameter
  };

  /// `bytes` as in memopt_gpu_launch. Reads of what other buffers overwrote are
  /// found here; outputs count as not written from now on.
  std::string begin(const char *kernel, void *const *parameters,
                    const int64_t *bytes, int64_t count);
  /// After the launch: every output must be written whole.
  std::string finish() const;

  const Buffer *find(uint32_t operand) const {
    return operand && operand <= buffers.size() &&
                   buffers[operand - 1].end > buffers[operand - 1].begin
               ? &buffers[operand - 1]
               : nullptr;
  }
  /// Whether [begin, end) lies in a buffer that may be so accessed; true where
  /// nothing is known of the parameter, or of some where that is 0.
  bool allows(uint64_t begin, uint64_t end, bool writes) const {
    return !areAllKnown || isWithin(begin, end, writes);
  }
  /// Whether [begin, end) lies in a buffer of the launch, one that it writes.
  bool isWithin(uint64_t begin, uint64_t end, bool writes) const;

private:
  std::string addBuffer(uint64_t address, int64_t bytes, uint32_t number);
  std::string checkOwner(const Buffer &buffer) const;
  std::string checkOverlap(const Buffer &output) const;
  void claim(const char *kernel, const Buffer &output) const;
  std::vector<Buffer> buffers;
  bool areAllKnown = false;
};

LaunchBuffers &launchBuffers();

} // namespace memopt::emulator

extern "C" {
/// Where the contents of a kernel's address are; an access that is wrong ends
/// the launch.
void *memopt_emulator_access(void *address, int64_t bytes, uint32_t flags);
}

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_ACCESS_H
