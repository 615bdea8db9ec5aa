//===- StepPlan.cpp - from a goal to a plan for a step --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepPlan.h"
#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/MinCut/Hull.h"
#include "MemOpt/Planning/ChoiceModel.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "MemOpt/Planning/Reorder.h"
#include "MemOpt/Rematerialize/Budget.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Goals
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuse(ModuleOp module) {
  return emitError(module.getLoc()) << "memopt-rematerialize: ";
}

FailureOr<Goal> Goal::parse(ModuleOp module, StringRef peakBudget,
                            StringRef savedBudget, StringRef maxOverhead,
                            StringRef keep, StringRef backwardOrder) {
  int given = !peakBudget.empty() + !savedBudget.empty() +
              !maxOverhead.empty() + !keep.empty();
  if (given != 1)
    return refuse(module) << "give one of peak-budget=, saved-budget=, "
                             "max-overhead= and keep=; "
                          << given << " are given";
  if (keep.empty() && !backwardOrder.empty())
    return refuse(module) << "backward-order= goes with keep=";
  if (!keep.empty()) {
    FailureOr<NamedPlan> named = NamedPlan::read(module, keep, backwardOrder);
    if (failed(named))
      return failure();
    return Goal{Keep, 0, false, std::move(*named)};
  }
  if (!peakBudget.empty()) {
    if (std::optional<int64_t> bytes = parseBytes(peakBudget))
      return Goal{Peak, *bytes, false, {}};
    return refuse(module) << "peak-budget=" << peakBudget
                          << " is no size: write bytes, or a number with a "
                             "unit, as 1500MB or 12GiB";
  }
  if (!savedBudget.empty()) {
    if (std::optional<int64_t> bytes = parseBytes(savedBudget))
      return Goal{Saved, *bytes, false, {}};
    if (std::optional<int64_t> share = parseShare(savedBudget))
      return Goal{Saved, *share, true, {}};
    return refuse(module)
           << "saved-budget=" << savedBudget
           << " is neither a size, as 12GiB, nor a share, as 0.5 "
              "or 50%";
  }
  if (std::optional<int64_t> share = parseShare(maxOverhead))
    return Goal{Overhead, *share, true, {}};
  return refuse(module) << "max-overhead=" << maxOverhead
                        << " is no share: write 0.03 or 3%";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(const TrainingStep &step, const BuiltStepGraph &built,
          const Goal &goal, const Device &device, const PlanOptions &options)
      : step(step), graph(built.graph), built(built), goal(goal),
        device(device), captured(captureSchedule(graph)),
        base(options.reorder ? reorderStep(graph) : captured),
        options(options) {
    result.goal = goal.kind;
    result.device = device.name;
  }

  FailureOr<StepPlan> run() {
    std::string error;
    std::vector<int64_t> prices = priceOps(graph, device, error);
    if (!error.empty())
      return fail() << error;
    if (failed(measureCaptured()) || failed(setBudget()))
      return failure();
    if (goal.kind == Goal::Keep)
      return runNamed(prices);
    std::optional<PlanLadder> ladder =
        PlanLadder::build(graph, base, prices, {}, error);
    if (!ladder)
      return fail() << error;
    std::optional<RematPlan> plan = select(*ladder);
    if (!plan)
      return refuseBudget(*ladder);
    result.recomputed = plan->getRunCount(graph);
    result.plan = std::move(*plan);
    result.bound = getBound(*ladder);
    if (options.wantsFront)
      collectFront(*ladder);
    if (options.wantsLadder)
      collectLadder(*ladder);
    return std::move(result);
  }

private:
  InFlightDiagnostic fail() {
    return emitError(func::FuncOp(step.getFunction()).getLoc())
           << "memopt-rematerialize: ";
  }

  /// The step as captured, under the same simulation and model of time.
  LogicalResult measureCaptured() {
    ScheduleReads reads;
    std::string error = resolveReads(graph, captured, reads);
    if (!error.empty())
      return fail() << error;
    FusionPlan fusion = fuse(graph, captured, reads);
    PeakMemory peak = simulatePeak(graph, captured, reads, fusion);
    result.savedBefore = peak.savedBytes;
    result.peakBefore = peak.peakBytes;
    std::optional<int64_t> time =
        timeSchedule(graph, captured, reads, fusion, device);
    if (!time)
      return fail() << "the modelled time of the step passes 2^62 picoseconds";
    result.stepTime = *time;
    return success();
  }

  LogicalResult setBudget() {
    result.budget = goal.amount;
    if (!goal.isShare)
      return success();
    if (goal.kind == Goal::Overhead) {
      result.budget = takeShare(result.stepTime, goal.amount);
      return success();
    }
    FailureOr<int64_t> captured = getCapturedBytes();
    if (failed(captured))
      return failure();
    result.budget = takeShare(*captured, goal.amount);
    return success();
  }

  /// What the step kept before any rewrite, where that is written down; else
  /// what it keeps now.
  FailureOr<int64_t> getCapturedBytes() {
    if (auto bytes = step.getFunction()->getAttrOfType<IntegerAttr>(
            capturedBytesAttrName))
      return bytes.getInt();
    FailureOr<BoundedStep> bounded = BoundedStep::make(step);
    if (failed(bounded))
      return failure();
    return SavedActivations::compute(bounded->getStep()).getTotalBytes();
  }

  /// The plan that names make, which is on no ladder. Its bounds are the
  /// hull's.
  FailureOr<StepPlan> runNamed(const std::vector<int64_t> &prices) {
    FailureOr<Schedule> schedule = goal.named.place(step, built, base);
    if (failed(schedule))
      return failure();
    RematPlan &plan = result.plan;
    std::string error =
        describeSchedule(graph, prices, std::move(*schedule), plan);
    if (!error.empty())
      return fail() << error;
    Hull hull = Hull::compute(ChoiceModel(graph, prices).graph);
    plan.savedBound = std::max<int64_t>(0, hull.lowerBound(plan.savedBytes));
    // What is kept stands there at once.
    plan.peakBound = std::max<int64_t>(0, hull.lowerBound(plan.peakBytes));
    result.recomputed = plan.getRunCount(graph);
    result.bound = plan.savedBound;
    return std::move(result);
  }

  std::optional<RematPlan> select(const PlanLadder &ladder) {
    switch (goal.kind) {
    case Goal::Peak:
      return ladder.selectPeak(result.budget);
    case Goal::Saved:
      return ladder.selectSaved(result.budget);
    case Goal::Overhead:
      return ladder.selectCost(result.budget);
    case Goal::Keep:
      break;
    }
    return std::nullopt;
  }

  int64_t getBound(const PlanLadder &ladder) {
    if (goal.kind == Goal::Saved)
      return result.plan.savedBound;
    if (goal.kind == Goal::Peak)
      return result.plan.peakBound;
    return ladder.tightBoundPeak(result.plan.peakBytes);
  }

  /// The cheapest come first, so that each one kept needs fewer bytes.
  void collectFront(const PlanLadder &ladder) {
    bool isSaved = goal.kind == Goal::Saved;
    for (const LadderPoint &point :
         isSaved ? ladder.getSavedFront() : ladder.getPoints()) {
      int64_t bytes = isSaved ? point.savedBytes : point.peakBytes;
      if (result.front.empty() || bytes < result.front.back().bytes)
        result.front.push_back(
            {bytes, point.cost,
             isSaved ? ladder.boundSaved(bytes) : ladder.boundPeak(bytes)});
    }
    std::reverse(result.front.begin(), result.front.end());
  }

  void collectLadder(const PlanLadder &ladder) {
    result.ladder = ladder.computePoints();
    for (const LadderPoint &point : result.ladder) {
      result.savedBounds.push_back(ladder.boundSaved(point.savedBytes));
      result.peakBounds.push_back(ladder.boundPeak(point.peakBytes));
    }
  }

  LogicalResult refuseBudget(const PlanLadder &ladder) {
    bool isPeak = goal.kind == Goal::Peak;
    int64_t least =
        isPeak ? ladder.getSmallestPeak() : ladder.getSmallestSaved();
    InFlightDiagnostic diag = fail();
    diag << (isPeak ? "peak-budget" : "saved-budget") << " of " << result.budget
         << " bytes is too small: smallest feasible budget: " << least
         << " bytes";
    if (isPeak)
      notePeak(diag, *ladder.selectPeak(least));
    else
      noteSaved(diag, *ladder.selectSaved(least));
    return diag;
  }

  /// Where the smallest peak stands, and what makes it.
  void notePeak(InFlightDiagnostic &diag, const RematPlan &plan) {
    std::vector<std::pair<int64_t, int>> alive;
    for (const LiveValue &live : listPeak(graph, plan))
      alive.push_back({live.bytes, live.value});
    Operation *op = built.ops[plan.peakRun.op];
    Diagnostic &note = diag.attachNote(op->getLoc());
    note << "the peak of the smallest plan is at this '" << op->getName() << "'"
         << (plan.peakRun.copy ? ", run again" : "") << "; alive there: ";
    list(note, std::move(alive));
  }

  void noteSaved(InFlightDiagnostic &diag, const RematPlan &plan) {
    std::vector<std::pair<int64_t, int>> alive;
    for (int value : plan.kept)
      if (!graph.values[value].returned)
        alive.push_back({graph.values[value].bytes, value});
    Operation *op = step.getForwardEnd();
    Diagnostic &note = diag.attachNote(op->getLoc());
    note << "the forward ends at this '" << op->getName()
         << "'; the smallest plan keeps: ";
    list(note, std::move(alive));
  }

  /// The largest values, the earlier first among equal ones.
  void list(Diagnostic &note, std::vector<std::pair<int64_t, int>> alive) {
    constexpr size_t most = 8;
    llvm::stable_sort(
        alive, [](const auto &a, const auto &b) { return a.first > b.first; });
    int64_t rest = 0;
    for (size_t i = 0; i < alive.size(); ++i) {
      if (i >= most) {
        rest += alive[i].first;
        continue;
      }
      note << (i ? ", " : "") << graph.values[alive[i].second].name << " ("
           << alive[i].first << " bytes)";
    }
    if (alive.size() > most)
      note << " and " << int64_t(alive.size() - most) << " more (" << rest
           << " bytes)";
  }

  const TrainingStep &step;
  const StepGraph &graph;
  const BuiltStepGraph &built;
  const Goal &goal;
  const Device &device;
  Schedule captured, base;
  PlanOptions options;
  StepPlan result;
};
} // namespace

FailureOr<StepPlan> memopt::planStep(const TrainingStep &step,
                                     const BuiltStepGraph &built,
                                     const Goal &goal, const Device &device,
                                     const PlanOptions &options) {
  return Planner(step, built, goal, device, options).run();
}

DictionaryAttr StepPlan::toAttribute(MLIRContext *context) const {
  Builder b(context);
  NamedAttrList entries;
  auto add = [&](StringRef name, int64_t value) {
    entries.append(name, b.getI64IntegerAttr(value));
  };
  if (goal == Goal::Peak)
    add("peak_budget_bytes", budget);
  if (goal == Goal::Saved)
    add("saved_budget_bytes", budget);
  entries.append("device", b.getStringAttr(device));
  add("peak_bytes", plan.peakBytes);
  add("saved_bytes", plan.savedBytes);
  add("peak_bytes_before", peakBefore);
  add("saved_bytes_before", savedBefore);
  add("recomputed", recomputed);
  add("recompute_picoseconds", plan.cost);
  add("step_picoseconds", stepTime);
  add("lower_bound_picoseconds", bound);
  return entries.getDictionary(context);
}
