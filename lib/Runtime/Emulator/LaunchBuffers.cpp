//===- LaunchBuffers.cpp - what a launch may touch ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "MemOpt/Runtime/Gpu.h"

#include <algorithm>

using namespace memopt::emulator;

LaunchBuffers &memopt::emulator::launchBuffers() {
  static LaunchBuffers buffers;
  return buffers;
}

static std::string operandName(uint32_t number) {
  return "operand " + std::to_string(number);
}

std::string LaunchBuffers::addBuffer(uint64_t address, int64_t bytes,
                                     uint32_t number) {
  Buffer buffer;
  buffer.number = number;
  buffer.isPartial = bytes >= MEMOPT_GPU_PARTIAL;
  if (buffer.isPartial)
    bytes -= MEMOPT_GPU_PARTIAL;
  buffer.isRead = bytes > 0 && !buffer.isPartial;
  buffer.isWritten = bytes < 0 || buffer.isPartial;
  buffer.begin = address;
  buffer.end = address + uint64_t(bytes < 0 ? -bytes : bytes);
  if (buffer.end > buffer.begin) {
    std::string wrong =
        deviceMemory().checkRange(address, int64_t(buffer.end - buffer.begin),
                                  operandName(number).c_str());
    if (!wrong.empty())
      return wrong;
  }
  buffers.push_back(buffer);
  return "";
}

std::string LaunchBuffers::checkOwner(const Buffer &buffer) const {
  Owners &owners = deviceMemory().owners();
  auto intrusion = owners.findIntrusion(buffer.begin, buffer.end);
  if (!intrusion)
    return "";
  return operandName(buffer.number) + " (" +
         std::to_string(buffer.end - buffer.begin) +
         " bytes) is dead: " + *intrusion->first.name + " wrote it, and " +
         *intrusion->later.name + " its bytes from " +
         std::to_string(intrusion->begin - buffer.begin) + " to " +
         std::to_string(intrusion->end - buffer.begin);
}

/// Outputs overlap nothing but the input whose place they take.
std::string LaunchBuffers::checkOverlap(const Buffer &output) const {
  for (const Buffer &other : buffers) {
    bool overlap = other.begin < output.end && output.begin < other.end;
    bool isSame = other.begin == output.begin && other.end == output.end;
    if (&other != &output && overlap && !(isSame && other.isRead))
      return operandName(output.number) + " overlaps " +
             operandName(other.number);
  }
  return "";
}

void LaunchBuffers::claim(const char *kernel, const Buffer &output) const {
  DeviceMemory &memory = deviceMemory();
  memory.noteWrite(output.begin, output.end);
  memory.owners().assign(
      output.begin, output.end,
      memory.owners().addWriter(std::string("kernel ") + kernel));
  bool isInPlace =
      std::any_of(buffers.begin(), buffers.end(), [&](const Buffer &other) {
        return other.isRead && other.begin == output.begin;
      });
  uint8_t *states = memory.states(output.begin);
  if (!isInPlace && !output.isPartial)
    std::transform(states, states + (output.end - output.begin), states,
                   [](uint8_t s) { return s & ~kWritten; });
}

std::string LaunchBuffers::begin(const char *kernel, void *const *parameters,
                                 const int64_t *bytes, int64_t count) {
  buffers.clear();
  areAllKnown = bytes && std::find(bytes, bytes + count, 0) == bytes + count;
  std::string wrong;
  for (int64_t i = 0; bytes && i < count && wrong.empty(); ++i) {
    uint64_t address =
        bytes[i] ? *static_cast<const uint64_t *>(parameters[i]) : 0;
    wrong = addBuffer(address, bytes[i], uint32_t(i));
  }
  for (const Buffer &buffer : buffers)
    if (wrong.empty() && buffer.isRead)
      wrong = checkOwner(buffer);
  for (const Buffer &buffer : buffers)
    if (wrong.empty() && buffer.isWritten)
      wrong = checkOverlap(buffer);
  for (const Buffer &buffer : buffers)
    if (wrong.empty() && buffer.isWritten)
      claim(kernel, buffer);
  return wrong;
}

std::string LaunchBuffers::finish() const {
  for (const Buffer &buffer : buffers) {
    if (!buffer.isWritten || buffer.isPartial)
      continue;
    uint64_t bytes = buffer.end - buffer.begin;
    const uint8_t *states = deviceMemory().states(buffer.begin);
    if (areWritten(states, int64_t(bytes)))
      continue;
    auto *first = std::find_if_not(states, states + bytes,
                                   [](uint8_t s) { return s & kWritten; });
    return operandName(buffer.number) + " (" + std::to_string(bytes) +
           " bytes): nobody wrote byte " + std::to_string(first - states);
  }
  return "";
}

bool LaunchBuffers::isWithin(uint64_t begin, uint64_t end, bool writes) const {
  return std::any_of(buffers.begin(), buffers.end(), [&](const Buffer &b) {
    return begin >= b.begin && end <= b.end && (!writes || b.isWritten);
  });
}
