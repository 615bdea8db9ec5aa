//===- MemoryReport.cpp - the figures of a step ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Report/MemoryReport.h"
#include "LeftAlone.h"
#include "MemOpt/Analysis/SavedActivations.h"
#include "MemOpt/Analysis/WrittenPeak.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::string getKindedName(Operation *op) {
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

static ReportedOp describe(Operation *op, AsmState &state) {
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
  for (Operation &op : step.getBody())
    if (isa_and_nonnull<MemOptDialect>(op.getDialect()))
      ++report.memoptOps[getKindedName(&op)];
  for (const UnimprovedOp &entry : findLeftAlone(step, saved))
    report.leftAlone.push_back({describe(entry.op, state), entry.reason});
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
  return llvm::json::Object{
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
}
