//===- LiveRanges.cpp - from when to when a buffer holds something -------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"
#include "MemOpt/Analysis/Storage.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace memopt;

Value memopt::getViewedBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

static FailureOr<LiveBuffer> measure(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  std::string why = "its layout is no row-major order";
  std::optional<int64_t> bytes;
  if (type.getLayout().isIdentity())
    bytes = getByteSize(
        RankedTensorType::get(type.getShape(), type.getElementType()), &why);
  if (!bytes)
    return alloc.emitError("memopt-plan-memory: this buffer of ")
           << type << " has no place in an arena: " << why;
  return LiveBuffer{alloc, *bytes};
}

FailureOr<SmallVector<LiveBuffer>>
memopt::computeLiveRanges(func::FuncOp step) {
  llvm::MapVector<Value, LiveBuffer> buffers;
  int count = 0;
  for (Operation &op : step.front()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      FailureOr<LiveBuffer> buffer = measure(alloc);
      if (failed(buffer))
        return failure();
      buffers[alloc] = *buffer;
    }
    if (isa<memref::AllocOp, ViewLikeOpInterface>(op))
      continue;
    bool touches = false;
    for (Value operand : op.getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      touches = true;
      auto *entry = buffers.find(getViewedBuffer(operand));
      if (entry == buffers.end())
        continue;
      LiveBuffer &buffer = entry->second;
      // What is returned is there after the last op.
      buffer.last =
          op.hasTrait<OpTrait::IsTerminator>() ? std::max(0, count - 1) : count;
      if (buffer.first < 0)
        buffer.first = buffer.last;
    }
    count += touches && !op.hasTrait<OpTrait::IsTerminator>();
  }
  SmallVector<LiveBuffer> result;
  for (auto &[value, buffer] : buffers)
    result.push_back(buffer);
  return result;
}
