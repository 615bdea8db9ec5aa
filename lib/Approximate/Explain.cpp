//===- Explain.cpp - which gradients a code pays for ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Approximate/Approximate.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// What stands in the way of a code made in the forward: x, or the views it is
/// seen through, must be there. Empty where nothing does.
static std::string explainViews(const TrainingStep &step, Value x) {
  while (Value source = getViewedValue(x)) {
    Operation *view = x.getDefiningOp();
    x = source;
    if (step.isForward(view))
      return "";
    for (Value operand : view->getOperands())
      if (Operation *op = operand.getDefiningOp();
          operand != source && op && !step.isForward(op))
        return "the backward makes the view through which it reads its input";
  }
  return "";
}

using Inputs = llvm::SetVector<std::pair<Value, ActivationKind>>;

/// Bytes of the codes of all distinct inputs; nothing where a size is not
/// known.
static std::optional<int64_t> getCodeBytes(const Inputs &inputs,
                                           unsigned bits) {
  int64_t total = 0;
  for (auto [x, kind] : inputs) {
    RankedTensorType code =
        getCodeType(cast<RankedTensorType>(x.getType()), bits);
    std::optional<int64_t> bytes = getByteSize(code);
    if (!bytes || llvm::AddOverflow(total, *bytes, total))
      return std::nullopt;
  }
  return total;
}

/// Decides by bytes, or, where sizes are dynamic, by bits an element.
static void decideByBytes(const SavedActivation &entry, unsigned bits,
                          ActivationDecision &decision) {
  Inputs inputs;
  for (ActivationGradOp grad : decision.grads)
    inputs.insert({grad.getX(), grad.getKind()});
  for (auto [x, kind] : inputs)
    if (!getCodeType(cast<RankedTensorType>(x.getType()), bits)) {
      decision.reason = "the size of its codes is not known";
      return;
    }
  std::optional<int64_t> codes = getCodeBytes(inputs, bits);
  if (!entry.bytes || !codes) {
    // One code of at most 4 bits for each element of at least 16.
    if (inputs.size() > 1 || inputs.front().first != entry.storage)
      decision.reason = "its sizes are dynamic";
    return;
  }
  decision.savedBytes = *entry.bytes - *codes;
  if (*decision.savedBytes <= 0)
    decision.reason = "its codes are no smaller than its input";
}

static void decide(const TrainingStep &step, const SavedActivations &saved,
                   unsigned bits, ActivationDecision &decision) {
  Value x = decision.grads.front().getX();
  for (ActivationGradOp grad : decision.grads)
    if (step.isForward(grad)) {
      decision.reason = "it stands before the end of the forward";
      return;
    }
  for (ActivationGradOp grad : decision.grads)
    if (auto reason = grad->getAttrOfType<StringAttr>(leftAloneAttrName)) {
      decision.reason = reason.str();
      return;
    }
  const SavedActivation *entry = saved.lookup(x);
  if (!entry) {
    Operation *maker = getStorage(x).getDefiningOp();
    if (!maker)
      decision.reason = "its input is an argument, which is there anyway";
    else if (!step.isForward(maker))
      decision.reason = "the backward makes its input, so nothing is kept";
    else
      decision.reason = "its input weighs nothing";
    return;
  }
  if (entry->returned) {
    decision.reason = "its input is also returned, so it is kept anyway";
    return;
  }
  for (Operation *reader : entry->keptBy)
    if (!isa<ActivationGradOp>(reader)) {
      decision.reason =
          "its input is also kept by " + reader->getName().getStringRef().str();
      return;
    }
  for (ActivationGradOp grad : decision.grads)
    if (decision.reason.empty())
      decision.reason = explainViews(step, grad.getX());
  if (decision.reason.empty())
    decideByBytes(*entry, bits, decision);
}

SmallVector<ActivationDecision>
memopt::explainActivations(const TrainingStep &step,
                           const SavedActivations &saved, unsigned bits) {
  llvm::MapVector<Value, ActivationDecision> byStorage;
  for (Operation &op : step.getBody())
    if (auto grad = dyn_cast<ActivationGradOp>(op))
      byStorage[getStorage(grad.getX())].grads.push_back(grad);
  SmallVector<ActivationDecision> decisions;
  for (auto &[storage, decision] : byStorage) {
    decide(step, saved, bits, decision);
    decisions.push_back(std::move(decision));
  }
  return decisions;
}
