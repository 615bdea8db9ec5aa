//===- MemoryReport.cpp - the figures of a step ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Report/MemoryReport.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Analysis/Repeats.h"
#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Analysis/WrittenPeak.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "Rewrites.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string memopt::getKindedName(Operation *op) {
  StringRef kind = llvm::TypeSwitch<Operation *, StringRef>(op)
                       .Case<ActivationOp, ActivationGradOp>([](auto op) {
                         return stringifyActivationKind(op.getKind());
                       })
                       .Case<NormOp, NormGradOp, NormOutputGradOp>([](auto op) {
                         return stringifyNormKind(op.getKind());
                       })
                       .Default(StringRef());
  return (op->getName().getStringRef() + (kind.empty() ? "" : " ") + kind)
      .str();
}

static std::string getValueName(Value value, AsmState &state) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    return name.getName().str();
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, state);
  return text;
}

ReportedOp memopt::describe(Operation *op, AsmState &state) {
  if (op->getNumResults() == 0)
    return {"", getKindedName(op)};
  return {getValueName(op->getResult(0), state), getKindedName(op)};
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// Sum of the bytes of the tensors among `values`; `what` names them in errors.
static FailureOr<int64_t> sumBytes(func::FuncOp function, ValueRange values,
                                   StringRef what) {
  int64_t total = 0;
  for (Value value : values) {
    if (!isa<TensorType>(value.getType()))
      continue;
    FailureOr<int64_t> bytes = requireByteSize(value);
    if (failed(bytes))
      return failure();
    if (llvm::AddOverflow(total, *bytes, total))
      return emitError(function.getLoc(), "the bytes of the ")
             << what << " pass 2^63 - 1";
  }
  return total;
}

static void describeSaved(const SavedActivations &saved, AsmState &state,
                          MemoryReport &report) {
  for (const SavedActivation &entry : saved.getSaved()) {
    MemoryReport::Saved line;
    line.made = {getValueName(entry.storage, state),
                 getKindedName(entry.storage.getDefiningOp())};
    line.type = toString(entry.storage.getType());
    line.bytes = *entry.bytes;
    line.returned = entry.returned;
    for (Operation *reader : entry.keptBy)
      line.keptBy.push_back(describe(reader, state));
    report.saved.push_back(std::move(line));
  }
}

static std::optional<MemoryReport::Planned>
describePlan(const TrainingStep &step, AsmState &state) {
  func::FuncOp function = step.getFunction();
  auto plan = function->getAttrOfType<DictionaryAttr>(planAttrName);
  if (!plan)
    return std::nullopt;
  auto find = [&](StringRef name) -> std::optional<int64_t> {
    auto entry = plan.getAs<IntegerAttr>(name);
    return entry ? std::optional<int64_t>(entry.getInt()) : std::nullopt;
  };
  auto get = [&](StringRef name) { return find(name).value_or(0); };
  MemoryReport::Planned planned;
  planned.peakBudgetBytes = find("peak_budget_bytes");
  planned.savedBudgetBytes = find("saved_budget_bytes");
  if (auto device = plan.getAs<StringAttr>("device"))
    planned.device = device.str();
  planned.peakBytes = get("peak_bytes");
  planned.savedBytes = get("saved_bytes");
  planned.peakBytesBefore = get("peak_bytes_before");
  planned.savedBytesBefore = get("saved_bytes_before");
  planned.recomputePicoseconds = get("recompute_picoseconds");
  planned.stepPicoseconds = get("step_picoseconds");
  planned.lowerBoundPicoseconds = get("lower_bound_picoseconds");
  for (Operation *op : findRecomputed(step.getBody(), step.getForwardEnd()))
    planned.recomputed.push_back(describe(op, state));
  return planned;
}

FailureOr<MemoryReport> MemoryReport::compute(const TrainingStep &step) {
  func::FuncOp function = step.getFunction();
  SavedActivations saved = SavedActivations::compute(step);
  FailureOr<int64_t> savedBytes = saved.getTotalBytes();
  if (failed(savedBytes))
    return failure();
  FailureOr<WrittenPeak> peak = WrittenPeak::compute(step);
  if (failed(peak))
    return failure();
  FailureOr<int64_t> arguments =
      sumBytes(function, function.getArguments(), "arguments");
  FailureOr<int64_t> results = sumBytes(
      function, step.getBody().getTerminator()->getOperands(), "results");
  if (failed(arguments) || failed(results))
    return failure();

  AsmState state(function);
  MemoryReport report;
  report.function = function.getName().str();
  llvm::append_range(report.forwardResults, step.getForwardResults());
  report.forwardEnd = describe(step.getForwardEnd(), state);
  report.savedBytes = *savedBytes;
  describeSaved(saved, state, report);
  report.peakBytes = peak->getPeakBytes();
  if (peak->getPeakOp())
    report.peakAt = describe(peak->getPeakOp(), state);
  report.argumentBytes = *arguments;
  report.resultBytes = *results;
  if (failed(collectRewrites(step, saved, state, report)))
    return failure();
  report.planned = describePlan(step, state);
  return report;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJSON(const ReportedOp &op) {
  llvm::json::Object object{{"op", op.op}};
  if (!op.value.empty())
    object["value"] = op.value;
  return object;
}

static llvm::json::Object toJSON(const MemoryReport::Saved &entry) {
  llvm::json::Object object = toJSON(entry.made);
  object["type"] = entry.type;
  object["bytes"] = entry.bytes;
  object["returned"] = entry.returned;
  llvm::json::Array keptBy;
  for (const ReportedOp &op : entry.keptBy)
    keptBy.push_back(toJSON(op));
  object["kept_by"] = std::move(keptBy);
  return object;
}

static void addPlan(const MemoryReport::Planned &planned,
                    llvm::json::Object &object) {
  llvm::json::Array recomputed;
  for (const ReportedOp &op : planned.recomputed)
    recomputed.push_back(toJSON(op));
  object["recomputed"] = std::move(recomputed);
  object["device"] = planned.device;
  object["planned_peak_bytes"] = planned.peakBytes;
  object["planned_saved_bytes"] = planned.savedBytes;
  object["peak_bytes_before"] = planned.peakBytesBefore;
  object["saved_bytes_before"] = planned.savedBytesBefore;
  object["recompute_seconds"] = planned.recomputePicoseconds * 1e-12;
  object["step_seconds"] = planned.stepPicoseconds * 1e-12;
  object["lower_bound_seconds"] = planned.lowerBoundPicoseconds * 1e-12;
  if (planned.peakBudgetBytes)
    object["peak_budget_bytes"] = *planned.peakBudgetBytes;
  if (planned.savedBudgetBytes)
    object["saved_budget_bytes"] = *planned.savedBudgetBytes;
}

llvm::json::Value MemoryReport::toJSON() const {
  llvm::json::Array savedArray, leftAloneArray;
  for (const Saved &entry : saved)
    savedArray.push_back(::toJSON(entry));
  for (const LeftAlone &entry : leftAlone) {
    llvm::json::Object object = ::toJSON(entry.op);
    object["reason"] = entry.reason;
    leftAloneArray.push_back(std::move(object));
  }
  llvm::json::Object ops;
  for (const auto &[name, count] : memoptOps)
    ops[name] = count;
  llvm::json::Object object{
      {"function", function},
      {"forward_results", llvm::json::Array(forwardResults)},
      {"forward_end", ::toJSON(forwardEnd)},
      {"saved_bytes", savedBytes},
      {"saved", std::move(savedArray)},
      {"peak_bytes", peakBytes},
      {"peak_at", ::toJSON(peakAt)},
      {"argument_bytes", argumentBytes},
      {"result_bytes", resultBytes},
      {"memopt_ops", std::move(ops)},
      {"left_alone", std::move(leftAloneArray)},
  };
  if (planned)
    addPlan(*planned, object);
  return object;
}
