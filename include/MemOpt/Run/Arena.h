//===- Arena.h - the memory that a step works in ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_RUN_ARENA_H
#define MEMOPT_RUN_ARENA_H

#include "llvm/Support/Error.h"
#include <cstdint>

namespace memopt::run {

/// Bytes that the machine, or the control group that this process is in, can
/// still give; none where the system does not say.
std::optional<int64_t> availableBytes();

/// Pages of its own from the system, zero at first.
class Arena {
public:
  /// `extraBytes` are what the caller will ask for besides. Refused, with the
  /// bytes wanted and available, where the machine has no room for both: the
  /// system would promise them and kill the process as it touches them.
  static llvm::Expected<Arena> create(int64_t bytes, int64_t extraBytes = 0);

  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) noexcept;
  ~Arena();

  char *data() { return pages; }
  const char *data() const { return pages; }
  int64_t bytes() const { return byteCount; }

  /// Gives all pages back: the arena reads as zeros, and none is resident.
  void release();
  void fill(uint8_t value);
  /// One past the last byte that is not `value`; 0 where all are.
  int64_t endOfOtherThan(uint8_t value) const;

private:
  Arena(char *pages, int64_t bytes) : pages(pages), byteCount(bytes) {}
  char *pages = nullptr;
  int64_t byteCount = 0;
};

} // namespace memopt::run

#endif // MEMOPT_RUN_ARENA_H
