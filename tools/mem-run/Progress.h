//===- Progress.h - a bar on a terminal -------------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TOOLS_MEM_RUN_PROGRESS_H
#define MEMOPT_TOOLS_MEM_RUN_PROGRESS_H

#include <chrono>
#include <cstdint>

namespace memopt::run {

/// One line on standard error that shows how far a run has come, where that is
/// a terminal and the run takes more than a second.
class Progress {
public:
  explicit Progress(int64_t total);
  /// Removes the line.
  ~Progress();
  void show(int64_t done, double loss);

private:
  using Clock = std::chrono::steady_clock;
  int64_t total;
  bool isTerminal, isShown = false;
  Clock::time_point start, last;
};

} // namespace memopt::run

#endif // MEMOPT_TOOLS_MEM_RUN_PROGRESS_H
