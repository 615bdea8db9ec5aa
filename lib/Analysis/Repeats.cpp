//===- Repeats.cpp - which ops compute the same ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Repeats.h"
#include "MemOpt/Analysis/Effects.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"

using namespace mlir;
using namespace memopt;

Value Repeats::getLeader(Value value) const {
  Value leader = leaders.lookup(value);
  return leader ? leader : value;
}

size_t Repeats::hash(Operation *op) const {
  return OperationEquivalence::computeHash(
      op, [&](Value value) { return hash_value(getLeader(value)); },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
}

bool Repeats::areEqual(Operation *a, Operation *b) const {
  llvm::DenseMap<Value, Value> inner;
  return OperationEquivalence::isEquivalentTo(
      a, b,
      [&](Value x, Value y) {
        return success(getLeader(x) == getLeader(y) || inner.lookup(x) == y);
      },
      [&](Value x, Value y) { inner[x] = y; },
      OperationEquivalence::IgnoreLocations);
}

Operation *Repeats::find(Operation *op) const {
  if (!isFunctional(op))
    return nullptr;
  auto bucket = buckets.find(hash(op));
  if (bucket != buckets.end())
    for (Operation *other : bucket->second)
      if (areEqual(other, op))
        return other;
  return nullptr;
}

void Repeats::record(Operation *op) {
  if (isFunctional(op))
    buckets[hash(op)].push_back(op);
}

void Repeats::unify(Value value, Value same) {
  leaders[value] = getLeader(same);
}

void Repeats::unify(Operation *op, Operation *same) {
  for (auto [value, leader] :
       llvm::zip_equal(op->getResults(), same->getResults()))
    unify(value, leader);
}

bool memopt::makesNoStorage(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         llvm::all_of(op->getResults(), [](Value result) {
           return getViewedValue(result) || isWeightless(result);
         });
}

SmallVector<Operation *> memopt::findRecomputed(Block &body,
                                                Operation *forwardEnd) {
  Repeats repeats;
  SmallVector<Operation *> recomputed;
  bool forward = true;
  for (Operation &op : body) {
    if (auto fence = dyn_cast<FenceOp>(op)) {
      repeats.unify(fence.getResult(), fence.getX());
      continue;
    }
    if (Operation *same = repeats.find(&op)) {
      repeats.unify(&op, same);
      if (!forward && !makesNoStorage(&op))
        recomputed.push_back(&op);
    } else if (forward || makesNoStorage(&op)) {
      repeats.record(&op);
    }
    forward &= &op != forwardEnd;
  }
  return recomputed;
}
