//===- Notes.cpp - what a later report needs of an earlier step -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Picture/Notes.h"
#include "MemOpt/Analysis/PlanAttributes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace memopt;

static constexpr llvm::StringLiteral beforeName = "before";
static constexpr llvm::StringLiteral backwardName = "before_backward";
static constexpr llvm::StringLiteral frontName = "front";

void memopt::setNote(func::FuncOp function, StringRef name, Attribute note) {
  NamedAttrList notes(
      function->getAttrOfType<DictionaryAttr>(reportNotesAttrName));
  notes.set(name, note);
  function->setAttr(reportNotesAttrName,
                    notes.getDictionary(function.getContext()));
}

Attribute memopt::getNote(func::FuncOp function, StringRef name) {
  auto notes = function->getAttrOfType<DictionaryAttr>(reportNotesAttrName);
  return notes ? notes.get(name) : Attribute();
}

void memopt::removeNotes(func::FuncOp function) {
  function->removeAttr(reportNotesAttrName);
}

void memopt::noteTimeline(func::FuncOp function, const Timeline &timeline) {
  Builder b(function.getContext());
  SmallVector<int64_t> flat;
  for (const auto &sample : timeline.bytes)
    flat.append(sample.begin(), sample.end());
  setNote(function, beforeName, b.getDenseI64ArrayAttr(flat));
  setNote(function, backwardName, b.getI64IntegerAttr(timeline.backward));
}

void memopt::noteFront(func::FuncOp function,
                       const std::vector<FrontPoint> &front) {
  SmallVector<int64_t> flat;
  for (const FrontPoint &point : front)
    flat.append({point.bytes, point.cost, point.bound});
  setNote(function, frontName,
          Builder(function.getContext()).getDenseI64ArrayAttr(flat));
}

/// The numbers of a note in rows of `width`; empty rows where there is no note.
static FailureOr<ArrayRef<int64_t>> readRows(func::FuncOp function,
                                             StringRef name, int64_t width) {
  Attribute note = getNote(function, name);
  if (!note)
    return ArrayRef<int64_t>();
  auto rows = dyn_cast<DenseI64ArrayAttr>(note);
  if (rows && rows.size() % width == 0 &&
      llvm::all_of(rows.asArrayRef(), [](int64_t n) { return n >= 0; }))
    return rows.asArrayRef();
  return emitError(function.getLoc())
         << "'" << name << "' in the attribute '" << reportNotesAttrName
         << "' must be an array of " << width
         << " non-negative i64 for each entry";
}

LogicalResult memopt::readNotes(func::FuncOp function, Picture &picture) {
  FailureOr<ArrayRef<int64_t>> before =
      readRows(function, beforeName, KindCount);
  FailureOr<ArrayRef<int64_t>> front = readRows(function, frontName, 3);
  if (failed(before) || failed(front))
    return failure();
  if (!before->empty()) {
    picture.before.emplace();
    for (size_t i = 0; i < before->size(); i += KindCount)
      llvm::copy(before->slice(i, KindCount),
                 picture.before->bytes.emplace_back().begin());
    if (auto at =
            dyn_cast_or_null<IntegerAttr>(getNote(function, backwardName)))
      picture.before->backward = std::min<uint64_t>(
          picture.before->bytes.size(), std::max<int64_t>(0, at.getInt()));
  }
  for (size_t i = 0; i < front->size(); i += 3)
    picture.front.push_back({(*front)[i], (*front)[i + 1], (*front)[i + 2]});
  return success();
}
