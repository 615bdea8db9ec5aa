//===- ShareNormOutput.cpp - norms share their output ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Stage.h"
#include "MemOpt/Share/Passes.h"
#include "MemOpt/Share/Share.h"
#include "Readers.h"
#include "Recipe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace memopt {
#define GEN_PASS_DEF_SHARENORMOUTPUT
#include "MemOpt/Share/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// Lets the readers of an output read `recomputed`, made in front of the first
/// of them, through views and casts of it.
struct Redirection {
  RewriterBase &rewriter;
  Operation *first;
  IRMapping mapping;

  /// What stands for `value`, one of the values derived from the output.
  Value get(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    Value source = getViewedValue(value);
    if (!source)
      source = getCastInput(op);
    Value newSource = get(source);
    if (op->isBeforeInBlock(first)) {
      Operation *clone = rewriter.clone(*op, mapping);
      mapping.map(op->getResults(), clone->getResults());
      return mapping.lookup(value);
    }
    // It comes later: it can show the new value itself.
    rewriter.modifyOpInPlace(op,
                             [&] { op->replaceUsesOfWith(source, newSource); });
    mapping.map(value, value);
    return value;
  }
};
} // namespace

/// Makes y again where the backward first reads it, from `kept` behind a fence.
static void recomputeOutput(RewriterBase &rewriter, const TrainingStep &step,
                            NormOp norm, const Recipe &recipe, Value kept) {
  Readers readers = Readers::find(step, norm.getY());
  if (!readers.first)
    return;
  Value awaited = readers.findAwaited(step);
  if (!awaited)
    return;
  rewriter.setInsertionPoint(readers.first);
  Value late =
      FenceOp::create(rewriter, norm.getLoc(), kept.getType(), kept, awaited);
  Redirection redirection{rewriter, readers.first, {}};
  redirection.mapping.map(norm.getY(),
                          buildOutput(rewriter, norm, recipe, late));
  for (OpOperand *use : readers.uses) {
    Value value = redirection.get(use->get());
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(value); });
  }
  for (Value value : llvm::reverse(readers.derived))
    if (Operation *op = value.getDefiningOp();
        op != norm.getOperation() && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

// norm_grad(g, x) -> norm_output_grad(g, xhat, rstd): dx, dgamma and dbeta need
// x only through these (Yang et al., ICML 2024, section 5).
void memopt::shareNormOutput(RewriterBase &rewriter, const TrainingStep &step,
                             NormDecision &decision) {
  OpBuilder::InsertionGuard guard(rewriter);
  Value kept, rstd;
  for (NormOp norm : decision.norms) {
    std::optional<Recipe> recipe = findRecipe(norm, decision.rounded);
    if (!recipe || (kept && recipe->getKeptType(norm) != kept.getType()))
      continue;
    // One whose output the backward does not read has nothing to share.
    if (!recipe->isSame && !Readers::find(step, norm.getY()).first)
      continue;
    if (!kept) {
      kept = buildKept(rewriter, norm, *recipe);
      rstd = norm.getRstd();
    }
    if (!recipe->isSame)
      recomputeOutput(rewriter, step, norm, *recipe, kept);
  }
  for (NormGradOp grad : decision.grads) {
    rewriter.setInsertionPoint(grad);
    rewriter.replaceOpWithNewOp<NormOutputGradOp>(
        grad, grad->getResultTypes(), grad.getKind(), grad.getG(), kept, rstd,
        grad.getGamma(), grad.getNormalizedRank());
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ShareNormOutput
    : public memopt::impl::ShareNormOutputBase<ShareNormOutput> {
  using ShareNormOutputBase::ShareNormOutputBase;

  void runOnOperation() override {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step) ||
        failed(requireRaised(step->getFunction(), getArgument())))
      return signalPassFailure();
    SavedActivations saved = SavedActivations::compute(*step);
    SmallVector<NormDecision> decisions = explainNorms(*step, saved, rounded);
    IRRewriter rewriter(&getContext());
    // In the order of the backward, the last norm first: it may read the output
    // of another, which is then free of it. What was decided holds unless a
    // rewrite touched the storages.
    for (NormDecision &decision : decisions) {
      if (isTouched(decision)) {
        TrainingStep now = *TrainingStep::find(
            getOperation(), {function, llvm::to_vector(forwardResults)});
        explainNorm(now, SavedActivations::compute(now), rounded, decision);
      }
      report(*step, decision);
      if (!decision.reason.empty())
        continue;
      touch(decision);
      shareNormOutput(rewriter, *step, decision);
    }
  }

  void touch(const NormDecision &decision) {
    touched.insert(getStorage(decision.grads.front()->getOperand(1)));
    for (NormOp norm : decision.norms)
      touched.insert(norm->getResult(0));
  }

  bool isTouched(const NormDecision &decision) const {
    return touched.contains(
               getStorage(decision.grads.front()->getOperand(1))) ||
           llvm::any_of(decision.norms, [&](NormOp norm) {
             return touched.contains(norm->getResult(0));
           });
  }

  void report(const TrainingStep &step, NormDecision &decision) {
    Location loc = decision.grads.front().getLoc();
    func::FuncOp funcOp = step.getFunction();
    auto options = remark::RemarkOpts::name("share-norm-output")
                       .category(getArgument())
                       .function(funcOp.getName());
    if (!decision.reason.empty()) {
      remark::missed(loc, options) << "left alone: " + decision.reason;
      return;
    }
    remark::passed(loc, options)
        << (decision.rounded
                ? "reads xhat as the forward rounds it: not exact to f32"
                : "reads xhat")
        << remark::metric("saved_bytes", decision.savedBytes);
  }

  llvm::DenseSet<Value> touched;
};
} // namespace
