//===- DeviceMemory.h - memory that is not the host's ----------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_DEVICEMEMORY_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_DEVICEMEMORY_H

#include "Owners.h"

#include <cstdint>
#include <map>
#include <string>

namespace memopt::emulator {

/// What is known of a byte of device or shared memory.
enum ByteState : uint8_t {
  kMapped = 1,  ///< it belongs to an allocation
  kWritten = 2, ///< somebody wrote it since it was allocated or poisoned
  kGlobal = 4,  ///< it belongs to a global of an image
  kFreed = 8,   ///< it belonged to an allocation
  kReport = 16  ///< any block reports there that an assertion failed
};

/// Device addresses are pages that nobody may touch: host code that
/// dereferences one ends as it would on a real machine. Their contents lie at a
/// fixed distance, where only the emulator looks, and a state for each byte at
/// another. Addresses are never used twice.
class DeviceMemory {
public:
  /// Bytes of addresses.
  static constexpr uint64_t kWindow = uint64_t(1) << 36;

  /// Reserves the addresses; a message where the system refuses.
  std::string open();
  void close();
  bool isOpen() const { return base != 0; }

  bool contains(uint64_t address) const { return address - base < kWindow; }
  uint64_t begin() const { return base; }
  /// Where the contents of a device address are.
  char *contents(uint64_t address) const {
    return reinterpret_cast<char *>(address + toContents);
  }
  uint8_t *states(uint64_t address) const {
    return reinterpret_cast<uint8_t *>(address + toStates);
  }

  /// A message with the bytes wanted and free, or nothing.
  std::string allocate(int64_t bytes, uint64_t &address, uint8_t state = 0);
  std::string release(uint64_t address);
  /// All bytes in one allocation, or why not; `what` begins the message.
  std::string checkRange(uint64_t address, int64_t bytes,
                         const char *what) const;

  std::string copyIn(uint64_t to, const void *from, int64_t bytes);
  std::string copyOut(void *to, uint64_t from, int64_t bytes) const;
  std::string poison(uint64_t address, int64_t bytes, uint8_t value);

  /// One past the highest byte that was written since the allocation, or since
  /// it was poisoned; -1 for what is no allocation, and without tracking.
  int64_t touchedBytes(uint64_t address) const;
  /// A product uses these bytes, of one allocation, as its workspace: what was
  /// written there is gone.
  void useWorkspace(uint64_t address, int64_t bytes);
  /// Somebody writes [begin, end), all in one allocation.
  void noteWrite(uint64_t begin, uint64_t end);

  /// "byte 12 of an allocation of 64 bytes", and the like.
  std::string describe(uint64_t address) const;

  Owners &owners() { return written; }
  /// Whether states follow what kernels write.
  void setTracking(bool tracks) { isTracking = tracks; }
  /// Bytes that may be allocated; the machine's free memory by default.
  void setLimit(int64_t bytes) { limit = bytes; }
  int64_t totalBytes() const { return limit; }

private:
  struct Allocation {
    int64_t bytes = 0;
    int64_t workspaceEnd = 0;
    /// No byte beyond it was written since the last use as a workspace.
    int64_t writtenEnd = 0;
    bool isFreed = false;
  };
  using Allocations = std::map<uint64_t, Allocation>;
  Allocations::const_iterator find(uint64_t address) const;

  uint64_t base = 0, next = 0;
  uint64_t toContents = 0, toStates = 0;
  int64_t limit = 0, used = 0;
  bool isTracking = true;
  Allocations allocations;
  Owners written;
};

DeviceMemory &deviceMemory();

/// True where all bytes are mapped and written.
bool areWritten(const uint8_t *states, int64_t bytes);

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_DEVICEMEMORY_H
