//===- Parallel.cpp - loops over threads ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"
#include "OpenMp.h"

#include "MemOpt/Runtime/Cpu.h"

#include <algorithm>
#include <atomic>

using namespace memopt::cpu;

namespace {
/// A loop whose iterations go to whichever thread is free.
struct Loop {
  int64_t count;
  void (*call)(void *, int64_t);
  void *context;
  std::atomic<int64_t> next{0};

  static void run(void *data) {
    auto &loop = *static_cast<Loop *>(data);
    for (int64_t i; (i = loop.next.fetch_add(1)) < loop.count;)
      loop.call(loop.context, i);
  }
};
} // namespace

void memopt::cpu::forEach(int64_t count, void (*call)(void *, int64_t),
                          void *context) {
  Loop loop{count, call, context};
  // Always all threads: libgomp allocates where the number changes.
  if (count > 1 && !omp_in_parallel() && omp_get_max_threads() > 1)
    GOMP_parallel(Loop::run, &loop, 0, 0);
  else
    Loop::run(&loop);
}

void memopt_cpu_parallel(memopt_cpu_kernel kernel, void *const *buffers,
                         int64_t count, int64_t grain) {
  grain = std::max<int64_t>(grain, 1);
  int64_t chunks = count / grain + (count % grain != 0);
  forEach(chunks, [=](int64_t chunk) {
    int64_t begin = chunk * grain;
    kernel(buffers, begin, begin + std::min(grain, count - begin));
  });
}

void memopt_cpu_set_threads(int threads) {
  omp_set_num_threads(std::max(threads, 1));
}

int memopt_cpu_get_threads(void) { return omp_get_max_threads(); }
