//===- Rewrites.cpp - what the report tells of the rewrites ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "LeftAlone.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Picture/Notes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace memopt;

static constexpr llvm::StringLiteral opsName = "memopt_ops";
static constexpr llvm::StringLiteral leftAloneName = "left_alone";

static void collectNow(const TrainingStep &step, const SavedActivations &saved,
                       AsmState &state, MemoryReport &report) {
  for (Operation &op : step.getBody())
    if (isa_and_nonnull<MemOptDialect>(op.getDialect()))
      ++report.memoptOps[getKindedName(&op)];
  for (const UnimprovedOp &entry : findLeftAlone(step, saved))
    report.leftAlone.push_back({describe(entry.op, state), entry.reason});
}

static LogicalResult readOps(func::FuncOp function, DictionaryAttr ops,
                             MemoryReport &report) {
  for (NamedAttribute entry : ops) {
    auto count = dyn_cast<IntegerAttr>(entry.getValue());
    if (!count)
      return emitError(function.getLoc())
             << "'" << opsName << "' in the attribute '" << reportNotesAttrName
             << "' must hold numbers";
    report.memoptOps[entry.getName().str()] = count.getInt();
  }
  return success();
}

/// Three strings an entry: op, value, reason.
static LogicalResult readLeftAlone(func::FuncOp function, ArrayAttr texts,
                                   MemoryReport &report) {
  bool sane =
      texts.size() % 3 == 0 && llvm::all_of(texts, llvm::IsaPred<StringAttr>);
  if (!sane)
    return emitError(function.getLoc())
           << "'" << leftAloneName << "' in the attribute '"
           << reportNotesAttrName << "' must hold three strings for each op";
  auto text = [&](size_t i) { return cast<StringAttr>(texts[i]).str(); };
  for (size_t i = 0; i < texts.size(); i += 3)
    report.leftAlone.push_back({{text(i + 1), text(i)}, text(i + 2)});
  return success();
}

LogicalResult memopt::collectRewrites(const TrainingStep &step,
                                      const SavedActivations &saved,
                                      AsmState &state, MemoryReport &report) {
  func::FuncOp function = step.getFunction();
  auto ops = dyn_cast_or_null<DictionaryAttr>(getNote(function, opsName));
  auto leftAlone =
      dyn_cast_or_null<ArrayAttr>(getNote(function, leftAloneName));
  if (!ops || !leftAlone) {
    collectNow(step, saved, state, report);
    return success();
  }
  return success(succeeded(readOps(function, ops, report)) &&
                 succeeded(readLeftAlone(function, leftAlone, report)));
}

void memopt::noteRewrites(const TrainingStep &step) {
  func::FuncOp function = step.getFunction();
  AsmState state(function);
  MemoryReport report;
  collectNow(step, SavedActivations::compute(step), state, report);
  Builder b(function.getContext());
  NamedAttrList ops;
  for (const auto &[name, count] : report.memoptOps)
    ops.append(name, b.getI64IntegerAttr(count));
  SmallVector<StringRef> texts;
  for (const MemoryReport::LeftAlone &entry : report.leftAlone)
    texts.append({entry.op.op, entry.op.value, entry.reason});
  setNote(function, opsName, ops.getDictionary(function.getContext()));
  setNote(function, leftAloneName, b.getStrArrayAttr(texts));
}
