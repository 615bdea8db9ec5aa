//===- RandomBuffers.h - buffers to pack ------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TEST_ARENA_RANDOMBUFFERS_H
#define MEMOPT_TEST_ARENA_RANDOMBUFFERS_H

#include "MemOpt/Arena/Pack.h"

#include <random>

namespace memopt::arena::test {

/// A number from `low` to `high`; the same with every standard library.
int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high);

/// Buffers of 0 to `mostBytes` bytes over `kernels` kernels.
std::vector<Buffer> randomBuffers(std::mt19937_64 &random, int count,
                                  int kernels, int64_t mostBytes);

/// A rectangle of `height` bytes and `kernels` kernels cut into buffers: it is
/// full everywhere, and the lower bound, `height`, can be reached.
std::vector<Buffer> cutRectangle(std::mt19937_64 &random, int count,
                                 int kernels, int64_t height);

/// A training step of `layers` layers: activations that live until their
/// layer's backward, short transients beside them, gradients that stay.
std::vector<Buffer> layeredStep(std::mt19937_64 &random, int layers,
                                int perLayer);

/// The smallest height of all packings, by trying every order of first fit: a
/// packing in which nothing can sink is first fit in the order of its offsets.
int64_t findSmallestHeight(const std::vector<Buffer> &buffers,
                           int64_t alignment);

} // namespace memopt::arena::test

#endif // MEMOPT_TEST_ARENA_RANDOMBUFFERS_H
