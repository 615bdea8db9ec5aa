//===- ParallelTest.cpp - chunks do not depend on threads -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"

#include "MemOpt/Runtime/Cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

using namespace memopt::test;

namespace {

struct Calls {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
};

void note(void *const *buffers, int64_t begin, int64_t end) {
  Calls &calls = *static_cast<Calls *>(buffers[0]);
  std::lock_guard<std::mutex> lock(calls.mutex);
  calls.ranges.emplace_back(begin, end);
}

TEST(Parallel, EachChunkOnce) {
  int before = memopt_cpu_get_threads();
  for (int threads : {1, 2, 7}) {
    memopt_cpu_set_threads(threads);
    EXPECT_EQ(memopt_cpu_get_threads(), threads);
    for (int64_t count : {0, 1, 10, 1000})
      for (int64_t grain : {0, 1, 3, 1000, 5000}) {
        Calls calls;
        void *buffers[] = {&calls};
        memopt_cpu_parallel(note, buffers, count, grain);
        std::sort(calls.ranges.begin(), calls.ranges.end());
        std::vector<std::pair<int64_t, int64_t>> expected;
        int64_t chunk = std::max<int64_t>(grain, 1);
        for (int64_t begin = 0; begin < count; begin += chunk)
          expected.emplace_back(begin, std::min(begin + chunk, count));
        EXPECT_EQ(calls.ranges, expected);
      }
  }
  memopt_cpu_set_threads(before);
}

void nest(void *const *buffers, int64_t, int64_t) {
  memopt_cpu_parallel(note, buffers, 4, 1);
}

TEST(Parallel, NestedIsALoop) {
  Calls calls;
  void *buffers[] = {&calls};
  memopt_cpu_parallel(nest, buffers, 3, 1);
  EXPECT_EQ(calls.ranges.size(), 12u);
}

void nothing(void *const *, int64_t, int64_t) {}

TEST(Parallel, AllocatesNothing) {
  int before = memopt_cpu_get_threads();
  for (int threads : {1, 2}) {
    memopt_cpu_set_threads(threads);
    memopt_cpu_warm_up();
    startCounting();
    for (int64_t count : {1, 2, 100})
      memopt_cpu_parallel(nothing, nullptr, count, 1);
    EXPECT_EQ(stopCounting(), 0);
  }
  memopt_cpu_set_threads(before);
}

TEST(Library, SaysWhatItKeeps) {
  memopt_cpu_warm_up();
  EXPECT_GE(memopt_cpu_library_bytes(), int64_t(2) << 20);
  EXPECT_FALSE(memopt_cpu_in_library());
}

} // namespace
