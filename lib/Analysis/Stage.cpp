//===- Stage.cpp - how far a step has come --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Stage.h"
#include "MemOpt/Dialect/MemOpt.h"

using namespace mlir;
using namespace memopt;

static constexpr llvm::StringLiteral attributeName = "memopt.raised";

bool memopt::isRaised(func::FuncOp function) {
  if (function->hasAttr(attributeName))
    return true;
  return function
      .walk([](Operation *op) {
        return isa_and_nonnull<MemOptDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void memopt::setRaised(func::FuncOp function, bool raised) {
  if (!raised)
    function->removeAttr(attributeName);
  else if (!isRaised(function))
    function->setAttr(attributeName, UnitAttr::get(function.getContext()));
}

LogicalResult memopt::requireRaised(func::FuncOp function, StringRef pass) {
  if (isRaised(function))
    return success();
  return emitError(function.getLoc())
         << pass << " expects the stage 'raised', and @" << function.getName()
         << " did not go through memopt-raise: put it before";
}
