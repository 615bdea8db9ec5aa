//===- Warp.cpp - shuffles, votes and reductions of a warp ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>

using namespace memopt::emulator;

/// The lane that a lane reads, and whether it lies within the segment. PTX ISA,
/// "shfl.sync": c holds the clamp in bits 0-4 and the segment mask in 8-12.
static uint32_t getSource(const WarpRequest &request, uint32_t lane,
                          bool &isInside) {
  uint32_t clamp = request.c & 31, segment = request.c >> 8 & 31,
           b = request.b & 31;
  uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  switch (request.mode) {
  case WarpMode::ShuffleUp:
    isInside = int(lane) - int(b) >= int(most);
    return lane - b;
  case WarpMode::ShuffleDown:
    isInside = lane + b <= most;
    return lane + b;
  case WarpMode::ShuffleXor:
    isInside = (lane ^ b) <= most;
    return lane ^ b;
  default: {
    uint32_t source = least | (b & ~segment);
    isInside = source <= most;
    return source;
  }
  }
}

static std::string shuffle(Thread *const *lanes, uint32_t count) {
  for (uint32_t lane = 0; lane < count; ++lane) {
    if (!lanes[lane])
      continue;
    WarpRequest &request = lanes[lane]->warp;
    uint32_t source = getSource(request, lane, request.predicate);
    if (!request.predicate)
      source = lane;
    if (source >= count || !lanes[source])
      return "a shuffle reads lane " + std::to_string(source) +
             ", which its mask leaves out";
    request.result = lanes[source]->warp.value;
  }
  return "";
}

static uint32_t combine(WarpMode mode, uint32_t a, uint32_t b) {
  switch (mode) {
  case WarpMode::Add:
    return a + b;
  case WarpMode::And:
    return a & b;
  case WarpMode::Or:
    return a | b;
  case WarpMode::Xor:
    return a ^ b;
  case WarpMode::Min:
    return uint32_t(std::min(int32_t(a), int32_t(b)));
  case WarpMode::Max:
    return uint32_t(std::max(int32_t(a), int32_t(b)));
  case WarpMode::UnsignedMin:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

static uint32_t vote(WarpMode mode, uint32_t ballot, uint32_t mask) {
  switch (mode) {
  case WarpMode::Ballot:
    return ballot;
  case WarpMode::Any:
    return ballot != 0;
  case WarpMode::All:
    return ballot == mask;
  default:
    return ballot == 0 || ballot == mask;
  }
}

std::string memopt::emulator::resolveWarp(Thread *const *lanes,
                                          uint32_t count) {
  Thread *const *first =
      std::find_if(lanes, lanes + count, [](Thread *lane) { return lane; });
  WarpMode mode = (*first)->warp.mode;
  if (mode == WarpMode::Sync)
    return "";
  if (mode < WarpMode::Ballot)
    return shuffle(lanes, count);
  uint32_t result = (*first)->warp.value, ballot = 0, mask = 0;
  bool isVote = mode <= WarpMode::Uniform;
  for (Thread *const *lane = first; lane < lanes + count; ++lane) {
    if (!*lane)
      continue;
    uint32_t bit = uint32_t(1) << (lane - lanes);
    mask |= bit;
    ballot |= (*lane)->warp.value ? bit : 0;
    if (lane != first)
      result = combine(mode, result, (*lane)->warp.value);
  }
  if (isVote)
    result = vote(mode, ballot, mask);
  for (uint32_t lane = 0; lane < count; ++lane)
    if (lanes[lane])
      lanes[lane]->warp.result = result;
  return "";
}
