//===- LeftAlone.cpp - what no rewrite would improve ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeftAlone.h"
#include "MemOpt/Approximate/Approximate.h"
#include "MemOpt/Share/Share.h"

using namespace mlir;
using namespace memopt;

/// The width of codes for which reasons are asked: the default of the rewrite.
static constexpr unsigned codeBits = 2;

template <typename Decisions>
static void collect(const Decisions &decisions,
                    SmallVectorImpl<UnimprovedOp> &found) {
  for (const auto &decision : decisions)
    if (!decision.reason.empty())
      for (auto grad : decision.grads)
        found.push_back({grad, decision.reason});
}

SmallVector<UnimprovedOp> memopt::findLeftAlone(const TrainingStep &step,
                                                const SavedActivations &saved) {
  SmallVector<UnimprovedOp> found;
  collect(explainActivations(step, saved, codeBits), found);
  collect(explainNorms(step, saved, /*allowRounded=*/false), found);
  llvm::stable_sort(found, [&](const UnimprovedOp &a, const UnimprovedOp &b) {
    return step.getPosition(a.op) < step.getPosition(b.op);
  });
  return found;
}
