//===- JoinKernels.cpp - two kernels of the plan in one launch ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinKernels.h"
#include "GpuWalk.h"
#include "MemOpt/Codegen/Memory.h"
#include "Traffic.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Which bytes
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a buffer within an argument of the step; all memory without a
/// base.
struct Place {
  Value base;
  int64_t begin = 0, end = 0;

  bool meets(const Place &other) const {
    if (!base || !other.base)
      return true;
    return base == other.base && begin < other.end && other.begin < end;
  }
};

/// What an op between the kernels of a step, or a kernel, touches.
struct Effects {
  SmallVector<Place> reads, writes;
};
} // namespace

static Place getPlace(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  if (isa<BlockArgument>(buffer))
    return {buffer, 0, bytes};
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  IntegerAttr shift;
  if (!view || !isa<BlockArgument>(view.getSource()) ||
      !matchPattern(view.getByteShift(), m_Constant(&shift)))
    return {};
  return {view.getSource(), shift.getInt(), shift.getInt() + bytes};
}

static Effects getEffects(Operation *op) {
  Effects effects;
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    for (Value input : kernel.getInputs())
      if (isa<MemRefType>(input.getType()))
        effects.reads.push_back(getPlace(input));
    for (Value output : kernel.getOutputs())
      effects.writes.push_back(getPlace(output));
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    effects.reads.push_back(getPlace(load.getMemref()));
  } else if (!isMemoryEffectFree(op) && !isa<cf::AssertOp>(op)) {
    effects.reads.push_back({});
    effects.writes.push_back({});
  }
  return effects;
}

static bool meet(ArrayRef<Place> a, ArrayRef<Place> b) {
  return llvm::any_of(a, [&](const Place &x) {
    return llvm::any_of(b, [&](const Place &y) { return x.meets(y); });
  });
}

/// Whether two ops may change places.
static bool areIndependent(const Effects &a, const Effects &b) {
  return !meet(a.writes, b.reads) && !meet(a.reads, b.writes) &&
         !meet(a.writes, b.writes);
}

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

static bool isJoinable(KernelOp kernel) {
  bool isKnown = kernel.getKind() == KernelKind::elementwise ||
                 kernel.getKind() == KernelKind::row_reduction ||
                 kernel.getKind() == KernelKind::column_reduction;
  return isKnown && !kernel.getInPlace();
}

/// Points and columns go different ways.
static bool areAlike(KernelOp a, KernelOp b) {
  auto are = [&](KernelKind one, KernelKind other) {
    return (a.getKind() == one && b.getKind() == other) ||
           (a.getKind() == other && b.getKind() == one);
  };
  return !are(KernelKind::elementwise, KernelKind::column_reduction);
}

static KernelKind getJoinedKind(KernelOp a, KernelOp b) {
  for (KernelKind kind :
       {KernelKind::row_reduction, KernelKind::column_reduction})
    if (a.getKind() == kind || b.getKind() == kind)
      return kind;
  return KernelKind::elementwise;
}

/// Bytes of the inputs that both read.
static int64_t getSharedBytes(KernelOp a, KernelOp b) {
  int64_t bytes = 0;
  for (Value input : a.getInputs())
    if (isa<MemRefType>(input.getType()) &&
        llvm::is_contained(b.getInputs(), input))
      bytes += getPlace(input).end - getPlace(input).begin;
  return bytes;
}

/// Bytes that the code of a kernel moves; nothing where it has none, or goes
/// along its rows several times.
static std::optional<int64_t> getMovedBytes(KernelOp kernel,
                                            const GpuChip &chip) {
  ScopedDiagnosticHandler silence(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
  FailureOr<KernelProgram> program = buildKernelProgram(kernel);
  if (failed(program) || program->empty)
    return std::nullopt;
  FailureOr<std::unique_ptr<GpuWalk>> walk = chooseGpuWalk(*program, chip);
  if (failed(walk))
    return std::nullopt;
  SmallVector<GpuParameter> parameters;
  for (Value operand : kernel->getOperands()) {
    bool isBuffer = isa<MemRefType>(operand.getType());
    Place place = isBuffer ? getPlace(operand) : Place{{}, 0, 8};
    parameters.push_back({operand, place.end - place.begin, true});
  }
  int64_t bytes = 0;
  for (const GpuStage &stage : (*walk)->getStages()) {
    if (stage.loads.size() > 1)
      return std::nullopt;
    GpuTraffic traffic = getTraffic(*program, stage, parameters);
    bytes += traffic.read + traffic.written;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Both bodies one after the other, at the place of the first; both remain.
static KernelOp makeJoined(KernelOp a, KernelOp b) {
  OpBuilder builder(a);
  SmallVector<Value> inputs(a.getInputs()), outputs(a.getOutputs());
  for (Value input : b.getInputs())
    if (!llvm::is_contained(inputs, input))
      inputs.push_back(input);
  llvm::append_range(outputs, b.getOutputs());
  KernelKind kind = getJoinedKind(a, b);
  auto joined = KernelOp::create(builder, a.getLoc(), TypeRange(), kind, inputs,
                                 outputs, DenseI64ArrayAttr());
  Block *body = builder.createBlock(&joined.getBody());
  SmallVector<Value> yielded;
  for (Value input : inputs) {
    Type type = input.getType();
    if (auto buffer = dyn_cast<MemRefType>(type))
      type = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
    body->addArgument(type, a.getLoc());
  }
  for (KernelOp kernel : {a, b}) {
    IRMapping mapping;
    Block &from = kernel.getBody().front();
    for (auto [argument, input] :
         llvm::zip_equal(from.getArguments(), kernel.getInputs()))
      mapping.map(argument, body->getArgument(std::distance(
                                inputs.begin(), llvm::find(inputs, input))));
    for (Operation &op : from.without_terminator())
      builder.clone(op, mapping);
    for (Value value : kernel.getYielded())
      yielded.push_back(mapping.lookup(value));
  }
  YieldOp::create(builder, a.getLoc(), yielded);
  return joined;
}

/// Moves the operands of `kernel` in front of `place`: views and constants.
static bool hoistOperands(KernelOp kernel, Operation *place) {
  SmallVector<Operation *> moved;
  auto isBehind = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && !op->isBeforeInBlock(place);
  };
  for (Value operand : kernel->getOperands()) {
    if (!isBehind(operand))
      continue;
    auto view = operand.getDefiningOp<memref::ViewOp>();
    if (!view)
      return false;
    if (isBehind(view.getByteShift()))
      moved.push_back(view.getByteShift().getDefiningOp());
    moved.push_back(view);
  }
  for (Operation *op : moved)
    op->moveBefore(place);
  return true;
}

/// Whether all from `first` up to `second` may run behind the latter.
static bool canMoveUp(KernelOp first, KernelOp second) {
  Effects effects = getEffects(second);
  for (Operation *op = first; op != second; op = op->getNextNode())
    if (!areIndependent(getEffects(op), effects))
      return false;
  return true;
}

static KernelOp tryJoin(KernelOp first, KernelOp second, const GpuChip &chip) {
  if (!areAlike(first, second) || !canMoveUp(first, second))
    return {};
  std::optional<int64_t> a = getMovedBytes(first, chip),
                         b = getMovedBytes(second, chip);
  // What is not worth a twentieth of the bytes is left as it was planned.
  if (!a || !b || getSharedBytes(first, second) * 20 < *a + *b ||
      !hoistOperands(second, first))
    return {};
  KernelOp joined = makeJoined(first, second);
  std::optional<int64_t> both = getMovedBytes(joined, chip);
  if (!both || (*a + *b - *both) * 20 < *a + *b) {
    joined.erase();
    return {};
  }
  first.erase();
  second.erase();
  return joined;
}

void memopt::joinKernels(func::FuncOp step, const GpuChip &chip) {
  // Further apart, other kernels have used the arena in between.
  constexpr unsigned window = 8;
  if (!step.getBody().hasOneBlock())
    return;
  SmallVector<KernelOp> before;
  for (Operation &op : llvm::make_early_inc_range(
           step.getBody().front().without_terminator())) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel)
      continue;
    for (KernelOp &earlier : llvm::reverse(before))
      if (isJoinable(kernel) && isJoinable(earlier) &&
          getSharedBytes(earlier, kernel))
        if (KernelOp joined = tryJoin(earlier, kernel, chip)) {
          earlier = joined;
          kernel = {};
          break;
        }
    if (kernel)
      before.push_back(kernel);
    if (before.size() > window)
      before.erase(before.begin());
  }
}
