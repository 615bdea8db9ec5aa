//===- Pack.h - offsets of buffers in one arena -----------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offline dynamic storage allocation: buffers whose sizes and lifetimes are
// known get fixed offsets in one arena, so that no two that are alive together
// overlap and the arena is small. Knows no IR. docs/arena.md has the method.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ARENA_PACK_H
#define MEMOPT_ARENA_PACK_H

#include <cstdint>
#include <string>
#include <vector>

namespace memopt::arena {

/// A buffer that is alive from kernel `first` to kernel `last`, both included.
struct Buffer {
  int64_t bytes = 0;
  int first = 0, last = 0;
};

struct PackOptions {
  /// Offsets are multiples of this many bytes, and sizes count as rounded up
  /// to it.
  int64_t alignment = 64;
  /// Elementary steps that may be spent on packings better than the first one
  /// found. A count and no time: the same input gives the same offsets on every
  /// machine. About 10^8 are a second.
  int64_t stepLimit = 100'000'000;
};

struct Packing {
  /// Offset of each buffer in bytes; 0 for a buffer of no bytes.
  std::vector<int64_t> offsets;
  /// Bytes of the arena: the highest end of a buffer, sizes rounded up.
  int64_t height = 0;
  /// The most bytes alive at one kernel, sizes rounded up: no packing is lower.
  int64_t lowerBound = 0;
  /// `height` is proved to be the smallest possible: it equals the lower bound,
  /// or the search was exhaustive.
  bool optimal = false;
};

/// What is wrong with the input, naming the buffer, or an empty string: a
/// negative size, a lifetime that is negative or ends before it begins, an
/// alignment below 1, rounded sizes whose sum passes 2^61 bytes.
std::string check(const std::vector<Buffer> &buffers,
                  const PackOptions &options = {});

/// Packs buffers that pass `check`. Deterministic.
Packing pack(const std::vector<Buffer> &buffers,
             const PackOptions &options = {});

/// What is wrong with a packing, or an empty string: a missing, negative or
/// unaligned offset, two live buffers that overlap, a wrong height or lower
/// bound. Shares no code with `pack`; O(n log n).
std::string verify(const std::vector<Buffer> &buffers,
                   const PackOptions &options, const Packing &packing);

/// What simpler allocators do, to compare with: each buffer in turn gets the
/// lowest offset at which it fits beside those placed before it.
enum class Order {
  Birth, ///< as an allocator that is asked during the step
  Size,  ///< the largest first
  Area,  ///< the largest size times lifetime first
  Load,  ///< what is alive at the fullest moment first, the largest of it first
};
Packing packFirstFit(const std::vector<Buffer> &buffers, Order order,
                     const PackOptions &options = {});

} // namespace memopt::arena

#endif // MEMOPT_ARENA_PACK_H
