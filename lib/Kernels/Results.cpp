//===- Results.cpp - how a step's results lie in memory
//--------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

static bool isReshapeOp(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, FenceOp>(op);
}

bool memopt::isReshape(Value value) {
  while (Value source = getViewedValue(value)) {
    if (!isReshapeOp(value.getDefiningOp()))
      return false;
    value = source;
  }
  return true;
}

/// True where `value` has each element of its storage once, in any order.
static bool isRearrangement(Value value) {
  while (Value source = getViewedValue(value)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(value.getDefiningOp());
    bool permutes =
        linalgOp && linalgOp->getNumResults() == 1 &&
        llvm::all_of(linalgOp.getIndexingMapsArray(),
                     [](AffineMap map) { return map.isPermutation(); });
    if (!permutes && !isReshapeOp(value.getDefiningOp()))
      return false;
    value = source;
  }
  return true;
}

/// The kernels that reduce rows or columns.
static std::vector<char> findReductions(const StepGraph &graph,
                                        const FusionPlan &fusion) {
  std::vector<char> reduces(fusion.getKernelCount(), 0);
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    OpClass opClass = graph.ops[o].opClass;
    reduces[fusion.kernelOf[o]] |= opClass == OpClass::RowReduction ||
                                   opClass == OpClass::ColumnReduction;
  }
  return reduces;
}

std::vector<Value> memopt::chooseLayouts(Block &step,
                                         const BuiltStepGraph &built,
                                         const FusionPlan &fusion) {
  std::vector<Value> layouts(built.values.size());
  std::vector<char> fixed(built.values.size(), 0);
  std::vector<char> reduces = findReductions(built.graph, fusion);
  for (size_t o = 0; o < built.ops.size(); ++o)
    for (const StepOperand &operand : built.graph.ops[o].operands)
      if (int maker = built.graph.values[operand.value].op; maker >= 0)
        fixed[operand.value] |= fusion.kernelOf[maker] != fusion.kernelOf[o];
  for (Value result : step.getTerminator()->getOperands()) {
    int value = built.lookup(result);
    if (value < 0 || built.graph.values[value].op < 0)
      continue;
    // Two results of different layouts: one of them is a copy. A reduction
    // writes its outputs as it goes through its rows.
    fixed[value] |=
        isReshape(result) || (layouts[value] && layouts[value] != result) ||
        reduces[fusion.kernelOf[built.graph.values[value].op]];
    if (isRearrangement(result))
      layouts[value] = result;
  }
  for (size_t v = 0; v < layouts.size(); ++v)
    if (fixed[v])
      layouts[v] = Value();
  return layouts;
}
