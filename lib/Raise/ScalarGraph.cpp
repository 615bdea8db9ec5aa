//===- ScalarGraph.cpp - a step as a graph of scalar operations -----------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarGraph.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace memopt::raising;

bool memopt::raising::isReshape(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
             tensor::ReshapeOp>(op) &&
         countElements(op->getOperand(0).getType()) &&
         countElements(op->getResult(0).getType());
}

std::optional<int64_t> memopt::raising::countElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1;
  if (!shaped.hasStaticShape())
    return std::nullopt;
  int64_t count = 1;
  for (int64_t size : shaped.getShape())
    if (llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

ScalarGraph::ScalarGraph(Block &block) : block(block) {
  GraphBuilder(*this).build();
}

NodeId ScalarGraph::lookup(Value value) const {
  auto it = ids.find(value);
  return it == ids.end() ? noNode : it->second;
}

bool ScalarGraph::isMaterialized(NodeId id) const {
  Type type = nodes[id].type;
  return !nodes[id].definitions.empty() && type &&
         (type.isF64() || type.isF32() || type.isF16() || type.isBF16());
}

bool ScalarGraph::isCast(NodeId id) const {
  const Node &node = nodes[id];
  return node.kind == NodeKind::Elementwise && node.op.code == Opcode::Copy &&
         node.operands[0].access == Access::Flat;
}

bool ScalarGraph::isNarrowingCast(NodeId id, NodeId of) const {
  if (!isCast(id) || nodes[id].operands[0].node != of)
    return false;
  auto to = dyn_cast_or_null<FloatType>(nodes[id].type);
  auto from = dyn_cast_or_null<FloatType>(nodes[of].type);
  return to && from && to.getWidth() < from.getWidth();
}
