//===- SharedMemory.cpp - a block's shared memory -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "Block.h"
#include "DeviceMemory.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

using namespace memopt::emulator;

SharedMemory &memopt::emulator::sharedMemory() {
  static SharedMemory memory;
  return memory;
}

uint64_t SharedMemory::begin() {
  if (base)
    return base;
  // The same address in each process if it is free, as for device memory.
  void *wanted = reinterpret_cast<void *>(uint64_t(3) << 44);
  void *pages = mmap(wanted, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    throw std::bad_alloc();
  states.resize(kBytes);
  traces.resize(kBytes);
  base = reinterpret_cast<uint64_t>(pages);
  return base;
}

void SharedMemory::reset(const std::vector<SharedRange> &ranges) {
  for (const SharedRange &range : current)
    std::memset(states.data() + range.offset, 0, range.bytes);
  current = ranges;
  for (const SharedRange &range : current) {
    std::memset(states.data() + range.offset, kMapped, range.bytes);
    std::memset(reinterpret_cast<char *>(base + range.offset), 0xFF,
                range.bytes);
  }
}

const std::string *SharedMemory::fail(std::string what) {
  text = std::move(what);
  return &text;
}

/// Two threads of different warps must have a barrier between a write and what
/// the other does there. Lanes of one warp order themselves by warp operations,
/// which are not followed here.
const std::string *SharedMemory::checkOrder(const Trace &trace, bool reads,
                                            bool writes, uint32_t thread,
                                            uint32_t epoch) {
  uint32_t warp = thread / kWarpSize;
  if (trace.writeEpoch == epoch && trace.writer / kWarpSize != warp)
    return fail("missing barrier: " + std::string(reads ? "reads" : "writes") +
                " shared memory that thread number " +
                std::to_string(trace.writer) +
                " of the block wrote since the last barrier");
  if (writes && trace.readEpoch == epoch && trace.reader / kWarpSize != warp)
    return fail("missing barrier: writes shared memory that thread number " +
                std::to_string(trace.reader) +
                " of the block read since the last barrier");
  return nullptr;
}

const std::string *SharedMemory::access(uint64_t address, uint64_t bytes,
                                        bool reads, bool writes,
                                        uint32_t thread, uint32_t epoch) {
  uint64_t offset = address - base;
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    if (i >= kBytes || !(states[i] & kMapped))
      return fail("accesses shared memory out of bounds");
    if (reads && !(states[i] & kWritten))
      return fail("reads shared memory that nobody wrote");
    Trace &trace = traces[i];
    // An atomic update needs no barrier to another one.
    if (!(reads && writes))
      if (auto *wrong = checkOrder(trace, reads, writes, thread, epoch))
        return wrong;
    if (reads) {
      trace.reader = thread;
      trace.readEpoch = epoch;
    }
    if (writes && !reads) {
      trace.writer = thread;
      trace.writeEpoch = epoch;
    }
    if (writes)
      states[i] |= kWritten;
  }
  return nullptr;
}
