//===- FailureTest.cpp - assertions of a step that do not hold ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Runtime/Cpu.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

void failEach(void *const *, int64_t, int64_t) {
  memopt_cpu_fail("rows: index out of range");
}

void leave(const char *message) {
  std::fprintf(stderr, "left with: %s\n", message);
  std::_Exit(3);
}

TEST(FailureDeathTest, SaysTheMessageAndAborts) {
  EXPECT_EXIT(memopt_cpu_fail("rows: index out of range"),
              testing::KilledBySignal(SIGABRT),
              "memopt: assertion failed: rows: index out of range");
}

TEST(FailureDeathTest, CallsTheHandler) {
  EXPECT_EXIT(
      {
        memopt_cpu_set_failure_handler(leave);
        memopt_cpu_fail("rows: index out of range");
      },
      testing::ExitedWithCode(3), "^left with: rows: index out of range\n$");
}

// Whichever thread is first: one message.
TEST(FailureDeathTest, OnceForAllThreads) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        memopt_cpu_set_failure_handler(leave);
        memopt_cpu_set_threads(4);
        memopt_cpu_parallel(failEach, nullptr, 64, 1);
      },
      testing::ExitedWithCode(3), "^left with: rows: index out of range\n$");
}

} // namespace
