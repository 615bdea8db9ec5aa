//===- Readers.cpp - what the backward reads of an output -----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Recipe.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

bool memopt::isBackward(const TrainingStep &step, Operation *op) {
  Operation *own = step.getBody().findAncestorOpInBlock(*op);
  return own && step.getForwardEnd()->isBeforeInBlock(own);
}

/// Whether `result` shows `source` through a view, or, in the forward, a cast.
static bool isDerived(const TrainingStep &step, Value result, Value source) {
  Operation *op = result.getDefiningOp();
  if (op->getBlock() != &step.getBody())
    return false;
  return getViewedValue(result) == source ||
         (!isBackward(step, op) && getCastInput(op) == source);
}

Readers Readers::find(const TrainingStep &step, Value value) {
  Readers readers;
  readers.derived.insert(value);
  for (unsigned i = 0; i < readers.derived.size(); ++i) {
    Value source = readers.derived[i];
    for (OpOperand &use : source.getUses()) {
      Operation *user = use.getOwner();
      bool shows = false;
      for (Value result : user->getResults())
        if (isDerived(step, result, source)) {
          readers.derived.insert(result);
          shows = true;
        }
      if (shows || !isBackward(step, user) || isa<tensor::DimOp>(user) ||
          user->hasTrait<OpTrait::ReturnLike>())
        continue;
      readers.uses.push_back(&use);
      Operation *own = step.getBody().findAncestorOpInBlock(*user);
      if (!readers.first || own->isBeforeInBlock(readers.first))
        readers.first = own;
    }
  }
  return readers;
}

/// Whether a fence can wait for `value`: made by the backward, with an element
/// of which the bits can be read.
static bool canAwait(const TrainingStep &step, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 ||
      !type.getElementType().isIntOrIndexOrFloat())
    return false;
  Value storage = getStorage(value);
  return !isWeightless(storage) && isBackward(step, storage.getDefiningOp());
}

Value Readers::findAwaited(const TrainingStep &step) const {
  Value found;
  forEachRead(first, [&](Value value) {
    if (!found && !derived.contains(value) && canAwait(step, value) &&
        !derived.contains(getStorage(value)))
      found = value;
  });
  for (Operation *op = first->getPrevNode();
       !found && op && op != step.getForwardEnd(); op = op->getPrevNode())
    for (Value result : op->getResults())
      if (!derived.contains(result) && canAwait(step, result))
        found = result;
  return found;
}
