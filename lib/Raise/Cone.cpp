//===- Cone.cpp - the ops behind a tensor ---------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cone.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace memopt::raising;

llvm::SetVector<Value> memopt::raising::collectReads(Operation *op) {
  llvm::SetVector<Value> reads;
  reads.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

/// True for an output tensor of which the body reads no element.
static bool givesOnlyShape(linalg::LinalgOp op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value &&
        (op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand)))
      return false;
  return isa<RankedTensorType>(value.getType()) &&
         cast<RankedTensorType>(value.getType()).hasStaticShape();
}

/// The values an op of a cone needs: not the outputs that give a shape alone.
static SmallVector<Value> collectNeeded(Operation *op) {
  SmallVector<Value> needed;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (Value value : collectReads(op))
    if (!linalgOp || !givesOnlyShape(linalgOp, value))
      needed.push_back(value);
  return needed;
}

static bool isConstant(const ScalarGraph &graph, Value value) {
  Operation *op = value.getDefiningOp();
  if (op && (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op)))
    return op->getNumOperands() == 0;
  NodeId id = graph.lookup(value);
  return op && id != noNode && graph[id].kind == NodeKind::Constant;
}

Cone memopt::raising::collectCone(const ScalarGraph &graph, Value root,
                                  llvm::function_ref<bool(NodeId)> enter) {
  Cone cone;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> pending = {root};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    NodeId id = graph.lookup(value);
    bool inside = op && op->getBlock() == &graph.getBlock() &&
                  (isConstant(graph, value) || (id != noNode && enter(id)));
    if (!inside) {
      cone.inputs.insert(value);
      continue;
    }
    if (ops.insert(op))
      pending.append(collectNeeded(op));
  }
  cone.ops = llvm::to_vector(ops);
  llvm::sort(cone.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return cone;
}

/// The tensor that a chain of reshapes starts from.
static Value stripReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value Cone::lastInput(const ScalarGraph &graph, NodeId id) const {
  Value last;
  for (Value input : inputs) {
    if (graph.lookup(input) != id || !isa<RankedTensorType>(input.getType()))
      continue;
    Value value = stripReshapes(input);
    Operation *op = value.getDefiningOp();
    if (!last || (op && (!last.getDefiningOp() ||
                         last.getDefiningOp()->isBeforeInBlock(op))))
      last = value;
  }
  return last;
}

void memopt::raising::cloneCone(const Cone &cone, OpBuilder &builder,
                                IRMapping &mapping) {
  for (Operation *op : cone.ops) {
    IRMapping local = mapping;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Value init : linalgOp.getDpsInits())
        if (!mapping.contains(init) && givesOnlyShape(linalgOp, init)) {
          auto type = cast<RankedTensorType>(init.getType());
          local.map(init, tensor::EmptyOp::create(builder, op->getLoc(),
                                                  type.getShape(),
                                                  type.getElementType()));
        }
    Operation *clone = builder.clone(*op, local);
    mapping.map(op->getResults(), clone->getResults());
  }
}
