//===- Arena.cpp - the memory that a step works in ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Run/Arena.h"
#include "MemOpt/Run/Array.h"
#include "ProcFile.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace memopt::run;
using llvm::Expected;

std::optional<int64_t> memopt::run::availableBytes() {
  std::optional<int64_t> bytes =
      readProcField("/proc/meminfo", "MemAvailable:");
  if (bytes)
    *bytes *= 1024;
  // Version 2 of control groups; "max" is no number.
  std::optional<int64_t> limit = readProcField("/sys/fs/cgroup/memory.max", "");
  std::optional<int64_t> used =
      readProcField("/sys/fs/cgroup/memory.current", "");
  if (limit && used)
    bytes = std::min(bytes.value_or(INT64_MAX), *limit - *used);
  return bytes;
}

static size_t mappedSize(int64_t bytes) { return std::max<int64_t>(bytes, 1); }

Expected<Arena> Arena::create(int64_t bytes, int64_t extraBytes) {
  std::optional<int64_t> available = availableBytes();
  if (available && __int128(bytes) + extraBytes > *available)
    return makeError("the step needs an arena of %lld bytes and %lld bytes of "
                     "arguments; the machine has %lld available",
                     (long long)bytes, (long long)extraBytes,
                     (long long)*available);
  void *pages = mmap(nullptr, mappedSize(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return makeError("the system refuses an arena of %lld bytes: %s",
                     (long long)bytes, std::strerror(errno));
  return Arena(static_cast<char *>(pages), bytes);
}

Arena::Arena(Arena &&other) noexcept
    : pages(std::exchange(other.pages, nullptr)), byteCount(other.byteCount) {}

Arena &Arena::operator=(Arena &&other) noexcept {
  std::swap(pages, other.pages);
  std::swap(byteCount, other.byteCount);
  return *this;
}

Arena::~Arena() {
  if (pages)
    munmap(pages, mappedSize(byteCount));
}

void Arena::release() {
  // Fails on locked pages only.
  if (madvise(pages, mappedSize(byteCount), MADV_DONTNEED))
    std::memset(pages, 0, byteCount);
}

void Arena::fill(uint8_t value) { std::memset(pages, value, byteCount); }

int64_t Arena::endOfOtherThan(uint8_t value) const {
  int64_t end = byteCount;
  while (end > 0 && uint8_t(pages[end - 1]) == value)
    --end;
  return end;
}
