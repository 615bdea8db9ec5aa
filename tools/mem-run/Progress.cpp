//===- Progress.cpp - a bar on a terminal ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include <cstdio>
#include <string>
#include <unistd.h>

using namespace memopt::run;

static constexpr int kWidth = 30;
static constexpr std::chrono::milliseconds kFirst(1000), kBetween(100);

Progress::Progress(int64_t total)
    : total(total), isTerminal(isatty(STDERR_FILENO)), start(Clock::now()),
      last(start) {}

Progress::~Progress() {
  if (isShown)
    std::fputs("\r\033[K", stderr);
}

void Progress::show(int64_t done, double loss) {
  Clock::time_point now = Clock::now();
  if (!isTerminal || now - start < kFirst || now - last < kBetween)
    return;
  last = now;
  isShown = true;
  double seconds = std::chrono::duration<double>(now - start).count();
  double left = seconds / double(done) * double(total - done);
  int filled = int(kWidth * done / total);
  std::string bar =
      std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] step %lld of %lld, loss %.5g, %.0f s left\033[K",
               bar.c_str(), (long long)done, (long long)total, loss, left);
}
