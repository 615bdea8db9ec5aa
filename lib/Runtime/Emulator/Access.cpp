//===- Access.cpp - every access of a kernel ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "AccessCounts.h"
#include "Block.h"
#include "BlockRaces.h"
#include "SharedMemory.h"

#include <algorithm>

using namespace memopt::emulator;

namespace {

/// One access of the thread at work.
struct Access {
  uint64_t address, bytes;
  AccessFlags flags;

  std::string describe() const {
    std::string text = flags.reads && flags.writes ? "updates "
                       : flags.writes              ? "writes "
                                                   : "reads ";
    text += std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (const LaunchBuffers::Buffer *buffer =
            launchBuffers().find(flags.operand))
      return text + " at byte " +
             std::to_string(int64_t(address - buffer->begin)) + " of operand " +
             std::to_string(flags.operand - 1) + " (" +
             std::to_string(buffer->end - buffer->begin) + " bytes)";
    if (flags.operand)
      text += " through operand " + std::to_string(flags.operand - 1);
    return text;
  }
  [[noreturn]] void fail(const std::string &why) const {
    blockRunner().fail(describe() + ": " + why);
  }
};

} // namespace

/// Within the parameter's buffer, or any of the launch's.
static void checkBounds(const Access &access) {
  const LaunchBuffers &launch = launchBuffers();
  uint64_t end = access.address + access.bytes;
  if (const LaunchBuffers::Buffer *buffer = launch.find(access.flags.operand)) {
    if (access.address < buffer->begin || end > buffer->end)
      access.fail("out of bounds");
    if (access.flags.writes && !launch.isWithin(access.address, end, true))
      access.fail("the launch says that the kernel only reads it");
    return;
  }
  // Whoever wrote it before does not own it any more.
  if (access.flags.writes) {
    deviceMemory().owners().erase(access.address, end);
    deviceMemory().noteWrite(access.address, end);
  }
  bool isGlobal = *deviceMemory().states(access.address) & kGlobal;
  if (!isGlobal && !launch.allows(access.address, end, access.flags.writes))
    access.fail("outside of the launch's buffers, at " +
                deviceMemory().describe(access.address));
}

static void count(const Access &access) {
  BlockRunner &runner = blockRunner();
  const uint32_t *grid = runner.grid(), *size = runner.blockSize(),
                 *id = runner.blockId();
  uint64_t block = (uint64_t(id[2]) * grid[1] + id[1]) * grid[0] + id[0];
  uint64_t thread =
      block * size[0] * size[1] * size[2] + runner.current().number;
  accessCounts().add(access.address, access.bytes, access.flags.reads,
                     access.flags.writes, thread + 1);
}

static void checkOrder(const Access &access, uint8_t state) {
  if (state & kReport)
    return;
  BlockRunner &runner = blockRunner();
  const AccessFlags &flags = access.flags;
  std::optional<int64_t> other =
      blockRaces().access({access.address, access.bytes, flags.reads,
                           flags.writes, flags.isAtomic, flags.order},
                          {runner.current().number, runner.epoch()});
  if (!other)
    return;
  const uint32_t *grid = runner.grid();
  int64_t x = *other % grid[0], y = *other / grid[0] % grid[1];
  access.fail("block (" + std::to_string(x) + "," + std::to_string(y) + "," +
              std::to_string(*other / grid[0] / grid[1]) +
              ") wrote it in the same launch, and nothing orders the two");
}

static void *accessDevice(const Access &access) {
  DeviceMemory &memory = deviceMemory();
  uint8_t *states = memory.states(access.address);
  checkBounds(access);
  if (access.flags.reads && !areWritten(states, access.bytes)) {
    auto isBad = [](uint8_t s) {
      return (s & (kMapped | kWritten)) != (kMapped | kWritten);
    };
    uint8_t state = *std::find_if(states, states + access.bytes, isBad);
    access.fail(state & kFreed ? "freed memory"
                : state & kMapped
                    ? "nobody wrote it"
                    : "out of bounds, at " + memory.describe(access.address));
  }
  if (access.flags.writes)
    for (uint64_t i = 0; i < access.bytes; ++i) {
      if (!(states[i] & kMapped))
        access.fail(states[i] & kFreed ? "freed memory"
                                       : "out of bounds, at " +
                                             memory.describe(access.address));
      states[i] |= kWritten;
    }
  checkOrder(access, *states);
  if (accessCounts().isCounting())
    count(access);
  return memory.contents(access.address);
}

void *memopt_emulator_access(void *pointer, int64_t bytes, uint32_t bits) {
  Access access{reinterpret_cast<uint64_t>(pointer), uint64_t(bytes),
                AccessFlags::decode(bits)};
  if (!bytes)
    return pointer;
  uint64_t alignment = uint64_t(1) << access.flags.log2Alignment;
  if (access.address % alignment)
    access.fail("misaligned: " + std::to_string(access.address % alignment) +
                " bytes off a multiple of " + std::to_string(alignment));
  if (deviceMemory().contains(access.address))
    return accessDevice(access);
  BlockRunner &runner = blockRunner();
  if (sharedMemory().contains(access.address)) {
    if (const std::string *wrong = sharedMemory().access(
            access.address, access.bytes, access.flags.reads,
            access.flags.writes, runner.current().number, runner.epoch()))
      runner.fail(*wrong);
    return pointer;
  }
  if (runner.isOnStack(pointer))
    return pointer;
  access.fail(access.address < 4096 ? "a null pointer" : "a host address");
}
