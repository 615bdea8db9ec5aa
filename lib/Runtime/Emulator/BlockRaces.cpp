//===- BlockRaces.cpp - what other blocks of a launch wrote ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockRaces.h"

#include <sys/mman.h>

using namespace memopt::emulator;

static constexpr uint64_t kWord = sizeof(uint32_t);

BlockRaces &memopt::emulator::blockRaces() {
  static BlockRaces races;
  return races;
}

bool BlockRaces::open(uint64_t begin, uint64_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    return false;
  words = static_cast<uint32_t *>(pages);
  base = begin;
  size = bytes;
  first = next = current = 1;
  return true;
}

void BlockRaces::close() {
  if (words)
    munmap(words, size);
  words = nullptr;
}

void BlockRaces::beginLaunch(int64_t blocks) {
  if (uint64_t(next) + uint64_t(blocks) > UINT32_MAX) {
    madvise(words, size, MADV_DONTNEED); // zeros
    next = 1;
  }
  first = next;
  next += uint32_t(blocks);
}

std::optional<int64_t> BlockRaces::access(uint64_t address, uint64_t bytes,
                                          bool writes) {
  if (!isOn || !words)
    return std::nullopt;
  uint64_t begin = (address - base + kWord - 1) / kWord;
  uint64_t end = (address - base + bytes) / kWord;
  for (uint64_t i = begin; i < end; ++i) {
    if (words[i] >= first && words[i] != current)
      return words[i] - first;
    if (writes)
      words[i] = current;
  }
  return std::nullopt;
}
