//===- Clock.h - what is known of others' writes ----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_CLOCK_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_CLOCK_H

#include <cstdint>
#include <utility>
#include <vector>

namespace memopt::emulator {

/// A vector clock (Mattern, "Virtual time and global states of distributed
/// systems", 1989): for each writer the time before which all of its writes are
/// known. Writers that nothing is known of have no entry.
class Clock {
public:
  /// The least time that is not known; 0: nothing is.
  uint32_t get(uint64_t writer) const;
  void raise(uint64_t writer, uint32_t time);
  /// What either knows.
  void join(const Clock &other);
  bool isEmpty() const { return times.empty(); }

private:
  /// By writer.
  std::vector<std::pair<uint64_t, uint32_t>> times;
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_CLOCK_H
