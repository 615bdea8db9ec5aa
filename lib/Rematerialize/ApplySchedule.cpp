//===- ApplySchedule.cpp - a plan put into the IR -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Rematerialize/ApplySchedule.h"
#include "Fences.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace memopt;

/// True where only the shape of the operand matters, so that the planner's
/// graph has no edge for it.
static bool isShapeOnly(OpOperand &operand) {
  return isUnread(operand) ||
         isa<tensor::DimOp, tensor::RankOp>(operand.getOwner());
}

/// The values from outside `op` that it uses, its regions included; without
/// operands of which only the shape is used.
static SetVector<Value> getUsedValues(Operation *op) {
  SetVector<Value> used;
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (!op->isAncestor(operand.get().getParentBlock()->getParentOp()) &&
          !isUnread(operand))
        used.insert(operand.get());
  });
  return used;
}

//===----------------------------------------------------------------------===//
// What cannot be reordered
//===----------------------------------------------------------------------===//

static LogicalResult checkShapes(const TrainingStep &step,
                                 const BuiltStepGraph &built) {
  for (Operation &op : step.getBody())
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isShapeOnly(operand) || built.lookup(operand.get()) < 0)
        continue;
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (isa<BlockArgument>(getStorage(operand.get())) ||
          (isUnread(operand) && type && type.hasStaticShape()))
        continue;
      return op.emitError("cannot reorder this op: it needs the shape of a ")
             << operand.get().getType() << " that the step computes";
    }
  return success();
}

/// Multi-result ops of which one result only shows an operand.
static LogicalResult checkResults(const BuiltStepGraph &built) {
  for (Operation *op : built.ops)
    for (Value result : op->getResults())
      if (!result.use_empty() && !built.valueIndex.contains(result))
        return op->emitError("cannot reorder this op: one of its results is an "
                             "operand unchanged; run canonicalize first");
  return success();
}

//===----------------------------------------------------------------------===//
// Placing ops
//===----------------------------------------------------------------------===//

namespace {
/// Where the operands of one run come from.
using Sources = llvm::DenseMap<Value, Value>;

class Applier {
public:
  Applier(const TrainingStep &step, const BuiltStepGraph &built,
          const Schedule &schedule, const ScheduleReads &reads, bool fences)
      : body(step.getBody()), built(built), schedule(schedule), reads(reads),
        fences(fences), builder(body.getTerminator()) {}

  void apply() {
    SmallVector<Operation *> originals;
    for (Operation &op : body.without_terminator())
      originals.push_back(&op);
    runs.resize(schedule.order.size());
    for (size_t position = 0; position < runs.size(); ++position)
      placeRun(position);
    rewire(body.getTerminator(), Sources());
    for (Operation *op : llvm::reverse(originals))
      if (!placed.contains(op))
        op->erase();
    if (fences)
      fenceRepeats(body, lastForward);
  }

private:
  void placeRun(size_t position);
  Sources getSources(size_t position);
  Operation *clone(Operation *op, const Sources &sources, size_t position);
  void rewire(Operation *op, const Sources &sources);
  SmallVector<std::pair<unsigned, Value>> getShapes(Operation *op,
                                                    Value fenced);
  void place(Operation *op);
  template <typename OpT> OpT note(OpT op) {
    created.insert(op);
    return op;
  }

  Value resolve(Value value, const Sources &sources);
  Value resolveGlue(OpResult value, const Sources &sources);
  Value resolveFence(FenceOp fence, const Sources &sources);

  bool needsFence(size_t position) const;
  bool needsInputFence(size_t position) const;
  bool isRecomputed(Value operand, size_t position) const;
  Value buildFence(Value value);

  Block &body;
  const BuiltStepGraph &built;
  const Schedule &schedule;
  const ScheduleReads &reads;
  bool fences;
  OpBuilder builder;

  /// The op that is each run of the schedule.
  std::vector<Operation *> runs;
  llvm::DenseSet<Operation *> placed;
  /// Ops that the step did not have; they stand where they are needed.
  llvm::DenseSet<Operation *> created;
  /// Glue by the op it was and its operands.
  llvm::DenseMap<Operation *,
                 SmallVector<std::pair<SmallVector<Value>, Operation *>>>
      glue;
  /// The fences of the present run of recomputed ops, and where it began.
  llvm::DenseMap<Value, Value> fenceOf;
  size_t runBegin = 0;
  /// The last value that was computed and not recomputed.
  Value latest;
  Operation *lastForward = nullptr;
};
} // namespace

void Applier::place(Operation *op) {
  op->moveBefore(body.getTerminator());
  placed.insert(op);
}

void Applier::placeRun(size_t position) {
  Run run = schedule.order[position];
  Operation *op = built.ops[run.op];
  Sources sources = getSources(position);
  if (run.copy > 0) {
    if (position == 0 || schedule.order[position - 1].copy == 0) {
      runBegin = position;
      fenceOf.clear();
    }
    runs[position] = clone(op, sources, position);
    return;
  }
  bool fenceInput = needsInputFence(position);
  rewire(op, sources);
  if (fenceInput) {
    auto grad = cast<NormGradOp>(op);
    fenceOf.clear();
    grad.getXMutable().assign(buildFence(grad.getX()));
  }
  place(op);
  runs[position] = op;
  if (Value awaited = getAwaited(op))
    latest = awaited;
  if (isForwardRun(built.graph, run))
    lastForward = op;
}

Sources Applier::getSources(size_t position) {
  Sources sources;
  const StepOp &op = built.graph.ops[schedule.order[position].op];
  for (size_t i = 0; i < op.operands.size(); ++i) {
    Value value = built.values[op.operands[i].value];
    if (int source = reads.source[reads.begin[position] + i]; source >= 0)
      sources[value] =
          runs[source]->getResult(cast<OpResult>(value).getResultNumber());
  }
  return sources;
}

Operation *Applier::clone(Operation *op, const Sources &sources,
                          size_t position) {
  Value fenced = fences && needsFence(position) ? chooseFenced(op) : Value();
  IRMapping mapping;
  for (Value value : getUsedValues(op)) {
    Value source = resolve(value, sources);
    mapping.map(value, value == fenced ? buildFence(source) : source);
  }
  auto shapes = getShapes(op, mapping.contains(fenced) ? Value() : fenced);
  Operation *copy = note(op->clone(mapping));
  builder.insert(copy);
  for (auto [number, shape] : shapes)
    copy->setOperand(number, shape);
  return copy;
}

void Applier::rewire(Operation *op, const Sources &sources) {
  llvm::DenseMap<Value, Value> mapping;
  for (Value value : getUsedValues(op))
    mapping[value] = resolve(value, sources);
  auto shapes = getShapes(op, {});
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (Value source = mapping.lookup(operand.get()))
        operand.set(source);
  });
  for (auto [number, shape] : shapes)
    op->setOperand(number, shape);
}

/// The operands of which the op only uses the shape, by number. What
/// another op computes gives way to an empty: it may come later now, and is
/// nothing to wait for.
SmallVector<std::pair<unsigned, Value>> Applier::getShapes(Operation *op,
                                                           Value fenced) {
  SmallVector<std::pair<unsigned, Value>> shapes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isUnread(operand))
      continue;
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.hasStaticShape() && !isWeightless(getStorage(value))) {
      value = note(tensor::EmptyOp::create(
          builder, op->getLoc(), type.getShape(), type.getElementType()));
    } else {
      value = resolve(value, Sources());
    }
    if (operand.get() == fenced)
      value = buildFence(value);
    shapes.push_back({operand.getOperandNumber(), value});
  }
  return shapes;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Applier::resolve(Value value, const Sources &sources) {
  if (Value source = sources.lookup(value))
    return source;
  auto result = dyn_cast<OpResult>(value);
  if (!result || built.opIndex.contains(result.getOwner()) ||
      created.contains(result.getOwner()) ||
      result.getOwner()->getBlock() != &body)
    return value;
  return resolveGlue(result, sources);
}

/// The glue that makes `value`, on the operands that this run reads: moved here
/// by its first reader, shared by those with the same operands.
Value Applier::resolveGlue(OpResult value, const Sources &sources) {
  Operation *op = value.getOwner();
  if (auto fence = dyn_cast<FenceOp>(op))
    return resolveFence(fence, sources);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(resolve(operand, sources));
  auto &variants = glue[op];
  for (auto &[its, variant] : variants)
    if (its == operands)
      return variant->getResult(value.getResultNumber());
  Operation *variant = op;
  if (llvm::equal(operands, op->getOperands())) {
    place(op);
  } else {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(op->getOperands(), operands))
      mapping.map(from, to);
    variant = note(op->clone(mapping));
    builder.insert(variant);
  }
  variants.push_back({operands, variant});
  return variant->getResult(value.getResultNumber());
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// A fence that the step had already (memopt-share-norm-output makes some).
/// What it waits for may come later now; it waits for the last value before its
/// first reader instead.
Value Applier::resolveFence(FenceOp fence, const Sources &sources) {
  Value x = resolve(fence.getX(), sources);
  if (!latest)
    return x;
  auto &variants = glue[fence];
  for (auto &[its, variant] : variants)
    if (its.front() == x)
      return variant->getResult(0);
  Operation *variant = fence;
  if (x == fence.getX()) {
    fence.getAfterMutable().assign(latest);
    place(fence);
  } else {
    variant =
        note(FenceOp::create(builder, fence.getLoc(), x.getType(), x, latest));
  }
  variants.push_back({{x}, variant});
  return variant->getResult(0);
}

/// True where the run at `position` reads `operand` from a recomputation.
bool Applier::isRecomputed(Value operand, size_t position) const {
  int value = built.lookup(operand);
  const StepOp &op = built.graph.ops[schedule.order[position].op];
  for (size_t i = 0; i < op.operands.size(); ++i)
    if (op.operands[i].value == value) {
      int source = reads.source[reads.begin[position] + i];
      return source >= 0 && schedule.order[source].copy > 0;
    }
  return false;
}

/// True where the op reads nothing that was recomputed in this very run. An op
/// that is lowered to several asks for the operand that all of them read.
bool Applier::needsFence(size_t position) const {
  Operation *op = built.ops[schedule.order[position].op];
  if (!latest)
    return false;
  if (isa_and_nonnull<MemOptDialect>(op->getDialect()))
    return !isRecomputed(op->getOperand(0), position);
  for (int i = reads.begin[position]; i < reads.begin[position + 1]; ++i)
    if (reads.source[i] >= int(runBegin))
      return false;
  return true;
}

/// A norm's gradient is lowered to the statistics of its input once more. Where
/// that input is the forward's, cse would find them there and keep more of the
/// forward than was planned.
bool Applier::needsInputFence(size_t position) const {
  auto grad = dyn_cast<NormGradOp>(built.ops[schedule.order[position].op]);
  return fences && grad && latest &&
         !isForwardRun(built.graph, schedule.order[position]) &&
         !isRecomputed(grad.getX(), position);
}

Value Applier::buildFence(Value value) {
  Value &fence = fenceOf[value];
  if (!fence)
    fence = note(FenceOp::create(builder, value.getLoc(), value.getType(),
                                 value, latest));
  return fence;
}

LogicalResult memopt::applySchedule(const TrainingStep &step,
                                    const BuiltStepGraph &built,
                                    const Schedule &schedule, bool fences) {
  if (failed(checkShapes(step, built)) || failed(checkResults(built)))
    return failure();
  ScheduleReads reads;
  std::string error = resolveReads(built.graph, schedule, reads);
  if (!error.empty())
    return emitError(func::FuncOp(step.getFunction()).getLoc())
           << "the plan is not sane: " << error;
  Applier(step, built, schedule, reads, fences).apply();
  return success();
}
