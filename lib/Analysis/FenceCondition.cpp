//===- FenceCondition.cpp - the condition of a fence upstream -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/FenceCondition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace memopt;

/// (x | c) != 0 for a constant c other than 0.
static bool alwaysHolds(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ne ||
      !matchPattern(compare.getRhs(), m_Zero()))
    return false;
  auto bits = compare.getLhs().getDefiningOp<arith::OrIOp>();
  APInt constant;
  return bits && matchPattern(bits.getRhs(), m_ConstantInt(&constant)) &&
         !constant.isZero();
}

static bool servesConditions(Operation *op) {
  if (!isa<arith::UIToFPOp, arith::BitcastOp, arith::OrIOp, tensor::ExtractOp>(
          op))
    return false;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return alwaysHolds(user) || servesConditions(user);
  });
}

bool memopt::isOnlyWaitedFor(tensor::ExtractOp element) {
  return servesConditions(element);
}

void memopt::removeFenceConditions(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> conditions;
  root->walk([&](arith::CmpIOp op) {
    if (alwaysHolds(op))
      conditions.push_back(op);
  });
  for (Operation *condition : conditions) {
    for (Operation *user : llvm::make_early_inc_range(condition->getUsers()))
      if (auto select = dyn_cast<arith::SelectOp>(user);
          select && select.getCondition() == condition->getResult(0))
        rewriter.replaceOp(select, select.getTrueValue());
    if (!condition->use_empty()) {
      rewriter.setInsertionPoint(condition);
      Value holds =
          arith::ConstantIntOp::create(rewriter, condition->getLoc(), true, 1);
      rewriter.replaceAllUsesWith(condition->getResult(0), holds);
    }
    // What led to the condition goes with its last use.
    for (Operation *op = condition; op && isOpTriviallyDead(op);) {
      Operation *before = op->getOperand(0).getDefiningOp();
      rewriter.eraseOp(op);
      op = before && isa<arith::OrIOp, arith::BitcastOp, arith::UIToFPOp,
                         tensor::ExtractOp>(before)
               ? before
               : nullptr;
    }
  }
}
