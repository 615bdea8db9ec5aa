//===- CopyTest.cpp - strided copies --------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Runtime/Cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace {

struct Loop {
  int64_t size, from, to;
};

/// Copies one element after the other; what is not written keeps its bytes.
void check(int64_t bytes, const std::vector<Loop> &loops) {
  int64_t points = 1, fromEnd = 1, toEnd = 1;
  std::vector<int64_t> shape{bytes, int64_t(loops.size())};
  for (const Loop &loop : loops) {
    points *= loop.size;
    fromEnd += std::max<int64_t>(loop.size - 1, 0) * loop.from;
    toEnd += std::max<int64_t>(loop.size - 1, 0) * loop.to;
    shape.insert(shape.end(), {loop.size, loop.from, loop.to});
  }
  std::vector<unsigned char> from(fromEnd * bytes), to(toEnd * bytes, 0x7f);
  std::mt19937 random(3);
  for (unsigned char &byte : from)
    byte = static_cast<unsigned char>(random());
  std::vector<unsigned char> expected = to;
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p, source = 0, target = 0;
    for (size_t i = loops.size(); i-- > 0; rest /= loops[i].size) {
      source += rest % loops[i].size * loops[i].from;
      target += rest % loops[i].size * loops[i].to;
    }
    std::memcpy(&expected[target * bytes], &from[source * bytes], bytes);
  }
  memopt_cpu_copy(shape.data(), from.data(), to.data());
  EXPECT_EQ(to, expected) << "elements of " << bytes << " bytes, "
                          << loops.size() << " loops";
}

TEST(Copy, Shapes) {
  for (int64_t bytes : {1, 2, 4, 8}) {
    check(bytes, {});
    check(bytes, {{0, 1, 1}});
    check(bytes, {{7, 1, 1}});
    check(bytes, {{7, 0, 1}});
    check(bytes, {{70, 1, 130}, {130, 70, 1}}); // a transpose
    check(bytes, {{3, 2640, 2640}, {33, 80, 40}, {2, 40, 1320}, {40, 1, 1}});
    check(bytes, {{5, 1, 42}, {6, 5, 7}, {7, 30, 1}}); // all reversed
    check(bytes, {{9, 20, 40}, {10, 2, 3}});           // gaps on both sides
    check(bytes, {{1000, 100, 100}, {100, 1, 1}});
  }
}

TEST(Copy, RandomOrders) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::vector<Loop> loops(1 + random() % 4);
    std::vector<size_t> order(loops.size());
    for (size_t j = 0; j < loops.size(); ++j) {
      order[j] = j;
      loops[j].size = 1 + random() % 40 / (1 + j);
    }
    for (auto stride : {&Loop::from, &Loop::to}) {
      std::shuffle(order.begin(), order.end(), random);
      int64_t next = 1;
      for (size_t j : order) {
        loops[j].*stride = next;
        next *= loops[j].size;
        next += random() % 3;
      }
    }
    check(int64_t(1) << random() % 4, loops);
  }
}

} // namespace
