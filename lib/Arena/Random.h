//===- Random.h - the same numbers everywhere -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_RANDOM_H
#define MEMOPT_LIB_ARENA_RANDOM_H

#include <cstdint>

namespace memopt::arena {

/// The mixing step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
inline uint64_t scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// SplitMix64: the same numbers with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// A number from 0 up to and without 1.
  double nextShare() {
    state += 0x9e3779b97f4a7c15;
    return static_cast<double>(scramble(state) >> 11) * 0x1p-53;
  }

private:
  uint64_t state;
};

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_RANDOM_H
