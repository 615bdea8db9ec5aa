//===- knapsack.cpp - the solver in a program without IR ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of four activations to keep within 10 bytes: prints "value weight".
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Knapsack/Problem.h"
#include "MemOpt/Knapsack/Solve.h"
#include <cstdio>

int main() {
  memopt::knapsack::Problem problem;
  problem.capacity = 10;
  problem.states = {{10, 5}, {40, 4}, {30, 6}, {50, 3}};
  memopt::knapsack::Answer answer = memopt::knapsack::solve(problem);
  std::printf("%lld %lld\n", static_cast<long long>(answer.value),
              static_cast<long long>(answer.weight));
}
