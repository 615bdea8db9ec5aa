//===- JoinLoops.cpp - as few loops as a program needs --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

using namespace mlir;
using namespace memopt;

/// The indices over the program's loops: those of gathers are over operands.
static void forEachIndex(KernelProgram &program,
                         function_ref<void(AffineExpr &)> callback) {
  for (ProgramNode &node : program.nodes)
    if (node.kind == NodeKind::Load || node.kind == NodeKind::Index)
      callback(node.index);
  for (ProgramStore &store : program.stores)
    callback(store.index);
}

static bool hasLoop(uint64_t loops, unsigned loop) { return loops >> loop & 1; }

/// The factors of two loops in an index; nothing where one is inside a
/// quotient.
static std::optional<std::pair<int64_t, int64_t>>
getFactors(AffineExpr index, unsigned a, unsigned b) {
  std::pair<int64_t, int64_t> factors{0, 0};
  SmallVector<std::pair<AffineExpr, int64_t>> work{{index, 1}};
  while (!work.empty()) {
    auto [part, factor] = work.pop_back_val();
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    auto scale =
        binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
    if (binary && binary.getKind() == AffineExprKind::Add) {
      work.push_back({binary.getLHS(), factor});
      work.push_back({binary.getRHS(), factor});
    } else if (binary && binary.getKind() == AffineExprKind::Mul && scale) {
      work.push_back({binary.getLHS(), factor * scale.getValue()});
    } else if (auto loop = dyn_cast<AffineDimExpr>(part)) {
      if (loop.getPosition() == a)
        factors.first += factor;
      if (loop.getPosition() == b)
        factors.second += factor;
    } else if (uint64_t loops = IndexMath::getLoops(part);
               hasLoop(loops, a) || hasLoop(loops, b)) {
      return std::nullopt;
    }
  }
  return factors;
}

/// Loops i and i + 1 run as one where every index takes f s i + f (i + 1), s
/// the inner one's size, and where neither a row nor a sum ends between them.
static bool canJoin(KernelProgram &program, unsigned loop) {
  if (loop + 1 == program.rowLoops)
    return false;
  for (const ProgramReduction &reduction : program.reductions)
    if (hasLoop(reduction.loops, loop) != hasLoop(reduction.loops, loop + 1))
      return false;
  bool joins = true;
  forEachIndex(program, [&](AffineExpr &index) {
    auto factors = getFactors(index, loop, loop + 1);
    joins &=
        factors && factors->first == factors->second * program.sizes[loop + 1];
  });
  return joins;
}

static uint64_t removeBit(uint64_t bits, unsigned bit) {
  uint64_t low = bits & ((uint64_t(1) << bit) - 1);
  return (bits >> (bit + 1)) << bit | low;
}

static void join(KernelProgram &program, unsigned loop) {
  SmallVector<AffineExpr> loops;
  for (unsigned i = 0; i < program.sizes.size(); ++i)
    loops.push_back(i == loop
                        ? getAffineConstantExpr(0, program.context)
                        : getAffineDimExpr(i - (i > loop), program.context));
  forEachIndex(program, [&](AffineExpr &index) {
    index = index.replaceDimsAndSymbols(loops, {});
  });
  for (ProgramReduction &reduction : program.reductions)
    reduction.loops = removeBit(reduction.loops, loop);
  program.sizes[loop + 1] *= program.sizes[loop];
  program.sizes.erase(program.sizes.begin() + loop);
  program.rowLoops -= loop < program.rowLoops;
}

void memopt::joinLoops(KernelProgram &program) {
  for (unsigned loop = program.sizes.size(); loop-- > 0;)
    if (loop + 1 < program.sizes.size() && canJoin(program, loop))
      join(program, loop);
}
