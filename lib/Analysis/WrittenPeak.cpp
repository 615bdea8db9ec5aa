//===- WrittenPeak.cpp - the high-water mark of a step as written ---------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/WrittenPeak.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

/// The position of the last op that reads each storage; the terminator's where
/// it is returned.
static llvm::DenseMap<Value, int64_t> getLastReads(const TrainingStep &step,
                                                   const BlockFlow &flow) {
  llvm::DenseMap<Value, int64_t> last;
  for (auto [position, op] : llvm::enumerate(step.getBody()))
    if (flow.isLive(&op))
      forEachRead(&op, [&, at = position](Value value) {
        last[getStorage(value)] = at;
      });
  return last;
}

/// True where the op makes `result` although nobody reads it.
static bool isMade(OpResult result) {
  return !result.use_empty() ||
         !isa<MemOptDialect>(result.getOwner()->getDialect());
}

FailureOr<WrittenPeak> WrittenPeak::compute(const TrainingStep &step) {
  BlockFlow flow(step.getBody());
  llvm::DenseMap<Value, int64_t> last = getLastReads(step, flow);
  WrittenPeak peak;
  SmallVector<int64_t> dying(step.getBody().getOperations().size(), 0);
  int64_t alive = 0;
  for (auto [position, op] : llvm::enumerate(step.getBody())) {
    for (OpResult result : op.getResults()) {
      if (!flow.isLive(&op) || getViewedValue(result) || isWeightless(result) ||
          !isMade(result))
        continue;
      FailureOr<int64_t> bytes = requireByteSize(result);
      if (failed(bytes))
        return failure();
      if (llvm::AddOverflow(alive, *bytes, alive))
        return emitError(op.getLoc(),
                         "the bytes alive at this op pass 2^63 - 1");
      auto read = last.find(result);
      dying[read == last.end() ? position : read->second] += *bytes;
    }
    peak.alive.push_back(alive);
    if (alive > peak.peakBytes) {
      peak.peakBytes = alive;
      peak.peakOp = &op;
    }
    alive -= dying[position];
  }
  return peak;
}
