//===- Watch.h - Time limit and cancellation --------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_WATCH_H
#define MEMOPT_LIB_KNAPSACK_WATCH_H

#include "MemOpt/Knapsack/Solve.h"

#include <chrono>

namespace memopt::knapsack {

/// Asked between steps whether a solver has to stop; remembers the reason.
class Watch {
public:
  explicit Watch(const Limits &limits)
      : limits(limits), start(Clock::now()),
        timed(limits.seconds < std::numeric_limits<double>::infinity()) {}

  bool expired() {
    if (reason != Stop::Proved)
      return true;
    if (limits.cancel && limits.cancel->load(std::memory_order_relaxed))
      reason = Stop::Cancelled;
    else if (timed && elapsed() >= limits.seconds)
      reason = Stop::TimeLimit;
    return reason != Stop::Proved;
  }

  /// Notes that the memory limit stopped the solver; always false, so that a
  /// caller can return it.
  bool outOfMemory() {
    if (reason == Stop::Proved)
      reason = Stop::MemoryLimit;
    return false;
  }

  Stop stop() const { return reason; }
  void set(Stop stop) { reason = stop; }

private:
  using Clock = std::chrono::steady_clock;
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Limits &limits;
  Clock::time_point start;
  bool timed;
  Stop reason = Stop::Proved;
};

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_WATCH_H
