//===- RowShape.cpp - how many threads a row ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowShape.h"
#include "MemOpt/Codegen/Memory.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// 32-bit registers that one point keeps from pass to pass: what it reads, and
/// what it has computed from that.
static int64_t getWordsPerPoint(const KernelProgram &program,
                                const RowPlan &plan) {
  int64_t words = 0, most = 1;
  for (const ProgramNode &node : program.nodes) {
    if (!(node.loops & plan.columns))
      continue;
    int64_t size = llvm::divideCeil(getElementBytes(node.type), 4);
    most = std::max(most, size);
    if (node.kind == NodeKind::Load || node.kind == NodeKind::Gather)
      words += size;
  }
  return std::max(words, most);
}

RowShape memopt::chooseRowShape(const KernelProgram &program,
                                const RowPlan &plan, int64_t vectors,
                                int64_t width) {
  constexpr int64_t threadsPerBlock = 128, mostWords = 96;
  int64_t words = getWordsPerPoint(program, plan) * width;
  int64_t mostPieces = std::clamp<int64_t>(mostWords / words, 1, 8);
  RowShape best;
  double leastIdle = 1e9;
  auto consider = [&](int64_t group, int64_t rows) {
    int64_t pieces = llvm::divideCeil(vectors, group);
    if (pieces > mostPieces)
      return;
    // Idle lanes cost most; then threads that have less than two vectors to
    // wait for at once, or more than four.
    double idle =
        double(pieces * group) / vectors + 0.01 * std::abs(double(pieces) - 2);
    if (idle < leastIdle) {
      leastIdle = idle;
      best = {group, rows, pieces};
    }
  };
  for (int64_t group = 32; group >= 4; group /= 2)
    consider(group, threadsPerBlock / group);
  if (best.pieces)
    return best;
  for (int64_t group = 64; group <= 512; group += group < 256 ? 32 : 64)
    consider(group, 1);
  if (!best.pieces)
    best = {vectors >= 4096 ? 512 : 256, 1, 0};
  return best;
}
