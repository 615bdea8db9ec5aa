//===- Workspace.cpp - where kernels work besides their buffers -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workspace.h"
#include "MemOpt/Codegen/Memory.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt;

std::optional<int64_t> memopt::getArenaOffset(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp,
                      memref::CastOp>(op))
    return getArenaOffset(op->getOperand(0));
  auto view = dyn_cast_if_present<memref::ViewOp>(op);
  auto arena =
      view ? dyn_cast<BlockArgument>(view.getSource()) : BlockArgument();
  APInt offset;
  if (!arena || arena != arena.getOwner()->getArguments().back() ||
      !matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
    return std::nullopt;
  return offset.getSExtValue();
}

WorkspacePlan::WorkspacePlan(func::FuncOp step)
    : step(step),
      plannedBytes(
          step->getAttrOfType<IntegerAttr>("memopt.arena_bytes").getInt()),
      end(plannedBytes) {
  if (!step.getBody().hasOneBlock() || !step.getNumArguments())
    return; // refused when it is built
  for (Operation &op : step.getBody().front())
    numbers[&op] = numbers.size();
  for (Operation *user : step.getArguments().back().getUsers()) {
    auto view = dyn_cast<memref::ViewOp>(user);
    std::optional<int64_t> offset = view ? getArenaOffset(view) : std::nullopt;
    if (offset)
      addBuffer(view, *offset);
    else // no known place: all of it may be in use at any time
      ranges.push_back({0, plannedBytes, 0, unsigned(numbers.size())});
  }
  keepResults();
  llvm::stable_sort(
      ranges, [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

/// From the first to the last op that touches the buffer; from the step's
/// beginning if the first one reads it.
void WorkspacePlan::addBuffer(Value view, int64_t offset) {
  auto type = cast<MemRefType>(view.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  Range range{offset, offset + bytes, ~0u, 0};
  Operation *firstUser = nullptr;
  SmallVector<Value> names{view};
  for (unsigned i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        llvm::append_range(names, user->getResults());
        continue;
      }
      unsigned number = numbers.lookup(user);
      if (number < range.first)
        range.first = number, firstUser = user;
      range.last = std::max(range.last, number);
    }
  if (!firstUser)
    return;
  auto isName = [&](Value operand) {
    return llvm::is_contained(names, operand);
  };
  auto kernel = dyn_cast<KernelOp>(firstUser);
  bool isWritten = kernel ? llvm::any_of(kernel.getOutputs(), isName) &&
                                llvm::none_of(kernel.getInputs(), isName)
                          : isa<memref::StoreOp, memref::CopyOp>(firstUser);
  if (!isWritten)
    range.first = 0;
  ranges.push_back(range);
}

/// What is returned is needed to the end: the last buffer at its place.
void WorkspacePlan::keepResults() {
  auto results = step->getAttrOfType<ArrayAttr>("memopt.results");
  if (!results)
    return;
  for (auto result : results.getAsRange<DictionaryAttr>()) {
    auto offset = result.getAs<IntegerAttr>("offset");
    if (!offset)
      continue;
    Range *found = nullptr;
    for (Range &range : ranges)
      if (range.begin == offset.getInt() &&
          (!found || range.first > found->first))
        found = &range;
    if (found)
      found->last = numbers.size();
  }
}

SmallVector<WorkspacePlan::Place> WorkspacePlan::getGaps(Operation *op) const {
  unsigned number = numbers.lookup(op);
  SmallVector<Place> gaps;
  int64_t begin = 0;
  auto addGap = [&](int64_t gapEnd) {
    int64_t at = llvm::alignTo(begin, gpuBoundary);
    gaps.push_back({at, std::max<int64_t>(gapEnd - at, 0)});
  };
  for (const Range &range : ranges) {
    if (number < range.first || number > range.last)
      continue;
    addGap(range.begin);
    begin = std::max(begin, range.end);
  }
  addGap(end);
  return gaps;
}

WorkspacePlan::Place WorkspacePlan::place(Operation *op, int64_t least,
                                          int64_t most) {
  if (most == 0)
    return {};
  SmallVector<Place> gaps = getGaps(op);
  const Place *smallest = nullptr, *largest = nullptr;
  for (const Place &gap : gaps) {
    if (gap.bytes >= most && (!smallest || gap.bytes < smallest->bytes))
      smallest = &gap;
    if (gap.bytes >= least && (!largest || gap.bytes > largest->bytes))
      largest = &gap;
  }
  Place place{gaps.back().offset, least};
  if (smallest)
    place = {smallest->offset, most};
  else if (largest)
    place = *largest;
  place.bytes = std::max(place.bytes, least);
  end = std::max(end, place.offset + place.bytes);
  mostPlaced = std::max(mostPlaced, place.bytes);
  return place;
}
