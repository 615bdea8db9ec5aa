//===- Options.h - The command line of mem-knapsack -------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_TOOLS_MEM_KNAPSACK_OPTIONS_H
#define MEMOPT_TOOLS_MEM_KNAPSACK_OPTIONS_H

#include "MemOpt/Knapsack/Solve.h"

namespace memopt::knapsack {

struct ToolOptions {
  SolveOptions solve;
  std::vector<std::string> files; ///< `-` is standard input.
  unsigned repeat = 1;
  bool certify = false;
  bool items = false;
  bool help = false;
};

extern const char *const kUsage;

/// Reads the command line; returns what is wrong with it, or an empty string.
std::string parseOptions(int argc, char **argv, ToolOptions &options);

} // namespace memopt::knapsack

#endif // MEMOPT_TOOLS_MEM_KNAPSACK_OPTIONS_H
