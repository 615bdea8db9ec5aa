//===- VerifyPlan.cpp - memopt-verify-plan --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Analysis/FusedStep.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "StepPlan.h"

namespace memopt {
#define GEN_PASS_DEF_VERIFYPLAN
#include "MemOpt/Rematerialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct VerifyPlan : memopt::impl::VerifyPlanBase<VerifyPlan> {
  using VerifyPlanBase::VerifyPlanBase;

  void runOnOperation() override {
    if (failed(verify()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verify() {
    FailureOr<TrainingStep> step = TrainingStep::find(
        getOperation(), {function, llvm::to_vector(forwardResults)});
    if (failed(step))
      return failure();
    func::FuncOp func = step->getFunction();
    auto plan = func->getAttrOfType<DictionaryAttr>(planAttrName);
    auto kernels = func->getAttrOfType<DictionaryAttr>(kernelsAttrName);
    if (!plan && !kernels)
      return fail(func) << "the step has no attribute '" << planAttrName
                        << "': put memopt-rematerialize before";
    FailureOr<FusedStep> fused = fuseAsWritten(*step);
    if (failed(fused) || (plan && failed(compare(*step, *fused, plan))) ||
        (kernels && failed(compareKernels(*step, *fused, kernels))))
      return failure();
    if (remove) {
      func->removeAttr(planAttrName);
      removeDimBounds(func);
    }
    return success();
  }

  InFlightDiagnostic fail(func::FuncOp function) {
    return emitError(function.getLoc()) << "memopt-verify-plan: ";
  }

  /// The step in the order in which it is written.
  LogicalResult compare(const TrainingStep &step, const FusedStep &fused,
                        DictionaryAttr plan) {
    const PeakMemory &peak = fused.peak;
    bool boundsSaved = plan.contains("saved_budget_bytes");
    StringRef name = boundsSaved                          ? "saved_budget_bytes"
                     : plan.contains("peak_budget_bytes") ? "peak_budget_bytes"
                                                          : "peak_bytes";
    auto promised = plan.getAs<IntegerAttr>(name);
    if (!promised)
      return fail(step.getFunction())
             << "the attribute '" << planAttrName << "' promises nothing";
    int64_t needed = boundsSaved ? peak.savedBytes : peak.peakBytes;
    // The kernel that makes the loss may stand before others of the forward, so
    // that a formed step does not show where the forward ends.
    auto kernels =
        step.getFunction()->getAttrOfType<DictionaryAttr>(kernelsAttrName);
    if (auto saved = kernels ? kernels.getAs<IntegerAttr>("saved_bytes")
                             : IntegerAttr();
        saved && boundsSaved)
      needed = saved.getInt();
    if (needed <= promised.getInt())
      return success();
    InFlightDiagnostic diag = fail(step.getFunction());
    diag << "the plan's promise is broken: " << name << " is "
         << promised.getInt() << ", and the step "
         << (boundsSaved ? "keeps " : "needs ") << needed << " bytes";
    if (!boundsSaved) {
      int first = fused.fusion.members[fused.fusion.begin[peak.peakKernel]];
      Operation *op = fused.built.ops[fused.schedule.order[first].op];
      diag.attachNote(op->getLoc())
          << "the peak is at this '" << op->getName() << "'";
    }
    return diag;
  }

  /// The kernels, once they are formed, against what memopt-form-kernels wrote
  /// down.
  LogicalResult compareKernels(const TrainingStep &step, const FusedStep &fused,
                               DictionaryAttr kernels) {
    auto promised = kernels.getAs<IntegerAttr>("peak_bytes");
    if (!promised)
      return fail(step.getFunction())
             << "the attribute '" << kernelsAttrName << "' promises nothing";
    if (fused.peak.peakBytes == promised.getInt())
      return success();
    return fail(step.getFunction())
           << "the kernels need " << fused.peak.peakBytes
           << " bytes at once, and '" << kernelsAttrName << "' says "
           << promised.getInt();
  }
};
} // namespace
