//===- AccessCounts.cpp - bytes that kernels move -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessCounts.h"

#include <utility>

using namespace memopt::emulator;

AccessCounts &memopt::emulator::accessCounts() {
  static AccessCounts counts;
  return counts;
}

void AccessCounts::begin(const std::string &kernel) {
  if (!isEnabled)
    return;
  for (Sum &sum : sums)
    if (sum.kernel == kernel)
      current = &sum.bytes;
  if (!current) {
    sums.push_back({kernel});
    current = &sums.back().bytes;
  }
  ++current->launches;
}

void AccessCounts::finish() {
  current = nullptr;
  pages.clear();
  lastPage = nullptr;
}

AccessCounts::Byte &AccessCounts::getByte(uint64_t address) {
  uint64_t number = address / kPageBytes;
  if (!lastPage || number != lastNumber) {
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    lastPage = page.get();
    lastNumber = number;
  }
  return (*lastPage)[address % kPageBytes];
}

void AccessCounts::read(Byte &byte, uint64_t thread) {
  if (!byte.reader) {
    byte.reader = thread;
    ++current->read;
  } else if (byte.reader == thread) {
    ++byte.rereads;
    ++current->reread;
  } else if (byte.reader != kMany) {
    // What its first reader fetched again was not its own.
    current->reread -= byte.rereads;
    byte.reader = kMany;
  }
}

void AccessCounts::add(uint64_t address, uint64_t bytes, bool reads,
                       bool writes, uint64_t thread) {
  current->loaded += reads ? int64_t(bytes) : 0;
  current->stored += writes ? int64_t(bytes) : 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    Byte &byte = getByte(address + i);
    if (reads)
      read(byte, thread);
    if (writes && !std::exchange(byte.isWritten, true))
      ++current->written;
  }
}

std::deque<AccessCounts::Sum> AccessCounts::take() {
  return std::exchange(sums, {});
}
