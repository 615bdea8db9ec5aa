//===- Raise.cpp - the pass memopt-raise ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Analysis/Stage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "MemOpt/Raise/Passes.h"
#include "Rewrite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace memopt {
#define GEN_PASS_DEF_RAISE
#include "MemOpt/Raise/Passes.h.inc"
} // namespace memopt

using namespace mlir;
using namespace memopt;
using namespace memopt::raising;

static std::string formatDeviation(double deviation) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1e", deviation);
  return text;
}

/// Says how far off a function is that is close to an activation.
static void remarkClose(const ScalarGraph &graph,
                        const ActivationMatch &match) {
  auto kind = static_cast<ActivationKind>(match.kind);
  InFlightDiagnostic remark =
      graph[match.y].definitions[0].getDefiningOp()->emitRemark();
  remark << "close to " << stringifyActivationKind(kind) << " but off by "
         << formatDeviation(match.deviation);
  for (const ActivationGradient &gradient : match.gradients)
    remark << ", its gradient by " << formatDeviation(gradient.deviation);
  remark << " (relative): left as it is";
}

/// The same for gradients of a function that is equal to one.
static void remarkCloseGradients(const ScalarGraph &graph,
                                 const ActivationMatch &match) {
  auto kind = static_cast<ActivationKind>(match.kind);
  for (const ActivationGradient &gradient : match.closeGradients)
    graph[gradient.v].definitions[0].getDefiningOp()->emitRemark()
        << "close to the gradient of " << stringifyActivationKind(kind)
        << " but off by " << formatDeviation(gradient.deviation)
        << " (relative): left as it is";
}

namespace {
struct Raise : memopt::impl::RaiseBase<Raise> {
  using RaiseBase::RaiseBase;

  void runOnOperation() override;
  FailureOr<SmallVector<Value>> getForwardResults(Operation *terminator);
};
} // namespace

FailureOr<SmallVector<Value>> Raise::getForwardResults(Operation *terminator) {
  SmallVector<Value> values;
  int64_t count = terminator->getNumOperands();
  for (int64_t index : forwardResults) {
    if (index < 0 || index >= count)
      return getOperation().emitError("memopt-raise: forward result ")
             << index << " does not exist; the function has " << count
             << " results";
    values.push_back(terminator->getOperand(index));
  }
  if (forwardResults.empty() && count > 0)
    values.push_back(terminator->getOperand(0));
  return values;
}

/// The last op, in program order, that makes one of `results`.
static Operation *getForwardEnd(ArrayRef<Value> results, Block &block) {
  Operation *end = nullptr;
  for (Value value : results)
    if (Operation *op = value.getDefiningOp();
        op && op->getBlock() == &block && (!end || end->isBeforeInBlock(op)))
      end = op;
  return end;
}

void Raise::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!(acceptDeviation >= 0 && acceptDeviation <= largestDeviation)) {
    function.emitError(
        "memopt-raise: accept-deviation must be from 0 to 0.01, got ")
        << llvm::formatv("{0}", acceptDeviation.getValue()).str();
    return signalPassFailure();
  }
  if (!llvm::hasSingleElement(function.getBody()))
    return;
  Block &block = function.getBody().front();
  FailureOr<SmallVector<Value>> results =
      getForwardResults(block.getTerminator());
  if (failed(results))
    return signalPassFailure();

  ScalarGraph graph(block);
  llvm::BitVector forward = computeForwardSlice(graph, *results);
  Plan plan(graph, forward);
  RewriteContext context{graph, forward, getForwardEnd(*results, block), plan};
  ActivationMatches activations =
      findActivations(graph, forward, acceptDeviation);
  for (const ActivationMatch &match : activations.exact) {
    planActivation(context, match);
    remarkCloseGradients(graph, match);
  }
  for (const ActivationMatch &match : activations.close)
    remarkClose(graph, match);
  for (const NormMatch &match : findNorms(graph, forward))
    planNorm(context, match);
  plan.apply();
  setRaised(function, true);
}
