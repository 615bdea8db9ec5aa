//===- Failure.cpp - assertions of a step that do not hold ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Runtime/Cpu.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

static std::atomic<memopt_cpu_failure_handler> handler{nullptr};

void memopt_cpu_set_failure_handler(memopt_cpu_failure_handler wanted) {
  handler = wanted;
}

void memopt_cpu_fail(const char *message) {
  // Never unlocked: the process ends within.
  static std::mutex first;
  first.lock();
  if (memopt_cpu_failure_handler call = handler)
    call(message);
  std::fprintf(stderr, "memopt: assertion failed: %s\n", message);
  std::abort();
}
