//===- SavedActivations.cpp - what crosses to the backward ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/SavedActivations.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

SavedActivations SavedActivations::compute(const TrainingStep &step) {
  Block &body = step.getBody();
  BlockFlow flow(body);
  llvm::DenseMap<Value, SmallVector<Operation *>> readers;
  for (Operation &op : body) {
    if (step.isForward(&op) || op.hasTrait<OpTrait::IsTerminator>() ||
        !flow.isLive(&op))
      continue;
    forEachRead(&op, [&](Value value) {
      SmallVector<Operation *> &ops = readers[getStorage(value)];
      if (ops.empty() || ops.back() != &op)
        ops.push_back(&op);
    });
  }
  llvm::DenseSet<Value> returned;
  for (Value value : body.getTerminator()->getOperands())
    returned.insert(getStorage(value));

  SavedActivations result;
  for (Operation &op : body) {
    if (!step.isForward(&op))
      break;
    for (Value storage : op.getResults()) {
      auto entry = readers.find(storage);
      if (entry == readers.end() || isWeightless(storage) ||
          flow.isConstant(storage))
        continue;
      result.index[storage] = result.saved.size();
      result.saved.push_back({storage, getByteSize(storage.getType()),
                              std::move(entry->second),
                              returned.contains(storage)});
    }
  }
  return result;
}

const SavedActivation *SavedActivations::lookup(Value value) const {
  auto entry = index.find(getStorage(value));
  return entry == index.end() ? nullptr : &saved[entry->second];
}

FailureOr<int64_t> SavedActivations::getTotalBytes() const {
  int64_t total = 0;
  for (const SavedActivation &entry : saved) {
    if (failed(requireByteSize(entry.storage)))
      return failure();
    if (!entry.returned && llvm::AddOverflow(total, *entry.bytes, total))
      return emitError(
          entry.storage.getLoc(),
          "with this value the saved activations pass 2^63 - 1 bytes");
  }
  return total;
}
