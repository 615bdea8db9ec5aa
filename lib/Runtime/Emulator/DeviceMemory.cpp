//===- DeviceMemory.cpp - memory that is not the host's -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "BlockRaces.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/mman.h>

using namespace memopt::emulator;

/// Between allocations, so that no access reaches the next one by accident.
static constexpr uint64_t kGap = 4096, kAlignment = 256;

DeviceMemory &memopt::emulator::deviceMemory() {
  static DeviceMemory memory;
  return memory;
}

/// Where the addresses begin if nothing is there: the same ones in each
/// process, so that compiled kernels, which hold addresses, can be used again.
static constexpr uint64_t kPreferred = uint64_t(1) << 45;

static uint64_t reserve(int number, int protection) {
  auto wanted = kPreferred + uint64_t(number) * 2 * DeviceMemory::kWindow;
  void *pages =
      mmap(reinterpret_cast<void *>(wanted), DeviceMemory::kWindow, protection,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(pages);
}

static void unreserve(uint64_t address) {
  if (address)
    munmap(reinterpret_cast<void *>(address), DeviceMemory::kWindow);
}

/// Half of what the machine can give: each byte has a state.
static int64_t defaultLimit() {
  std::ifstream file("/proc/meminfo");
  std::string field;
  int64_t kibibytes = 0;
  while (file >> field)
    if (field == "MemAvailable:" && file >> kibibytes)
      return std::min<int64_t>(kibibytes * 512, DeviceMemory::kWindow / 2);
  return DeviceMemory::kWindow / 2;
}

std::string DeviceMemory::open() {
  if (isOpen())
    return "";
  uint64_t addresses = reserve(0, PROT_NONE);
  uint64_t contents = reserve(1, PROT_READ | PROT_WRITE);
  uint64_t states = reserve(2, PROT_READ | PROT_WRITE);
  bool follows = addresses && blockRaces().open(addresses, kWindow);
  if (!addresses || !contents || !states || !follows) {
    std::string reason = std::strerror(errno);
    for (uint64_t region : {addresses, contents, states})
      unreserve(region);
    blockRaces().close();
    return "the emulator cannot reserve its addresses: " + reason;
  }
  base = addresses;
  next = base + kGap;
  toContents = contents - base;
  toStates = states - base;
  if (!limit)
    limit = defaultLimit();
  return "";
}

void DeviceMemory::close() {
  if (!isOpen())
    return;
  blockRaces().close();
  unreserve(base + toContents);
  unreserve(base + toStates);
  unreserve(base);
  base = next = 0;
  limit = used = 0;
  allocations.clear();
  written.clear();
}

std::string DeviceMemory::allocate(int64_t bytes, uint64_t &address,
                                   uint8_t state) {
  if (bytes < 0)
    return "an allocation of " + std::to_string(bytes) + " bytes";
  uint64_t room = base + kWindow - next;
  int64_t free = std::min<int64_t>(limit - used, room);
  if (bytes > free || uint64_t(bytes) + 2 * kGap > room)
    return "out of device memory: " + std::to_string(bytes) +
           " bytes wanted, " + std::to_string(free) + " free";
  address = next;
  next += (uint64_t(bytes) + kGap + kAlignment - 1) / kAlignment * kAlignment;
  used += bytes;
  allocations[address].bytes = bytes;
  std::memset(states(address), kMapped | state, bytes);
  // What nobody wrote is a NaN in any type of floats.
  std::memset(contents(address), 0xFF, bytes);
  return "";
}

DeviceMemory::Allocations::const_iterator
DeviceMemory::find(uint64_t address) const {
  auto it = allocations.upper_bound(address);
  return it == allocations.begin() ? allocations.end() : std::prev(it);
}

std::string DeviceMemory::release(uint64_t address) {
  auto it = allocations.find(address);
  if (it == allocations.end())
    return "memopt_gpu_free of what is no device memory";
  if (it->second.isFreed)
    return "device memory is freed twice";
  int64_t bytes = it->second.bytes;
  it->second.isFreed = true;
  used -= bytes;
  std::memset(states(address), kFreed, bytes);
  written.erase(address, address + bytes);
  // The pages go back; a partial one is not worth a thought.
  uint64_t first = (address + 4095) / 4096 * 4096,
           last = (address + bytes) / 4096 * 4096;
  if (last > first)
    madvise(contents(first), last - first, MADV_DONTNEED);
  return "";
}

std::string DeviceMemory::checkRange(uint64_t address, int64_t bytes,
                                     const char *what) const {
  if (bytes < 0)
    return std::string(what) + " of " + std::to_string(bytes) + " bytes";
  if (!contains(address))
    return std::string(what) + ": a host address where device memory is meant";
  auto it = find(address);
  bool isIn = it != allocations.end() &&
              address + uint64_t(bytes) <= it->first + it->second.bytes;
  if (isIn && !it->second.isFreed)
    return "";
  return std::string(what) + ": " + std::to_string(bytes) + " bytes at " +
         describe(address);
}

std::string DeviceMemory::copyIn(uint64_t to, const void *from, int64_t bytes) {
  if (contains(reinterpret_cast<uint64_t>(from)))
    return "copy in: a device address where host memory is meant";
  std::string wrong = checkRange(to, bytes, "copy in");
  if (!wrong.empty() || !bytes)
    return wrong;
  std::memcpy(contents(to), from, bytes);
  uint8_t *state = states(to);
  std::transform(state, state + bytes, state,
                 [](uint8_t s) { return s | kWritten; });
  noteWrite(to, to + bytes);
  written.assign(to, to + bytes, written.addWriter("the host"));
  return "";
}

std::string DeviceMemory::copyOut(void *to, uint64_t from,
                                  int64_t bytes) const {
  if (contains(reinterpret_cast<uint64_t>(to)))
    return "copy out: a device address where host memory is meant";
  std::string wrong = checkRange(from, bytes, "copy out");
  if (!wrong.empty() || !bytes)
    return wrong;
  const uint8_t *state = states(from);
  if (isTracking && !areWritten(state, bytes)) {
    auto isWritten = [](uint8_t s) { return s & kWritten; };
    auto *first = std::find_if_not(state, state + bytes, isWritten);
    return "copy out: nobody wrote " + describe(from + (first - state));
  }
  std::memcpy(to, contents(from), bytes);
  return "";
}

std::string DeviceMemory::poison(uint64_t address, int64_t bytes,
                                 uint8_t value) {
  std::string wrong = checkRange(address, bytes, "poison");
  if (!wrong.empty() || !bytes)
    return wrong;
  std::memset(contents(address), value, bytes);
  uint8_t *state = states(address);
  std::transform(state, state + bytes, state,
                 [](uint8_t s) { return s & ~kWritten; });
  written.erase(address, address + bytes);
  auto it = allocations.find(address);
  if (it != allocations.end())
    it->second.workspaceEnd = 0;
  return "";
}

int64_t DeviceMemory::touchedBytes(uint64_t address) const {
  auto it = allocations.find(address);
  if (it == allocations.end() || it->second.isFreed || !isTracking)
    return -1;
  int64_t end = it->second.bytes;
  const uint8_t *state = states(address);
  while (end > it->second.workspaceEnd && !(state[end - 1] & kWritten))
    --end;
  return end;
}

void DeviceMemory::noteWrite(uint64_t begin, uint64_t end) {
  auto it = find(begin);
  if (it == allocations.end())
    return;
  int64_t &last = allocations[it->first].writtenEnd;
  last = std::max<int64_t>(last, end - it->first);
}

void DeviceMemory::useWorkspace(uint64_t address, int64_t bytes) {
  auto it = find(address);
  if (it == allocations.end())
    return;
  Allocation &allocation = allocations[it->first];
  auto first = int64_t(address - it->first);
  allocation.workspaceEnd =
      std::max<int64_t>(allocation.workspaceEnd, first + bytes);
  // Most of a workspace is never written: only what is becomes NaN again.
  int64_t end = std::min(allocation.writtenEnd, first + bytes) - first;
  for (int64_t i = 0; i < end; ++i) {
    uint8_t &state = states(address)[i];
    if (!(state & kWritten))
      continue;
    contents(address)[i] = char(0xFF);
    state &= ~kWritten;
  }
  if (allocation.writtenEnd <= first + bytes)
    allocation.writtenEnd = std::min(allocation.writtenEnd, first);
  written.erase(address, address + bytes);
}

std::string DeviceMemory::describe(uint64_t address) const {
  auto it = find(address);
  if (it == allocations.end())
    return "no allocation";
  std::string text = "byte " + std::to_string(address - it->first) + " of " +
                     (it->second.isFreed ? "a freed" : "an") +
                     " allocation of " + std::to_string(it->second.bytes) +
                     " bytes";
  return text;
}

bool memopt::emulator::areWritten(const uint8_t *states, int64_t bytes) {
  constexpr uint8_t both = kMapped | kWritten;
  constexpr uint64_t pattern = 0x0101010101010101u * both;
  int64_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, states + i, 8);
    if ((eight & pattern) != pattern)
      return false;
  }
  for (; i < bytes; ++i)
    if ((states[i] & both) != both)
      return false;
  return true;
}
