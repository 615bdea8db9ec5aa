//===- BuildStepGraph.cpp - from IR to the planner's graph ----------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/BuildStepGraph.h"
#include "MemOpt/Analysis/DimBounds.h"
#include "MemOpt/Analysis/Effects.h"
#include "MemOpt/Analysis/Iteration.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace memopt;

int BuiltStepGraph::lookup(Value value) const {
  auto entry = valueIndex.find(getStorage(value));
  return entry == valueIndex.end() ? -1 : entry->second;
}

/// True where the op computes nothing that takes memory or must be ordered: it
/// shows, fills or measures a tensor where that is asked for.
static bool isGlue(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::DimOp, tensor::RankOp>(op))
    return true;
  return op->getNumResults() && isFunctional(op) &&
         llvm::all_of(op->getResults(), [](Value result) {
           return isa<TensorType>(result.getType()) &&
                  (getViewedValue(result) || isWeightless(result));
         });
}

namespace {
class GraphBuilder {
public:
  explicit GraphBuilder(const TrainingStep &step)
      : step(step), flow(step.getBody()), state(step.getFunction()) {}

  FailureOr<BuiltStepGraph> build() {
    for (BlockArgument argument : step.getBody().getArguments())
      if (isa<TensorType>(argument.getType()) &&
          failed(addValue(argument, argument.use_empty())))
        return failure();
    for (Operation &op : step.getBody().without_terminator())
      if (flow.isLive(&op) && !isGlue(&op) && failed(addOp(&op)))
        return failure();
    for (Value result : step.getBody().getTerminator()->getOperands())
      if (int value = built.lookup(result); value >= 0)
        built.graph.values[value].returned = true;
    std::string error = built.graph.check();
    if (!error.empty())
      return emitError(func::FuncOp(step.getFunction()).getLoc())
             << "the step's graph: " << error;
    return std::move(built);
  }

private:
  /// An argument that nobody reads may have any size.
  LogicalResult addValue(Value value, bool unused = false) {
    StepValue entry;
    entry.op = value.getDefiningOp() ? int(built.graph.ops.size()) : -1;
    if (isa<TensorType>(value.getType()) && !unused) {
      FailureOr<int64_t> bytes = requireByteSize(value);
      if (failed(bytes))
        return failure();
      entry.bytes = *bytes;
    }
    entry.name = getName(value);
    built.valueIndex[value] = built.values.size();
    built.values.push_back(value);
    built.graph.values.push_back(std::move(entry));
    return success();
  }

  LogicalResult addOp(Operation *op) {
    StepOp entry;
    for (Value result : op->getResults()) {
      bool isMade = !result.use_empty() || isa<KernelOp>(op) ||
                    !isa<MemOptDialect>(op->getDialect());
      if (!isMade ||
          (isa<TensorType>(result.getType()) && getViewedValue(result)))
        continue;
      entry.results.push_back(built.values.size());
      if (failed(addValue(result)))
        return failure();
    }
    FailureOr<Iteration> iteration = getIteration(op);
    if (failed(iteration))
      return failure();
    entry.opClass = iteration->opClass;
    entry.points = iteration->points;
    entry.rowLength = iteration->rowLength;
    entry.flops = iteration->flops;
    entry.elementBytes = iteration->elementBytes;
    entry.recomputable = mayRunAgain(op);
    entry.movable = isFunctional(op);
    for (Value storage : getReadStorages(op))
      if (int value = built.lookup(storage); value >= 0)
        entry.operands.push_back({value, iteration->aligned.contains(storage)});
    built.opIndex[op] = built.ops.size();
    built.ops.push_back(op);
    built.graph.ops.push_back(std::move(entry));
    if (step.isForward(op))
      built.graph.forwardEnd = built.graph.ops.size();
    return success();
  }

  /// The storages that the op reads, and the scalars that it or the glue before
  /// it uses, each once, in order.
  SetVector<Value> getReadStorages(Operation *op) {
    SetVector<Value> storages;
    forEachRead(op, [&](Value value) { storages.insert(getStorage(value)); });
    forEachGlue(op, [&](Operation *glue) {
      for (Value operand : glue->getOperands())
        if (!isa<TensorType>(operand.getType()))
          storages.insert(operand);
    });
    return storages;
  }

  /// The glue that `op` reads through, inits included.
  void forEachGlue(Operation *op, function_ref<void(Operation *)> callback) {
    SmallVector<Operation *> work{op};
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!work.empty()) {
      Operation *at = work.pop_back_val();
      at->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *maker = operand.getDefiningOp();
          if (maker && maker->getBlock() == &step.getBody() && isGlue(maker) &&
              seen.insert(maker).second) {
            callback(maker);
            work.push_back(maker);
          }
        }
      });
    }
  }

  /// `%12 linalg.matmul`, by the location's name where it has one.
  std::string getName(Value value) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto name = dyn_cast<NameLoc>(value.getLoc()))
      os << name.getName().getValue();
    else
      value.printAsOperand(os, state);
    if (Operation *op = value.getDefiningOp())
      os << ' ' << op->getName();
    return text;
  }

  const TrainingStep &step;
  BlockFlow flow;
  AsmState state;
  BuiltStepGraph built;
};
} // namespace

/// The graph of a copy, as one of the step that it was copied from.
static void translate(BuiltStepGraph &built, const TrainingStep &step,
                      const IRMapping &toCopy) {
  llvm::DenseMap<Operation *, Operation *> ops;
  llvm::DenseMap<Value, Value> values;
  for (BlockArgument argument : step.getBody().getArguments())
    values[toCopy.lookup<Value>(argument)] = argument;
  for (Operation &op : step.getBody()) {
    ops[toCopy.lookup(&op)] = &op;
    for (Value result : op.getResults())
      values[toCopy.lookup(result)] = result;
  }
  built.opIndex.clear();
  for (auto [i, op] : llvm::enumerate(built.ops)) {
    op = ops.lookup(op);
    built.opIndex[op] = i;
  }
  built.valueIndex.clear();
  for (auto [i, value] : llvm::enumerate(built.values)) {
    value = values.lookup(value);
    built.valueIndex[value] = i;
  }
}

FailureOr<BuiltStepGraph> memopt::buildStepGraph(const TrainingStep &step) {
  FailureOr<BoundedStep> bounded = BoundedStep::make(step);
  if (failed(bounded))
    return failure();
  FailureOr<BuiltStepGraph> built = GraphBuilder(bounded->getStep()).build();
  if (succeeded(built) && bounded->isCopy())
    translate(*built, step, bounded->getMapping());
  return built;
}
