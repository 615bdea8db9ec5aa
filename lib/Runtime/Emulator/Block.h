//===- Block.h - the threads of one block ----------------------*- C++ -*--===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RUNTIME_EMULATOR_BLOCK_H
#define MEMOPT_LIB_RUNTIME_EMULATOR_BLOCK_H

#include "Fibre.h"

#include <cstdint>
#include <deque>
#include <string>

namespace memopt::emulator {

constexpr uint32_t kWarpSize = 32;

/// What the lanes of a warp do together.
enum class WarpMode : uint32_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  ShuffleIndex,
  Ballot,
  Any,
  All,
  Uniform,
  Sync,
  Add,
  And,
  Or,
  Xor,
  Min, // of signed numbers
  Max,
  UnsignedMin,
  UnsignedMax
};

/// One lane's part in it; `b` and `c` as PTX's shfl.sync has them.
struct WarpRequest {
  WarpMode mode = WarpMode::Sync;
  uint32_t mask = 0, value = 0, b = 0, c = 0;
  uint32_t result = 0;
  bool predicate = false;
};

struct BarrierRequest {
  uint32_t number = 0;
  uint32_t count = 0; ///< threads that it waits for; 0: the whole block
  uint32_t site = 0;  ///< the instruction, from 1
  bool isAligned = false;
  bool predicate = false;
  uint32_t trueCount = 0; ///< how many came with a true predicate
};

struct Thread {
  enum class State { Ready, AtBarrier, AtWarp, Done };
  Fibre fibre;
  State state = State::Done;
  uint32_t id[3] = {0, 0, 0};
  uint32_t number = 0; ///< within the block
  WarpRequest warp;
  BarrierRequest barrier;

  uint32_t lane() const { return number % kWarpSize; }
  uint32_t warpNumber() const { return number / kWarpSize; }
  std::string print() const;
};

/// Runs blocks one after another, the threads of a block in turn, each until it
/// waits for others.
class BlockRunner {
public:
  using Entry = void (*)(void *const *parameters);

  /// `synchronises`: threads wait for each other; else one stack does for all.
  void begin(const uint32_t *grid, const uint32_t *block, Entry entry,
             void *const *parameters, bool synchronises, bool reverse);
  /// Runs a block; false after a fault, whose text is `fault`.
  bool run(const uint32_t *block);

  // Of the thread at work.
  Thread &current() { return *running; }
  const uint32_t *grid() const { return gridSize; }
  const uint32_t *blockSize() const { return size; }
  const uint32_t *blockId() const { return blockNumber; }
  /// Changes with each barrier: what two threads did in one and the same has no
  /// order.
  uint32_t epoch() const { return barrierEpoch; }

  /// The thread at work waits until the lanes of its mask came, and has the
  /// result in its request.
  void meetWarp();
  void meetBarrier();
  /// The thread at work ends.
  [[noreturn]] void exitThread();
  /// The thread at work has done something wrong: the launch ends.
  [[noreturn]] void fail(const std::string &what);
  const std::string &fault() const { return faultText; }
  /// Whether an address is a variable of the thread at work.
  bool isOnStack(const void *address) const {
    return (synchronises ? *running : threads.front()).fibre.holds(address);
  }

private:
  static void enterOne();
  static void enterAll();
  void startThreads();
  bool runTogether();
  bool runWarp(uint32_t warp);
  bool runReady(uint32_t first, uint32_t end);
  bool releaseWarp(uint32_t first, uint32_t end);
  bool isComplete(const Thread &thread, uint32_t first, uint32_t end);
  bool releaseBarriers();
  bool isFull(const BarrierRequest &barrier) const;
  bool isAligned(const BarrierRequest &barrier);
  void release(const BarrierRequest &barrier);
  void reportStuck();
  /// A fault of the whole block, found outside of its threads.
  void setFault(const Thread &thread, const std::string &what);

  std::deque<Thread> threads;
  Thread *running = nullptr;
  uint32_t count = 0;
  uint32_t gridSize[3], size[3], blockNumber[3];
  uint32_t barrierEpoch = 0;
  Entry entry = nullptr;
  void *const *parameters = nullptr;
  bool synchronises = false, reverse = false, isDone = false;
  std::string faultText;
};

BlockRunner &blockRunner();

/// Fills in the results of lanes [0, count) that are together at an operation;
/// a message where it has none. PTX ISA, "shfl.sync", "vote.sync",
/// "redux.sync".
std::string resolveWarp(Thread *const *lanes, uint32_t count);

} // namespace memopt::emulator

#endif // MEMOPT_LIB_RUNTIME_EMULATOR_BLOCK_H
