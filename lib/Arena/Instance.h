//===- Instance.h - what the packers work on --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_INSTANCE_H
#define MEMOPT_LIB_ARENA_INSTANCE_H

#include "MemOpt/Arena/Pack.h"

namespace memopt::arena {

/// A buffer with at least one byte. Times are sections, sizes units.
struct Item {
  int64_t size = 0;
  int first = 0, last = 0;
  size_t buffer = 0; ///< its number in the input
};

/// The buffers of a problem without what does not matter:
///
///  - A *unit* is the greatest common divisor of all rounded sizes. Some best
///    packing has offsets that are sums of sizes, hence multiples of it.
///  - A *section* is a maximal set of buffers that are alive together. Kernels
///    between a death and the next birth after it add nothing to their
///    neighbours, so there are at most as many sections as buffers, and two
///    buffers are alive together exactly when they share a section.
struct Instance {
  std::vector<Item> items;
  std::vector<int64_t> load; ///< units alive in each section
  int64_t unit = 1;          ///< bytes
  int64_t lowerBound = 0;    ///< units: the largest load

  Instance(const std::vector<Buffer> &buffers, const PackOptions &options);

  int getSectionCount() const { return static_cast<int>(load.size()); }
  int64_t getLifetime(int item) const {
    return int64_t(items[item].last) - items[item].first + 1;
  }

  /// The packing in bytes of item offsets in units.
  Packing toPacking(const std::vector<int64_t> &offsets,
                    size_t bufferCount) const;
};

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_INSTANCE_H
