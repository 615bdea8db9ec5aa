//===- Effects.cpp - what may run twice, what may move --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Effects.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace memopt;

/// Dialects whose ops meet other devices.
static bool isCollective(Operation *op) {
  Dialect *dialect = op->getDialect();
  return dialect && (dialect->getNamespace() == "shard" ||
                     dialect->getNamespace() == "mesh" ||
                     dialect->getNamespace() == "mpi");
}

bool memopt::isFunctionalAlone(Operation *op) {
  if (isCollective(op))
    return false;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasNoEffect();
  return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

bool memopt::isFunctional(Operation *op) {
  // Each nested op is asked itself: linalg.generic reports nothing of its body.
  return !op->walk([](Operation *inner) {
              return isFunctionalAlone(inner) ? WalkResult::advance()
                                              : WalkResult::interrupt();
            }).wasInterrupted();
}

bool memopt::mayRunAgain(Operation *op) {
  return isFunctional(op) &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}
