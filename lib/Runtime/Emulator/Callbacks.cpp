//===- Callbacks.cpp - what rewritten kernel code calls -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Block.h"
#include "BlockRaces.h"
#include "Rewrite.h"

#include <cstring>

using namespace memopt::emulator;

extern "C" {

static uint32_t memopt_emulator_register(uint32_t number, uint32_t axis) {
  BlockRunner &runner = blockRunner();
  switch (number) {
  case 0:
    return runner.current().id[axis];
  case 1:
    return runner.blockSize()[axis];
  case 2:
    return runner.blockId()[axis];
  case 3:
    return runner.grid()[axis];
  case 4:
    return runner.current().lane();
  default:
    return runner.current().warpNumber();
  }
}

static uint32_t memopt_emulator_barrier(uint32_t number, uint32_t count,
                                        uint32_t siteAndAligned, uint32_t mode,
                                        uint32_t predicate) {
  BlockRunner &runner = blockRunner();
  BarrierRequest &request = runner.current().barrier;
  request = {number, count, siteAndAligned >> 1, bool(siteAndAligned & 1),
             predicate != 0};
  runner.meetBarrier();
  const uint32_t *size = runner.blockSize();
  uint32_t all = count ? count : size[0] * size[1] * size[2];
  if (mode == 1)
    return request.trueCount;
  return mode == 2 ? request.trueCount == all : request.trueCount != 0;
}

static uint32_t memopt_emulator_warp(uint32_t mode, uint32_t mask,
                                     uint32_t value, uint32_t b, uint32_t c) {
  BlockRunner &runner = blockRunner();
  WarpRequest &request = runner.current().warp;
  request = {WarpMode(mode), mask, value, b, c};
  runner.meetWarp();
  return request.result;
}

static uint32_t memopt_emulator_predicate() {
  return blockRunner().current().warp.predicate;
}

static void memopt_emulator_exit() { blockRunner().exitThread(); }

static void memopt_emulator_trap() { blockRunner().fail("traps"); }

/// What assert() of CUDA's headers calls; the texts are device addresses.
static void memopt_emulator_assert(const void *message, const void *file,
                                   uint32_t line, const void *function,
                                   uint64_t) {
  auto read = [](const void *text) {
    auto address = reinterpret_cast<uint64_t>(text);
    return std::string(deviceMemory().contains(address)
                           ? deviceMemory().contents(address)
                           : "?");
  };
  blockRunner().fail("assertion failed: " + read(message) + " (" + read(file) +
                     ":" + std::to_string(line) + ", " + read(function) + ")");
}

/// To nearest even; the result is where a bfloat is returned on x86-64 and
/// AArch64, in the low half of a float's register.
static float memopt_emulator_truncate(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bool isNaN = (bits & 0x7FFFFFFF) > 0x7F800000;
  bits = isNaN ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

/// By way of a float that is rounded to odd, so that the second rounding is the
/// only one that counts (Boldo and Melquiond, 2008).
static float memopt_emulator_truncate_double(double value) {
  auto narrow = float(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof(bits));
  bool isExact = double(narrow) == value || value != value;
  if (!isExact && !(bits & 1)) {
    bool isAbove = (double(narrow) > value) == (value > 0);
    bits += isAbove ? -1 : 1;
  }
  std::memcpy(&narrow, &bits, sizeof(bits));
  return memopt_emulator_truncate(narrow);
}

} // extern "C"

template <typename Result, typename... Arguments>
static void *addressOf(Result (*function)(Arguments...)) {
  return reinterpret_cast<void *>(function);
}

llvm::ArrayRef<RuntimeSymbol> memopt::emulator::runtimeSymbols() {
  static const RuntimeSymbol symbols[] = {
      {"memopt_emulator_access", addressOf(memopt_emulator_access)},
      {"memopt_emulator_fence", addressOf(memopt_emulator_fence)},
      {"memopt_emulator_register", addressOf(memopt_emulator_register)},
      {"memopt_emulator_barrier", addressOf(memopt_emulator_barrier)},
      {"memopt_emulator_warp", addressOf(memopt_emulator_warp)},
      {"memopt_emulator_predicate", addressOf(memopt_emulator_predicate)},
      {"memopt_emulator_exit", addressOf(memopt_emulator_exit)},
      {"memopt_emulator_trap", addressOf(memopt_emulator_trap)},
      {"__assertfail", addressOf(memopt_emulator_assert)},
      {"__truncsfbf2", addressOf(memopt_emulator_truncate)},
      {"__truncdfbf2", addressOf(memopt_emulator_truncate_double)}};
  return symbols;
}
