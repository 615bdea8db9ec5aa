//===- Fences.cpp - what keeps recomputation apart ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fences.h"
#include "MemOpt/Analysis/Effects.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <unordered_map>

using namespace mlir;
using namespace memopt;

bool memopt::isUnreadInit(OpOperand &operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  return op && op.isDpsInit(&operand) &&
         !op.payloadUsesValueFromOperand(&operand);
}

static bool holdsNumbers(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIntOrIndexOrFloat() &&
         getByteSize(tensor).value_or(0) > 0;
}

/// True where the bytes of `value` come from elsewhere than a constant or
/// splat.
static bool hasContents(Value value) {
  Value storage = getStorage(value);
  return isa<BlockArgument>(storage) || !isWeightless(storage);
}

Value memopt::chooseFenced(Operation *op) {
  if (isa_and_nonnull<MemOptDialect>(op->getDialect()))
    return op->getOperand(0);
  Value best;
  std::tuple<bool, bool, int64_t> bestRank;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !type.getElementType().isIntOrIndexOrFloat())
      continue;
    bool isRead = !isUnreadInit(operand) && hasContents(operand.get());
    std::tuple<bool, bool, int64_t> rank{!isRead, !holdsNumbers(type),
                                         getByteSize(type).value_or(0)};
    if (!best || rank < bestRank) {
      best = operand.get();
      bestRank = rank;
    }
  }
  return best;
}

Value memopt::getAwaited(Operation *op) {
  Value awaited;
  for (Value result : op->getResults())
    // An unused result of a memopt op is never made.
    if (holdsNumbers(result.getType()) && !result.use_empty())
      awaited = result;
  return awaited;
}

//===----------------------------------------------------------------------===//
// Repetitions
//===----------------------------------------------------------------------===//

namespace {
class RepeatFencer {
public:
  RepeatFencer(Block &body, Operation *lastForward)
      : body(body), lastForward(lastForward) {}

  void run() {
    bool forward = true;
    Value awaited;
    for (Operation &op :
         llvm::make_early_inc_range(body.without_terminator())) {
      Operation *same = isFunctional(&op) ? find(&op) : nullptr;
      if (same && !forward && awaited && !isGlue(&op) &&
          inForward.contains(same)) {
        fence(&op, awaited);
        same = nullptr;
      }
      if (same)
        unify(&op, same);
      else
        record(&op, forward);
      if (Value result = isGlue(&op) ? Value() : getAwaited(&op))
        awaited = result;
      forward &= &op != lastForward;
    }
  }

private:
  /// Computes nothing of its own; where it is merged, no byte lives longer.
  static bool isGlue(Operation *op) {
    return op->hasTrait<OpTrait::ConstantLike>() ||
           llvm::all_of(op->getResults(), [](Value result) {
             return getViewedValue(result) || isWeightless(result);
           });
  }

  Value getLeader(Value value) const {
    Value leader = leaders.lookup(value);
    return leader ? leader : value;
  }

  llvm::hash_code hash(Operation *op) const {
    return OperationEquivalence::computeHash(
        op, [&](Value value) { return hash_value(getLeader(value)); },
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }

  bool areEqual(Operation *a, Operation *b) const {
    llvm::DenseMap<Value, Value> inner;
    return OperationEquivalence::isEquivalentTo(
        a, b,
        [&](Value x, Value y) {
          return success(getLeader(x) == getLeader(y) || inner.lookup(x) == y);
        },
        [&](Value x, Value y) { inner[x] = y; },
        OperationEquivalence::IgnoreLocations);
  }

  Operation *find(Operation *op) const {
    auto bucket = buckets.find(size_t(hash(op)));
    if (bucket != buckets.end())
      for (Operation *other : bucket->second)
        if (areEqual(other, op))
          return other;
    return nullptr;
  }

  void unify(Operation *op, Operation *same) {
    for (auto [value, leader] :
         llvm::zip_equal(op->getResults(), same->getResults()))
      leaders[value] = getLeader(leader);
  }

  void record(Operation *op, bool forward) {
    if (!isFunctional(op))
      return;
    buckets[size_t(hash(op))].push_back(op);
    if (forward)
      inForward.insert(op);
  }

  void fence(Operation *op, Value awaited) {
    Value value = chooseFenced(op);
    if (!value)
      return;
    OpBuilder builder(op);
    Value late =
        FenceOp::create(builder, op->getLoc(), value.getType(), value, awaited);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == value)
        operand.set(late);
  }

  Block &body;
  Operation *lastForward;
  /// For each value that cse would replace, by which.
  llvm::DenseMap<Value, Value> leaders;
  std::unordered_map<size_t, SmallVector<Operation *, 1>> buckets;
  llvm::DenseSet<Operation *> inForward;
};
} // namespace

void memopt::fenceRepeats(Block &body, Operation *lastForward) {
  RepeatFencer(body, lastForward).run();
}
