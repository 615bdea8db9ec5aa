//===- VerifyPlan.cpp - memopt-verify-plan --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Planning/PeakMemory.h"
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
    if (!plan)
      return fail(func) << "the step has no attribute '" << planAttrName
                        << "': put memopt-rematerialize before";
    FailureOr<BuiltStepGraph> built = buildStepGraph(*step);
    if (failed(built))
      return failure();
    if (failed(compare(*step, *built, plan)))
      return failure();
    if (remove)
      func->removeAttr(planAttrName);
    return success();
  }

  InFlightDiagnostic fail(func::FuncOp function) {
    return emitError(function.getLoc()) << "memopt-verify-plan: ";
  }

  /// The step in the order in which it is written.
  LogicalResult compare(const TrainingStep &step, const BuiltStepGraph &built,
                        DictionaryAttr plan) {
    Schedule schedule = captureSchedule(built.graph);
    ScheduleReads reads;
    std::string error = resolveReads(built.graph, schedule, reads);
    if (!error.empty())
      return fail(step.getFunction()) << error;
    FusionPlan fusion = fuse(built.graph, schedule, reads);
    PeakMemory peak = simulatePeak(built.graph, schedule, reads, fusion);
    bool boundsSaved = plan.contains("saved_budget_bytes");
    StringRef name = boundsSaved                          ? "saved_budget_bytes"
                     : plan.contains("peak_budget_bytes") ? "peak_budget_bytes"
                                                          : "peak_bytes";
    auto promised = plan.getAs<IntegerAttr>(name);
    if (!promised)
      return fail(step.getFunction())
             << "the attribute '" << planAttrName << "' promises nothing";
    int64_t needed = boundsSaved ? peak.savedBytes : peak.peakBytes;
    if (needed <= promised.getInt())
      return success();
    InFlightDiagnostic diag = fail(step.getFunction());
    diag << "the plan's promise is broken: " << name << " is "
         << promised.getInt() << ", and the step "
         << (boundsSaved ? "keeps " : "needs ") << needed << " bytes";
    if (!boundsSaved) {
      Operation *op =
          built
              .ops[schedule.order[fusion.members[fusion.begin[peak.peakKernel]]]
                       .op];
      diag.attachNote(op->getLoc())
          << "the peak is at this '" << op->getName() << "'";
    }
    return diag;
  }
};
} // namespace
