//===- Rematerialize.cpp - memopt-rematerialize ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fences.h"
#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Picture/Notes.h"
#include "MemOpt/Rematerialize/ApplySchedule.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "StepPlan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

#include <sstream>

namespace memopt {
#define GEN_PASS_DEF_REMATERIALIZE
#include "MemOpt/Rematerialize/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;

namespace {
struct Rematerialize : memopt::impl::RematerializeBase<Rematerialize> {
  using RematerializeBase::RematerializeBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    FailureOr<Goal> goal = Goal::parse(module, peakBudget, savedBudget,
                                       maxOverhead, keep, backwardOrder);
    if (failed(goal))
      return failure();
    std::string error;
    std::optional<Device> parsed = parseDevice(device.getValue(), error);
    if (!parsed)
      return fail("device=" + device.getValue() + ": " + error);
    if (!ladder.empty() && !keep.empty())
      return fail("ladder= goes with a budget, not with keep=");
    if (fence != "memopt" && fence != "none")
      return fail("fence=" + fence.getValue() + " is unknown: memopt or none");
    FailureOr<TrainingStep> step =
        TrainingStep::find(module, {function, llvm::to_vector(forwardResults)});
    if (failed(step) ||
        failed(requireUnplanned(step->getFunction(), "memopt-rematerialize")))
      return failure();
    if (failed(setDimBounds(step->getFunction(), dimBounds)))
      return failure();
    FailureOr<BuiltStepGraph> built = buildStepGraph(*step);
    if (failed(built))
      return failure();
    FailureOr<StepPlan> plan =
        planStep(*step, *built, *goal, *parsed,
                 {reorder, /*wantsFront=*/noteFront || !picture.empty(),
                  /*wantsLadder=*/!ladder.empty()});
    if (failed(plan) || failed(writePlan(*built, *plan)) ||
        failed(writeLadder(*plan)) || failed(drawPicture(*step, *built, *plan)))
      return failure();
    if (dryRun) {
      if (!dimBounds.empty())
        removeDimBounds(step->getFunction());
      return success();
    }
    return apply(*step, *built, *plan);
  }

  LogicalResult fail(const Twine &message) {
    return emitError(getOperation().getLoc())
           << "memopt-rematerialize: " << message;
  }

  LogicalResult writePlan(const BuiltStepGraph &built, const StepPlan &plan) {
    std::string name = planFile;
    if (name.empty() && dryRun)
      name = "-";
    if (name.empty())
      return success();
    std::ostringstream text;
    printPlan(built.graph, plan.plan, text);
    return writeFile(name, text.str());
  }

  /// All plans as comma-separated values.
  LogicalResult writeLadder(const StepPlan &plan) {
    if (ladder.empty())
      return success();
    std::ostringstream text;
    text << "saved_bytes,peak_bytes,cost_picoseconds,saved_bound_picoseconds,"
            "peak_bound_picoseconds\n";
    for (auto [point, saved, peak] :
         llvm::zip_equal(plan.ladder, plan.savedBounds, plan.peakBounds))
      text << point.savedBytes << ',' << point.peakBytes << ',' << point.cost
           << ',' << saved << ',' << peak << '\n';
    return writeFile(ladder, text.str());
  }

  /// The plan as a picture, beside the step as captured.
  LogicalResult drawPicture(const TrainingStep &step,
                            const BuiltStepGraph &built, const StepPlan &plan) {
    if (picture.empty())
      return success();
    func::FuncOp function = step.getFunction();
    Picture drawn(function.getName(), plan.toAttribute(&getContext()));
    drawn.before = traceSchedule(step, built, captureSchedule(built.graph));
    drawn.after = traceSchedule(step, built, plan.plan.schedule);
    drawn.front = plan.front;
    return writeFile(picture, drawn.draw());
  }

  LogicalResult writeFile(StringRef name, StringRef text) {
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(name, &error);
    if (!output)
      return fail(error);
    output->os() << text;
    output->keep();
    return success();
  }

  LogicalResult apply(const TrainingStep &step, const BuiltStepGraph &built,
                      const StepPlan &plan) {
    func::FuncOp function = step.getFunction();
    // Promised before the rewrite: afterwards the graph names other ops.
    DictionaryAttr promise = plan.toAttribute(&getContext());
    if (failed(applySchedule(step, built, plan.plan.schedule,
                             /*fences=*/fence == "memopt")))
      return failure();
    function->setAttr(planAttrName, promise);
    if (noteFront)
      memopt::noteFront(function, plan.front);
    function->removeAttr(capturedBytesAttrName);
    return success();
  }
};
} // namespace
