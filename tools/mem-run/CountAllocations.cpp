//===- CountAllocations.cpp - malloc and mmap that count ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The dynamic linker finds these definitions before the C library's, for
// mem-run and for every library that it loads, the BLAS among them. What the C
// library maps for itself (thread stacks, large blocks of malloc) does not come
// by here; a large block is counted as the malloc that it is.
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Allocations.h"
#include <cerrno>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Sanitizers define malloc and mmap themselves.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||     \
    __has_feature(thread_sanitizer)
#define MEMOPT_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMOPT_SANITIZED
#endif

#ifndef MEMOPT_SANITIZED

using namespace memopt::run;

// glibc's own entry points under names that nobody interposes.
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);
}

static void *counted(void *block) {
  if (block)
    noteAllocated(malloc_usable_size(block));
  return block;
}

static bool isPowerOfTwo(size_t value) {
  return value && !(value & (value - 1));
}

extern "C" {

void *malloc(size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }

void *calloc(size_t count, size_t bytes) noexcept {
  return counted(__libc_calloc(count, bytes));
}

void *realloc(void *block, size_t bytes) noexcept {
  size_t before = block ? malloc_usable_size(block) : 0;
  void *moved = __libc_realloc(block, bytes);
  if (moved || !bytes) {
    noteReleased(before);
    counted(moved);
  }
  return moved;
}

void *reallocarray(void *block, size_t count, size_t bytes) noexcept {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, total);
}

void *memalign(size_t alignment, size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (!isPowerOfTwo(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) noexcept {
  if (!isPowerOfTwo(alignment) || alignment % sizeof(void *))
    return EINVAL;
  void *found = memalign(alignment, bytes);
  if (!found)
    return ENOMEM;
  *block = found;
  return 0;
}

void *valloc(size_t bytes) noexcept {
  return memalign(size_t(sysconf(_SC_PAGESIZE)), bytes);
}

void free(void *block) noexcept {
  if (block)
    noteReleased(malloc_usable_size(block));
  __libc_free(block);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int file,
             off64_t offset) noexcept {
  long mapped =
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  void *pages = reinterpret_cast<void *>(mapped);
  if (pages != MAP_FAILED)
    noteMapped(bytes);
  return pages;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  return mmap64(address, bytes, protection, flags, file, offset);
}

int munmap(void *address, size_t bytes) noexcept {
  long code = syscall(SYS_munmap, address, bytes);
  if (!code)
    noteReleased(bytes);
  return int(code);
}

} // extern "C"

#endif // MEMOPT_SANITIZED
