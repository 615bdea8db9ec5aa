//===- TrainingStep.cpp - where the forward ends --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/TrainingStep.h"
#include "MemOpt/Analysis/Storage.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// What makes a function a step
//===----------------------------------------------------------------------===//

static bool isBuffer(Type type) { return isa<BaseMemRefType>(type); }

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// Why `function` can be no training step, whatever its forward results are.
static std::optional<std::string> refuse(func::FuncOp function) {
  if (function.isExternal())
    return "it has no body";
  if (!function.getBody().hasOneBlock())
    return "it has more than one block";
  if (llvm::any_of(function.getArgumentTypes(), isBuffer))
    return "it works on buffers, and a step is read on tensors, before "
           "bufferization";
  TypeRange results = function.getResultTypes();
  if (llvm::count_if(results, llvm::IsaPred<TensorType>) < 2)
    return "it returns fewer than two tensors, and a step returns the loss and "
           "gradients";
  if (llvm::none_of(results, isFloatTensor))
    return "it returns no tensor of floats, so there is no gradient";
  auto found = function.walk([](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isBuffer)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return "it works on buffers, and a step is read on tensors, before "
           "bufferization";
  return std::nullopt;
}

/// The op of the step's block that makes `value`: the one that makes its
/// storage, or, where an argument is returned through views, the first of them.
static Operation *getMaker(Value value) {
  Operation *maker = value.getDefiningOp();
  while (Value source = getViewedValue(value)) {
    value = source;
    if (Operation *op = value.getDefiningOp())
      maker = op;
  }
  return maker;
}

std::optional<std::string> TrainingStep::divide(func::FuncOp candidate,
                                                ArrayRef<int64_t> wanted) {
  if (auto reason = refuse(candidate))
    return reason;
  function = candidate;
  forwardResults.assign(wanted.begin(), wanted.end());
  if (forwardResults.empty())
    forwardResults.push_back(0);
  llvm::sort(forwardResults);
  forwardResults.erase(llvm::unique(forwardResults), forwardResults.end());
  for (auto [i, op] : llvm::enumerate(getBody()))
    position[&op] = i;

  OperandRange results = getBody().getTerminator()->getOperands();
  for (int64_t index : forwardResults) {
    if (index < 0 || index >= int64_t(results.size()))
      return ("forward result " + Twine(index) +
              " is out of range: it returns " + Twine(results.size()) +
              " values")
          .str();
    Operation *maker = getMaker(results[index]);
    if (!maker)
      return ("forward result " + Twine(index) +
              " is an argument: no op makes it")
          .str();
    if (!forwardEnd || getPosition(forwardEnd) < getPosition(maker))
      forwardEnd = maker;
  }
  for (Value result : results)
    if (Operation *maker = getMaker(result); maker && !isForward(maker))
      return std::nullopt;
  return "no result is made after the forward's end, so there is no backward";
}

void TrainingStep::collectForwardSlice() {
  SmallVector<Value> worklist;
  for (int64_t index : forwardResults)
    worklist.push_back(getBody().getTerminator()->getOperand(index));
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    op = op ? getBody().findAncestorOpInBlock(*op) : nullptr;
    if (!op || !slice.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      llvm::append_range(worklist, inner->getOperands());
    });
  }
}

int64_t TrainingStep::getPosition(Operation *op) const {
  Operation *ancestor = getBody().findAncestorOpInBlock(*op);
  return position.lookup(ancestor);
}

//===----------------------------------------------------------------------===//
// Which function it is
//===----------------------------------------------------------------------===//

static InFlightDiagnostic refuseFunction(func::FuncOp function,
                                         const Twine &reason) {
  return emitError(function.getLoc())
         << "@" << function.getName() << " is no training step: " << reason;
}

FailureOr<TrainingStep> TrainingStep::find(ModuleOp module,
                                           const TrainingStepOptions &options) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (options.function.empty()
            ? !function.isPrivate() && !function.isExternal()
            : function.getName() == options.function)
      functions.push_back(function);
  if (functions.empty() && !options.function.empty())
    return emitError(module.getLoc(), "there is no function @")
           << options.function;

  SmallVector<TrainingStep> steps;
  SmallVector<std::pair<func::FuncOp, std::string>> refused;
  for (func::FuncOp function : functions) {
    TrainingStep step;
    if (auto reason = step.divide(function, options.forwardResults))
      refused.emplace_back(function, *reason);
    else
      steps.push_back(std::move(step));
  }
  if (steps.size() == 1) {
    steps.front().collectForwardSlice();
    return std::move(steps.front());
  }
  if (steps.empty() && refused.size() == 1)
    return refuseFunction(refused.front().first, refused.front().second);
  if (steps.empty()) {
    InFlightDiagnostic diag =
        emitError(module.getLoc(), "no function looks like a training step");
    for (auto &[function, reason] : refused)
      diag.attachNote(function.getLoc())
          << "@" << function.getName() << ": " << reason;
    return diag;
  }
  InFlightDiagnostic diag = emitError(
      module.getLoc(), "more than one function could be the training step: "
                       "name one with function=");
  for (TrainingStep &step : steps)
    diag.attachNote(step.getFunction().getLoc())
        << "@" << step.getFunction().getName() << " could be";
  return diag;
}
