//===- Owners.h - which launch wrote which bytes ---------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_OWNERS_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_OWNERS_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace memopt::emulator {

/// The last buffer that was written at each byte. In an arena a buffer that
/// another one overwrote is dead, and reading it is an error that no bound of
/// an allocation shows.
class Owners {
public:
  struct Writer {
    uint64_t time = 0; ///< later ones have larger numbers
    const std::string *name = nullptr;
    bool operator<(const Writer &other) const { return time < other.time; }
  };

  /// A new writer: "kernel rows_3", "the host".
  Writer addWriter(const std::string &name);

  /// [begin, end) belongs to a writer from now on.
  void assign(uint64_t begin, uint64_t end, Writer writer);
  void erase(uint64_t begin, uint64_t end);

  /// Bytes of a range that a later writer owns.
  struct Intrusion {
    uint64_t begin, end;
    Writer first, later;
  };
  /// Nothing where one writer owns all owned bytes of [begin, end).
  std::optional<Intrusion> findIntrusion(uint64_t begin, uint64_t end) const;
  void clear();

private:
  struct Interval {
    uint64_t end;
    Writer writer;
  };
  /// Makes `at` a boundary between intervals.
  void split(uint64_t at);
  std::map<uint64_t, Interval> intervals;
  std::set<std::string> names;
  uint64_t time = 0;
};

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_OWNERS_H
