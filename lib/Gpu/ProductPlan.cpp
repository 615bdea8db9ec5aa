//===- ProductPlan.cpp - a product as cuBLASLt takes it -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool PlannedLoop::isOf(int x) const {
  static constexpr int missing[] = {MEMOPT_GPU_N, MEMOPT_GPU_M, MEMOPT_GPU_K};
  return owner != missing[x];
}

int64_t ProductPlan::getCount(int x) const {
  int64_t count = 1;
  for (const PlannedLoop &loop : loops)
    if (loop.isOf(x))
      count *= loop.size;
  return count;
}

SmallVector<int64_t> ProductPlan::getNumbers(int64_t flags, bool adds) const {
  SmallVector<SmallVector<int64_t, 3>> strides;
  for (const PlannedLoop &loop : loops)
    strides.emplace_back(loop.strides, loop.strides + 3);
  for (int x = 0; x < 3; ++x) {
    int64_t stride = 1;
    for (size_t i = loops.size(); isGathered(x) && i-- > 0;) {
      strides[i][x] = loops[i].isOf(x) ? stride : 0;
      stride *= loops[i].isOf(x) ? loops[i].size : 1;
    }
  }
  SmallVector<int64_t> numbers{flags,    types[0], types[1],
                               types[2], adds,     int64_t(loops.size())};
  for (int kind = 0; kind < 4; ++kind)
    for (auto [loop, of] : llvm::zip_equal(loops, strides))
      if (loop.kind == kind) {
        numbers.append({kind, loop.size});
        llvm::append_range(numbers, of);
      }
  return numbers;
}

std::optional<std::string> ProductPlan::getObstacle(bool hasBias) const {
  std::string why;
  if (gpu::getProduct(getNumbers(0, false).data(), hasBias, why))
    return std::nullopt;
  return why;
}

static SmallVector<PlannedLoop> getLoops(const ProductShape &shape) {
  SmallVector<PlannedLoop> loops;
  for (int kind = 0; kind < 4; ++kind)
    for (auto [number, loop] : llvm::enumerate(shape.loops[kind]))
      loops.push_back({kind,
                       unsigned(number),
                       kind,
                       loop.size,
                       0,
                       {loop.a, loop.b, loop.c}});
  return loops;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Of a run of loops that one stride leads through in each operand of
/// `operands`, the number of points; loops[begin, end) is the run.
static int64_t getRun(ArrayRef<PlannedLoop> loops, size_t begin, size_t &end,
                      ArrayRef<int> operands) {
  int64_t points = loops[begin].size;
  for (end = begin + 1; end < loops.size(); ++end) {
    const PlannedLoop &outer = loops[end - 1], &inner = loops[end];
    bool joins = llvm::all_of(operands, [&](int x) {
      return inner.owner == outer.owner &&
             outer.strides[x] == inner.size * inner.strides[x];
    });
    if (!joins && outer.size != 1 && inner.size != 1)
      break;
    points *= inner.size;
  }
  return points;
}

/// All loops of a kind but for the longest run become batches: the other
/// operand is the same in each. Gives the number of batches.
static int64_t makeBatches(MutableArrayRef<PlannedLoop> loops, int kind,
                           ArrayRef<int> operands) {
  auto isOther = [&](const PlannedLoop &loop) { return loop.owner != kind; };
  auto *first = llvm::find_if_not(loops, isOther);
  MutableArrayRef<PlannedLoop> own(first,
                                   std::find_if(first, loops.end(), isOther));
  size_t bestBegin = 0, bestEnd = 0;
  int64_t best = 0, all = 1;
  for (size_t begin = 0, end; begin < own.size(); begin = end) {
    int64_t points = getRun(own, begin, end, operands);
    all *= points;
    if (points > best)
      best = points, bestBegin = begin, bestEnd = end;
  }
  for (size_t i = 0; i < own.size(); ++i)
    if (i < bestBegin || i >= bestEnd)
      own[i].kind = MEMOPT_GPU_BATCH;
  return own.empty() ? 1 : all / best;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// More calls than this cost more than a copy of an operand.
static constexpr int64_t mostBatches = 64;

/// With these operands gathered; `byOperands`: loops that an operand which is
/// not gathered does not join become batches too.
static std::optional<ProductPlan> tryPlan(const ProductPlan &start,
                                          bool byOperands, bool hasBias) {
  ProductPlan plan = start;
  int64_t batches = 1;
  for (int x = 0; x < 2; ++x) {
    SmallVector<int> operands;
    if (!plan.packs)
      operands.push_back(2);
    if (byOperands && !plan.gathers[x])
      operands.push_back(x);
    batches *=
        makeBatches(plan.loops, x ? MEMOPT_GPU_N : MEMOPT_GPU_M, operands);
  }
  if (batches > mostBatches && byOperands)
    return std::nullopt;
  // Each batch would have a bias of its own.
  auto hasOwnBias = [](const PlannedLoop &loop) {
    return loop.owner == MEMOPT_GPU_N && loop.kind == MEMOPT_GPU_BATCH;
  };
  if (hasBias && llvm::any_of(plan.loops, hasOwnBias))
    return std::nullopt;
  if (plan.getObstacle(hasBias))
    return std::nullopt;
  return plan;
}

std::optional<ProductPlan> memopt::planProduct(const ProductShape &shape,
                                               ArrayRef<int64_t> types,
                                               bool packs, bool hasBias,
                                               std::string &why) {
  ProductPlan plan{{types[0], types[1], types[2]}};
  plan.packs = packs;
  plan.loops = getLoops(shape);
  bool smallFirst = plan.getCount(0) <= plan.getCount(1);
  const bool ways[4][2] = {{false, false},
                           {smallFirst, !smallFirst},
                           {!smallFirst, smallFirst},
                           {true, true}};
  for (const bool (&way)[2] : ways)
    for (bool byOperands : {false, true}) {
      plan.gathers[0] = way[0];
      plan.gathers[1] = way[1];
      if (auto found = tryPlan(plan, byOperands, hasBias))
        return found;
    }
  why = plan.getObstacle(hasBias).value_or("it has too many loops");
  return std::nullopt;
}
