//===- ChooseRewrites.cpp - no rewrite that a plan does not need ----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseRewrites.h"
#include "MemOpt/Analysis/FusedStep.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Approximate/Approximate.h"
#include "MemOpt/Planning/RecomputeCost.h"
#include "MemOpt/Share/Share.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Following rewrites through lowering
//===----------------------------------------------------------------------===//

namespace {
/// Marks ops by their locations, which every lowering and every clone keeps.
class LocationTags {
public:
  void tag(Operation *op, int64_t number) {
    Location original = op->getLoc();
    Attribute mark =
        IntegerAttr::get(IntegerType::get(op->getContext(), 64), number);
    // The name stays outside, where reports look for it.
    auto name = dyn_cast<NameLoc>(original);
    Location inner = name ? name.getChildLoc() : original;
    Location tagged = FusedLoc::get(op->getContext(), {inner}, mark);
    if (name)
      tagged = NameLoc::get(name.getName(), tagged);
    op->setLoc(tagged);
    found[tagged] = {number, LocationAttr(original)};
  }

  /// -1 where the op has none.
  int64_t get(Operation *op) const {
    auto entry = found.find(op->getLoc());
    return entry == found.end() ? -1 : entry->second.first;
  }

  void remove(ModuleOp module) const {
    module->walk([&](Operation *op) {
      if (auto entry = found.find(op->getLoc()); entry != found.end())
        op->setLoc(entry->second.second);
    });
  }

private:
  llvm::DenseMap<Location, std::pair<int64_t, LocationAttr>> found;
};
} // namespace

/// The op of the norm's body that makes xhat; without a body the norm, which
/// stands for all that its lowering makes.
static Operation *findXhatMaker(NormOp norm) {
  if (norm.getBody().empty())
    return norm;
  auto yield = cast<YieldOp>(norm.getBody().front().getTerminator());
  return yield.getValues()[1].getDefiningOp();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// What a planned step needs, of which the better one is taken.
struct Need {
  /// Modelled, of the whole step with what runs again.
  int64_t picoseconds = std::numeric_limits<int64_t>::max();
  int64_t peakBytes = 0;
  bool boundsBytes = false;

  static Need compute(const TrainingStep &step, StringRef device) {
    Need need;
    std::string error;
    std::optional<Device> parsed = parseDevice(device.str(), error);
    FailureOr<FusedStep> fused = fuseAsWritten(step);
    if (!parsed || failed(fused))
      return need;
    need.peakBytes = fused->peak.peakBytes;
    if (auto time = timeSchedule(fused->built.graph, fused->schedule,
                                 fused->reads, fused->fusion, *parsed))
      need.picoseconds = *time;
    auto plan = step.getFunction()->getAttrOfType<DictionaryAttr>(planAttrName);
    need.boundsBytes = plan && (plan.contains("peak_budget_bytes") ||
                                plan.contains("saved_budget_bytes"));
    return need;
  }

  /// Both fit the budget, which bounds bytes or else overhead.
  bool isNoMoreThan(const Need &other) const {
    return picoseconds <= other.picoseconds &&
           (boundsBytes || peakBytes <= other.peakBytes);
  }
};

struct ChooseRewrites : PassWrapper<ChooseRewrites, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseRewrites)

  ChooseRewrites(const ChooseRewritesOptions &options, OpPassManager rewrite,
                 OpPassManager plan)
      : options(options), rewrite(std::move(rewrite)), plan(std::move(plan)) {}

  StringRef getName() const override { return "ChooseRewrites"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    rewrite.getDependentDialects(registry);
    plan.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<TrainingStep> step = TrainingStep::find(module, options.step);
    if (failed(step))
      return signalPassFailure();
    tags = {};
    tagCandidates(*step);
    OwningOpRef<ModuleOp> before = module.clone();
    if (failed(runPipeline(rewrite, module)))
      return signalPassFailure();
    llvm::SmallSetVector<int64_t, 16> rewritten = findRewritten(module);
    if (failed(runPipeline(plan, module)))
      return signalPassFailure();
    step = TrainingStep::find(module, options.step);
    if (failed(step))
      return signalPassFailure();
    removeKept(*step, rewritten);
    if (!rewritten.empty())
      tryWithout(rewritten, *before, Need::compute(*step, options.device));
    tags.remove(module);
  }

  /// Numbers what one decision of a rewrite is about.
  void tagCandidates(const TrainingStep &step) {
    SavedActivations saved = SavedActivations::compute(step);
    int64_t number = 0;
    if (options.codes)
      for (ActivationDecision &decision :
           explainActivations(step, saved, /*bits=*/2)) {
        for (ActivationGradOp grad : decision.grads)
          tags.tag(grad, number);
        ++number;
      }
    if (options.norms)
      for (NormDecision &decision :
           explainNorms(step, saved, /*allowRounded=*/false)) {
        for (NormOp norm : decision.norms)
          if (Operation *maker = findXhatMaker(norm))
            tags.tag(maker, number);
        for (NormGradOp grad : decision.grads)
          tags.tag(grad, number);
        ++number;
      }
  }

  /// The numbers of gradients that were rewritten.
  llvm::SmallSetVector<int64_t, 16> findRewritten(ModuleOp module) const {
    llvm::SmallSetVector<int64_t, 16> numbers;
    module->walk([&](Operation *op) {
      if (int64_t number = tags.get(op);
          number >= 0 && isa<StepGradOp, NormOutputGradOp>(op))
        numbers.insert(number);
    });
    return numbers;
  }

  /// Leaves those of which the planned step keeps neither code nor normalised
  /// output.
  void removeKept(const TrainingStep &step,
                  llvm::SmallSetVector<int64_t, 16> &numbers) const {
    SavedActivations saved = SavedActivations::compute(step);
    for (Operation &op : step.getBody())
      if (int64_t number = tags.get(&op);
          number >= 0 && step.isForward(&op) &&
          llvm::any_of(op.getResults(), [&](Value result) {
            // Not a view of the input that the code is made from.
            return getStorage(result) == result && saved.lookup(result);
          }))
        numbers.remove(number);
  }

  /// Rewrites and plans the step as it was with these left alone, and keeps the
  /// result where it is no worse.
  void tryWithout(const llvm::SmallSetVector<int64_t, 16> &unneeded,
                  ModuleOp before, const Need &first) {
    ModuleOp module = getOperation();
    Region saved;
    saved.takeBody(module.getBodyRegion());
    module.getBodyRegion().takeBody(before.getBodyRegion());
    leaveAlone(module, unneeded);
    bool isBetter = false;
    {
      // What does not fit this way has a plan already.
      ScopedDiagnosticHandler silence(&getContext(),
                                      [](Diagnostic &) { return success(); });
      if (succeeded(runPipeline(rewrite, module)) &&
          succeeded(runPipeline(plan, module)))
        if (auto step = TrainingStep::find(module, options.step);
            succeeded(step))
          isBetter = Need::compute(*step, options.device).isNoMoreThan(first);
    }
    if (!isBetter)
      module.getBodyRegion().takeBody(saved);
  }

  void leaveAlone(ModuleOp module,
                  const llvm::SmallSetVector<int64_t, 16> &unneeded) {
    Builder b(&getContext());
    module->walk([&](Operation *op) {
      int64_t number = tags.get(op);
      if (number < 0 || !unneeded.contains(number))
        return;
      if (isa<ActivationGradOp>(op))
        op->setAttr(leftAloneAttrName,
                    b.getStringAttr("the plan would not keep its code"));
      if (isa<NormGradOp>(op))
        op->setAttr(
            leftAloneAttrName,
            b.getStringAttr("the plan would not keep its normalised output"));
    });
  }

  ChooseRewritesOptions options;
  OpPassManager rewrite, plan;
  LocationTags tags;
};
} // namespace

std::unique_ptr<Pass>
memopt::createChooseRewrites(const ChooseRewritesOptions &options,
                             OpPassManager rewrite, OpPassManager plan) {
  return std::make_unique<ChooseRewrites>(options, std::move(rewrite),
                                          std::move(plan));
}
