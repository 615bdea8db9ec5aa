//===- ApproximateActivationGrad.cpp - codes for activations --------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Stage.h"
#include "MemOpt/Approximate/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

#include <map>

namespace memopt {
#define GEN_PASS_DEF_APPROXIMATEACTIVATIONGRAD
#include "MemOpt/Approximate/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

/// Moves the views between x and its storage up to where their operands are, so
/// that the code can be made where x is made.
static void hoistViews(RewriterBase &rewriter, Value x) {
  SmallVector<Operation *> views;
  while (Value source = getViewedValue(x)) {
    views.push_back(x.getDefiningOp());
    x = source;
  }
  for (Operation *view : llvm::reverse(views)) {
    Operation *latest = nullptr;
    for (Value operand : view->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && (!latest || latest->isBeforeInBlock(op)))
        latest = op;
    if (latest)
      rewriter.moveOpAfter(view, latest);
  }
}

/// The code of x with these thresholds, directly after x; one that is there
/// already is used again.
static Value getCode(RewriterBase &rewriter, Location loc, Value x,
                     ArrayAttr thresholds) {
  Operation *maker = x.getDefiningOp();
  for (Operation *user : x.getUsers())
    if (auto encode = dyn_cast<EncodeOp>(user);
        encode && encode.getThresholds() == thresholds &&
        encode->getPrevNode() == maker)
      return encode.getCode();
  rewriter.setInsertionPointAfter(maker);
  unsigned bits = llvm::Log2_64(thresholds.size() + 1);
  RankedTensorType type =
      getCodeType(cast<RankedTensorType>(x.getType()), bits);
  return EncodeOp::create(rewriter, loc, type, x, thresholds);
}

// dx = g h'(x)  ->  dx = g slopes[code(x)] (Yang et al., ICML 2024, section 4).
void memopt::approximate(RewriterBase &rewriter, ActivationGradOp grad,
                         const Surrogate &surrogate) {
  OpBuilder::InsertionGuard guard(rewriter);
  hoistViews(rewriter, grad.getX());
  Value code = getCode(rewriter, grad.getLoc(), grad.getX(),
                       rewriter.getF64ArrayAttr(surrogate.thresholds));
  rewriter.setInsertionPoint(grad);
  rewriter.replaceOpWithNewOp<StepGradOp>(
      grad, grad.getDx().getType(), grad.getG(), code,
      rewriter.getF64ArrayAttr(surrogate.slopes));
}

namespace {
struct ApproximateActivationGrad
    : public memopt::impl::ApproximateActivationGradBase<
          ApproximateActivationGrad> {
  using ApproximateActivationGradBase::ApproximateActivationGradBase;

  void runOnOperation() override {
    if (failed(checkOptions()) || failed(rewriteStep()))
      signalPassFailure();
  }

  LogicalResult checkOptions() {
    if (bits < 1 || bits > 4)
      return getOperation().emitError("memopt-approximate-activation-grad: "
                                      "bits must be 1 to 4, got ")
             << bits.getValue();
    if (coefficients == Coefficients::Paper && bits != 2)
      return getOperation().emitError(
                 "memopt-approximate-activation-grad: coefficients=paper needs "
                 "bits=2, got ")
             << bits.getValue();
    return success();
  }

  LogicalResult rewriteStep() {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step) ||
        failed(requireRaised(step->getFunction(), getArgument())))
      return failure();
    SmallVector<ActivationDecision> decisions =
        explainActivations(*step, SavedActivations::compute(*step), bits);
    IRRewriter rewriter(&getContext());
    for (ActivationDecision &decision : decisions)
      if (failed(apply(rewriter, *step, decision)))
        return failure();
    return success();
  }

  LogicalResult apply(IRRewriter &rewriter, const TrainingStep &step,
                      ActivationDecision &decision) {
    Location loc = decision.grads.front().getLoc();
    auto options = remark::RemarkOpts::name("approximate-activation-grad")
                       .category(getArgument())
                       .function(step.getFunction().getName());
    if (!decision.reason.empty()) {
      remark::missed(loc, options) << "left alone: " + decision.reason;
      return success();
    }
    remark::passed(loc, options)
        << "reads a code of its input"
        << remark::metric("bits", bits.getValue())
        << remark::metric("saved_bytes", decision.savedBytes.value_or(0));
    for (ActivationGradOp grad : decision.grads) {
      const Surrogate *surrogate = getSurrogate(grad.getKind());
      if (!surrogate)
        return grad.emitError("coefficients=paper: the paper has no constants "
                              "for ")
               << stringifyActivationKind(grad.getKind())
               << "; use coefficients=optimal";
      approximate(rewriter, grad, *surrogate);
    }
    return success();
  }

  /// Solved once for each kind; null where the paper publishes none.
  const Surrogate *getSurrogate(ActivationKind kind) {
    auto [entry, isNew] = surrogates.try_emplace(kind);
    if (isNew) {
      StringRef name = stringifyActivationKind(kind);
      std::string_view keyword(name.data(), name.size());
      if (coefficients == Coefficients::Paper)
        entry->second = getPublishedSurrogate(keyword, bits);
      else if (const Activation *activation = findActivation(keyword))
        entry->second = solveSurrogate(*activation, bits);
    }
    return entry->second ? &*entry->second : nullptr;
  }

  std::map<ActivationKind, std::optional<Surrogate>> surrogates;
};
} // namespace
