//===- Explain.cpp - which norms share their output -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Share/Share.h"
#include "Readers.h"
#include "Recipe.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {
/// Bytes kept before and after, in 128 bits; `known` falls where a size is not.
struct Balance {
  const SavedActivations &saved;
  __int128 before = 0, after = 0;
  bool known = true;

  void add(__int128 &side, Value value) {
    if (std::optional<int64_t> bytes = getByteSize(value.getType()))
      side += *bytes;
    else
      known = false;
  }
  void addType(__int128 &side, Type type) {
    if (std::optional<int64_t> bytes = getByteSize(type))
      side += *bytes;
    else
      known = false;
  }
  /// `value` will be read by the backward: it costs where it is not kept now.
  void addKept(Value value) {
    Value storage = getStorage(value);
    if (!isWeightless(storage) && !saved.lookup(storage))
      add(after, storage);
  }
};
} // namespace

/// Takes from the balance the storages of y and its casts that are kept now.
/// True where there are any.
static bool addFreedOutputs(const Readers &readers, Balance &balance) {
  bool any = false;
  for (Value value : readers.derived) {
    if (getStorage(value) != value)
      continue;
    const SavedActivation *entry = balance.saved.lookup(value);
    if (!entry || entry->returned)
      continue;
    balance.add(balance.before, value);
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Why nothing is saved by no longer reading x; empty where something is.
static std::string explainInput(const TrainingStep &step,
                                const SavedActivations &saved,
                                const NormDecision &decision) {
  for (NormGradOp grad : decision.grads)
    if (!isBackward(step, grad))
      return "it stands before the end of the forward";
  for (NormGradOp grad : decision.grads)
    if (auto reason = grad->getAttrOfType<StringAttr>(leftAloneAttrName))
      return reason.str();
  Value x = decision.grads.front()->getOperand(1);
  const SavedActivation *entry = saved.lookup(x);
  if (!entry) {
    Operation *maker = getStorage(x).getDefiningOp();
    if (!maker)
      return "its input is an argument, which is there anyway";
    return isBackward(step, maker)
               ? "the backward makes its input, so nothing is kept"
               : "its input weighs nothing";
  }
  if (entry->returned)
    return "its input is also returned, so it is kept anyway";
  for (Operation *reader : entry->keptBy)
    if (!llvm::is_contained(decision.grads, reader))
      return "its input is also kept by " +
             reader->getName().getStringRef().str();
  if (decision.norms.empty())
    return "no norm of the forward has this input, kind, epsilon and rows";
  return "";
}

/// Why no output of the norms is kept that could be recomputed.
static std::string explainUnkept(const SavedActivations &saved,
                                 const NormDecision &decision) {
  for (NormOp norm : decision.norms) {
    const SavedActivation *entry = saved.lookup(norm.getY());
    if (entry && entry->returned)
      return "its output is also returned, so it is kept anyway";
    if (entry)
      return "its output does not follow from xhat alone";
  }
  return "the backward does not keep its output";
}

/// The decision for the exact or the rounded normalised value.
static void decideFor(const TrainingStep &step, const SavedActivations &saved,
                      bool rounded, NormDecision &decision) {
  Balance balance{saved};
  Value x = decision.grads.front()->getOperand(1);
  balance.add(balance.before, getStorage(x));
  NormOp first;
  RankedTensorType keptType;
  bool gains = false;
  for (NormOp norm : decision.norms) {
    std::optional<Recipe> recipe = findRecipe(norm, rounded);
    if (!recipe || (first && recipe->getKeptType(norm) != keptType))
      continue;
    if (recipe->isSame) {
      first = norm;
      gains = true;
      balance.addKept(norm.getY());
      break;
    }
    Readers readers = Readers::find(step, norm.getY());
    if (!readers.first || !readers.findAwaited(step) ||
        !addFreedOutputs(readers, balance))
      continue;
    gains = true;
    for (Value parameter : recipe->getParameters(norm))
      balance.addKept(parameter);
    if (first)
      continue;
    first = norm;
    keptType = recipe->getKeptType(norm);
    if (rounded || !saved.lookup(norm.getXhat()))
      balance.addType(balance.after, keptType);
  }
  if (!gains) {
    decision.reason = explainUnkept(saved, decision);
    return;
  }
  balance.addKept(first.getRstd());
  if (!balance.known)
    decision.reason = "its sizes are not known";
  else if (balance.after >= balance.before)
    decision.reason = "what it would keep is no smaller than what it keeps";
  else
    decision.savedBytes = int64_t(balance.before - balance.after);
}

void memopt::explainNorm(const TrainingStep &step,
                         const SavedActivations &saved, bool allowRounded,
                         NormDecision &decision) {
  decision.savedBytes = 0;
  decision.rounded = false;
  decision.reason = explainInput(step, saved, decision);
  if (!decision.reason.empty())
    return;
  decideFor(step, saved, /*rounded=*/false, decision);
  if (decision.reason.empty() || !allowRounded)
    return;
  NormDecision other = decision;
  other.reason.clear();
  other.rounded = true;
  decideFor(step, saved, /*rounded=*/true, other);
  if (other.reason.empty())
    decision = other;
}

//===----------------------------------------------------------------------===//
// Pairing
//===----------------------------------------------------------------------===//

/// The value that `value` is a reshape of: the same elements in the same order.
static Value getReshaped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// What a norm and its gradient must agree on.
using Key = std::tuple<Value, Type, unsigned, uint64_t, int64_t>;
} // namespace

template <typename Op> static Key getKey(Op op) {
  Value x = op.getX();
  return {getReshaped(x), x.getType(), unsigned(op.getKind()),
          llvm::bit_cast<uint64_t>(op.getEpsilon().convertToDouble()),
          op.getNormalizedRank()};
}

SmallVector<NormDecision> memopt::explainNorms(const TrainingStep &step,
                                               const SavedActivations &saved,
                                               bool allowRounded) {
  llvm::MapVector<Key, NormDecision> byKey;
  for (Operation &op : step.getBody())
    if (auto grad = dyn_cast<NormGradOp>(op))
      byKey[getKey(grad)].grads.push_back(grad);
  for (Operation &op : step.getBody())
    if (auto norm = dyn_cast<NormOp>(op); norm && !isBackward(step, norm))
      if (auto entry = byKey.find(getKey(norm)); entry != byKey.end())
        entry->second.norms.push_back(norm);
  SmallVector<NormDecision> decisions;
  for (auto &[key, decision] : byKey) {
    explainNorm(step, saved, allowRounded, decision);
    decisions.push_back(std::move(decision));
  }
  return decisions;
}
