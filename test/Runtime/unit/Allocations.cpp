//===- Allocations.cpp - counts what is allocated -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"

#include "MemOpt/Runtime/Cpu.h"

#include <atomic>
#include <cstddef>

static std::atomic<bool> counts{false};
static std::atomic<int64_t> bytes{0};

void memopt::test::startCounting() {
  bytes = 0;
  counts = true;
}

int64_t memopt::test::stopCounting() {
  counts = false;
  return bytes;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMOPT_SANITIZED
#endif
#endif

#if !defined(MEMOPT_SANITIZED) && !defined(__SANITIZE_ADDRESS__)
static void count(size_t size) {
  if (counts && !memopt_cpu_in_library())
    bytes += static_cast<int64_t>(size);
}

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}
void *realloc(void *data, size_t size) {
  count(size);
  return __libc_realloc(data, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **data, size_t alignment, size_t size) {
  count(size);
  *data = __libc_memalign(alignment, size);
  return *data ? 0 : 12;
}
}
#endif
