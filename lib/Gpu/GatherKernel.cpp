//===- GatherKernel.cpp - elements made contiguous ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherKernel.h"
#include "MemOpt/Codegen/Memory.h"
#include "ThreadCode.h"
#include "TransposeKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace memopt;

/// Without loops of one point, and neighbours that are one loop joined.
static SmallVector<GatherLoop> joinLoops(ArrayRef<GatherLoop> loops) {
  SmallVector<GatherLoop> joined;
  for (GatherLoop loop : loops) {
    if (loop.size == 1)
      continue;
    if (!joined.empty() && joined.back().stride == loop.size * loop.stride) {
      loop.size *= joined.back().size;
      joined.pop_back();
    }
    joined.push_back(loop);
  }
  return joined;
}

/// Elements that one thread copies: as many as 16 bytes hold, if each such run
/// lies in one piece, on a boundary of its size.
static int64_t getWidth(ArrayRef<GatherLoop> loops, int64_t offset,
                        int64_t bytes) {
  if (loops.empty() || loops.back().stride != 1)
    return 1;
  int64_t width = 16 / bytes;
  auto fits = [&](int64_t w) {
    if (offset % w || loops.back().size % w)
      return false;
    return llvm::all_of(loops.drop_back(), [&](const GatherLoop &loop) {
      return loop.stride % w == 0;
    });
  };
  while (!fits(width))
    width /= 2;
  return width;
}

namespace {
struct Gather {
  Type element; // what a thread copies at once
  SmallVector<GatherLoop> loops;
  int64_t width;
  std::optional<Transposition> transposition = {};

  int64_t getUnits() const {
    int64_t units = 1;
    for (const GatherLoop &loop : loops)
      units *= loop.size;
    return units;
  }
};
} // namespace

/// The loops over runs of `width` elements; strides still count elements.
static Gather makeGather(Type element, ArrayRef<GatherLoop> loops,
                         int64_t offset) {
  Gather gather{element, joinLoops(loops), 1};
  int64_t bytes = getElementBytes(element);
  gather.transposition = findTransposition(gather.loops);
  gather.width = getWidth(gather.loops, offset, bytes);
  if (gather.width > 1) {
    gather.loops.back().size /= gather.width;
    gather.loops.back().stride = gather.width;
    gather.element = VectorType::get({gather.width}, getMemoryType(element));
  }
  return gather;
}

static void emitUnit(OpBuilder &b, Location loc, const Gather &gather,
                     Type element, Value unit, ValueRange pointers) {
  ThreadCode code{b, loc};
  Value to = arith::MulIOp::create(b, loc, unit, code.getInteger(gather.width));
  Value from = code.getInteger(0), rest = unit;
  for (const GatherLoop &loop : llvm::reverse(gather.loops)) {
    Value size = code.getInteger(loop.size);
    Value at = arith::RemUIOp::create(b, loc, rest, size);
    rest = arith::DivUIOp::create(b, loc, rest, size);
    at = arith::MulIOp::create(b, loc, at, code.getInteger(loop.stride));
    from = arith::AddIOp::create(b, loc, from, at);
  }
  int64_t alignment = gather.width * getElementBytes(element);
  Value address = getElementAddress(b, loc, pointers[0], element, from);
  Value value = loadElement(b, loc, gather.element, address, alignment);
  address = getElementAddress(b, loc, pointers[1], element, to);
  storeElement(b, loc, value, address, alignment);
}

bool memopt::isTransposition(ArrayRef<GatherLoop> loops) {
  return findTransposition(joinLoops(loops)).has_value();
}

void memopt::emitGatherKernel(GpuLauncher &launcher, Location loc, Type element,
                              ArrayRef<GatherLoop> loops, Value source,
                              int64_t offset, Value target, StringRef kind) {
  GpuModule &gpu = launcher.getModule();
  OpBuilder &host = launcher.getHost();
  Gather gather = makeGather(element, loops, offset);
  int64_t units = gather.getUnits(), bytes = getElementBytes(element);
  int64_t reached = gather.width, whole = units * gather.width * bytes;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kind << ' ' << gather.element;
  for (const GatherLoop &loop : gather.loops) {
    reached += (loop.size - 1) * loop.stride;
    os << ' ' << loop.size << ':' << loop.stride;
  }
  Value number = LLVM::ConstantOp::create(host, loc, host.getI64Type(),
                                          host.getI64IntegerAttr(offset));
  source = getElementAddress(host, loc, source, element, number);
  SmallVector<GpuParameter> parameters{{source, reached * bytes},
                                       {target, -whole}};
  GpuGeometry geometry = gather.transposition
                             ? getTransposeGeometry(*gather.transposition)
                             : getFlatGeometry(gpu.chip, units);
  LLVM::LLVMFuncOp function = gpu.device.lookup(text);
  if (!function) {
    std::string stem = kind.str();
    if (gather.transposition)
      stem += "_transposed";
    function = launcher.create(loc, text, stem, parameters, geometry);
    OpBuilder b = OpBuilder::atBlockEnd(&function.getBody().front());
    if (gather.transposition)
      emitTransposeKernel(b, loc, *gather.transposition, element,
                          function.getArguments());
    else
      ThreadCode{b, loc}.forEachUnit(geometry, units, [&](Value unit) {
        emitUnit(b, loc, gather, element, unit, function.getArguments());
      });
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }
  launcher.launch(loc, function, geometry, parameters);
  // Windows that overlap are read once.
  int64_t read = std::min(whole, reached * bytes);
  gpu.launches.push_back(
      {function.getName().str(), kind, {read, whole, read, whole}});
}
