//===- Pipeline.cpp - memopt-pipeline -------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Pipelines/Pipeline.h"
#include "ChooseRewrites.h"
#include "MemOpt/Approximate/Passes.h"
#include "MemOpt/Lower/Passes.h"
#include "MemOpt/Pipelines/Passes.h"
#include "MemOpt/Raise/Passes.h"
#include "MemOpt/Rematerialize/Passes.h"
#include "MemOpt/Report/Passes.h"
#include "MemOpt/Share/Passes.h"
#include "StepPass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Says that `value` is none of `allowed`, which are separated by ", ".
static std::optional<FenceForm> parseFence(StringRef text) {
  return llvm::StringSwitch<std::optional<FenceForm>>(text)
      .Case("scalar", FenceForm::Scalar)
      .Case("none", FenceForm::None)
      .Case("keep", FenceForm::Keep)
      .Default(std::nullopt);
}

std::optional<std::string> checkChoice(StringRef option, StringRef value,
                                       StringRef allowed) {
  SmallVector<StringRef> choices;
  allowed.split(choices, ", ");
  if (llvm::is_contained(choices, value))
    return std::nullopt;
  return (option + "=" + value + " is unknown: " + option + " is one of " +
          allowed)
      .str();
}

std::optional<std::string>
memopt::checkOptions(const PipelineOptions &options) {
  if (auto error =
          checkChoice("coefficients", options.coefficients, "optimal, paper"))
    return error;
  if (auto error = checkChoice("bits", options.bits, "1, 2, 3, 4"))
    return error;
  if (auto error = checkChoice("fence", options.fence, "scalar, none, keep"))
    return error;
  if (auto error = checkChoice("choose", options.choose, "none, codes, all"))
    return error;
  if (auto error = checkChoice("report-format", options.reportFormat,
                               "table, json, svg"))
    return error;
  if (options.coefficients == "paper" && options.bits != "2")
    return "coefficients=paper needs bits=2: the paper publishes no others";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

static void addVerifier(OpPassManager &manager, const PipelineOptions &options,
                        StringRef stage) {
  VerifyStageOptions verify;
  verify.stage = stage.str();
  verify.function = options.function;
  verify.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createVerifyStage(verify));
}

static void addReport(OpPassManager &manager, const PipelineOptions &options,
                      StringRef file) {
  if (file.empty())
    return;
  ReportOptions report;
  report.format = options.reportFormat;
  report.file = file.str();
  report.function = options.function;
  report.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createReport(report));
}

/// Notes what the report on the rewritten step tells of the step as it is here.
static void addRemember(OpPassManager &manager, const PipelineOptions &options,
                        bool memory, bool ops) {
  RememberOptions remember;
  remember.memory = memory;
  remember.ops = ops;
  remember.function = options.function;
  remember.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createRemember(remember));
}

static void addForget(OpPassManager &manager) {
  RememberOptions remember;
  remember.forget = true;
  manager.addPass(createRemember(remember));
}

/// True where the report on the rewritten step is a picture.
static bool draws(const PipelineOptions &options) {
  return !options.reportAfter.empty() && options.reportFormat == "svg";
}

/// Adds a pass on functions that runs on the step only: its options, as the
/// results that the forward makes, need not fit the module's other functions.
static void addOnStep(OpPassManager &manager, const PipelineOptions &options,
                      std::unique_ptr<Pass> pass) {
  manager.addPass(createStepPass(
      {options.function, llvm::to_vector(options.forwardResults)},
      std::move(pass)));
}

static void addApproximate(OpPassManager &manager,
                           const PipelineOptions &options) {
  ApproximateActivationGradOptions approximate;
  approximate.coefficients = options.coefficients == "paper"
                                 ? Coefficients::Paper
                                 : Coefficients::Optimal;
  approximate.bits = std::stoi(options.bits);
  approximate.function = options.function;
  approximate.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createApproximateActivationGrad(approximate));
}

/// True where a budget asks for rematerialization.
static bool hasBudget(const PipelineOptions &options) {
  return !options.peakBudget.empty() || !options.savedBudget.empty() ||
         !options.maxOverhead.empty();
}

static void addMarkCaptured(OpPassManager &manager,
                            const PipelineOptions &options) {
  MarkCapturedOptions mark;
  mark.dimBounds = llvm::to_vector(options.dimBounds);
  mark.function = options.function;
  mark.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createMarkCaptured(mark));
}

static void addRematerialize(OpPassManager &manager,
                             const PipelineOptions &options) {
  RematerializeOptions remat;
  remat.peakBudget = options.peakBudget;
  remat.savedBudget = options.savedBudget;
  remat.maxOverhead = options.maxOverhead;
  remat.device = options.device;
  remat.noteFront = draws(options);
  remat.function = options.function;
  remat.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createRematerialize(remat));
}

static void addVerifyPlan(OpPassManager &manager,
                          const PipelineOptions &options) {
  VerifyPlanOptions verify;
  // A pipeline that goes on holds the promise further: memopt-plan-memory
  // compares the arena with it.
  verify.remove = *parseFence(options.fence) != FenceForm::Keep;
  verify.function = options.function;
  verify.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createVerifyPlan(verify));
}

static void addShare(OpPassManager &manager, const PipelineOptions &options) {
  ShareNormOutputOptions share;
  share.rounded = options.rounded;
  share.function = options.function;
  share.forwardResults = llvm::to_vector(options.forwardResults);
  manager.addPass(createShareNormOutput(share));
}

static void addRewrites(OpPassManager &manager,
                        const PipelineOptions &options) {
  // Before sharing, which asks what the backward keeps anyway: an activation
  // whose input goes over to a code keeps it no longer.
  if (options.approximate)
    addApproximate(manager, options);
  if (options.share)
    addShare(manager, options);
}

static void addPlan(OpPassManager &manager, const PipelineOptions &options) {
  // Before lowering, after which nobody can count them.
  if (!options.reportAfter.empty() && !draws(options))
    addRemember(manager, options, /*memory=*/false, /*ops=*/true);
  // Planned on the ops that leave, so that the promise is one about them, and
  // after the rewrites that make values smaller.
  manager.addPass(createToLinalg({FenceForm::Keep}));
  addRematerialize(manager, options);
}

static void addRewritesAndPlan(OpPassManager &manager,
                               const PipelineOptions &options) {
  ChooseRewritesOptions choose;
  choose.step = {options.function, llvm::to_vector(options.forwardResults)};
  choose.codes = options.approximate && options.choose != "none";
  choose.norms = options.share && options.choose == "all";
  choose.device = options.device;
  if (hasBudget(options) && (choose.codes || choose.norms)) {
    OpPassManager rewrite(ModuleOp::getOperationName());
    OpPassManager plan(ModuleOp::getOperationName());
    addRewrites(rewrite, options);
    addPlan(plan, options);
    manager.addPass(
        createChooseRewrites(choose, std::move(rewrite), std::move(plan)));
    return;
  }
  addRewrites(manager, options);
  if (hasBudget(options))
    addPlan(manager, options);
}

void memopt::buildPipeline(OpPassManager &manager,
                           const PipelineOptions &options) {
  // First, since every analysis reads one block: what a called function
  // computes would be one opaque op.
  manager.addPass(createInlineCalls({options.function}));
  addVerifier(manager, options, "captured");
  // Before raising, so that it counts the step as its front end wrote it.
  addReport(manager, options, options.reportBefore);
  if (draws(options))
    addRemember(manager, options, /*memory=*/true, /*ops=*/false);
  // A share in saved-budget is one of what the step keeps before any rewrite.
  if (hasBudget(options))
    addMarkCaptured(manager, options);
  // Before any rewrite and any fusion: what follows rewrites memopt ops only.
  RaiseOptions raise;
  raise.forwardResults = llvm::to_vector(options.forwardResults);
  addOnStep(manager, options, createRaise(raise));
  addVerifier(manager, options, "raised");
  addRewritesAndPlan(manager, options);
  // While the step still has its memopt ops, which the report counts, or its
  // plan.
  addReport(manager, options, options.reportAfter);
  if (draws(options) || (hasBudget(options) && !options.reportAfter.empty()))
    addForget(manager);
  ToLinalgOptions lower;
  lower.fence = *parseFence(options.fence);
  manager.addPass(createToLinalg(lower));
  // After the last rewrite: what it finds is what leaves.
  if (hasBudget(options))
    addVerifyPlan(manager, options);
  // A fence that is kept is for a pipeline that goes on.
  if (lower.fence != FenceForm::Keep)
    addVerifier(manager, options, "upstream");
}

void memopt::registerPipeline() {
  registerPassPipeline(
      "memopt-pipeline",
      "a training step that keeps less for its backward, in and out in "
      "upstream dialects",
      [](OpPassManager &manager, StringRef text,
         function_ref<LogicalResult(const Twine &)> error) {
        PipelineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        if (auto reason = checkOptions(options))
          return error("memopt-pipeline: " + *reason);
        buildPipeline(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(PipelineOptions());
      });
}
