//===- ProgramScalars.cpp - scalars of a kernel's body --------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace memopt;

FailureOr<int> ProgramBuilder::evaluateScalar(Value value, Scope *scope) {
  if (scope)
    if (auto entry = scope->known.find(value); entry != scope->known.end())
      return entry->second;
  if (scope && !scope->op->isAncestor(value.getParentRegion()->getParentOp()))
    scope = nullptr; // captured from around the op
  FailureOr<int> node = failure();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (scope)
      node = evaluateArgument(argument, *scope);
    else {
      ProgramNode scalar{NodeKind::Scalar, value.getType()};
      scalar.source = argument.getArgNumber();
      node = addNode(scalar);
    }
  } else {
    node = compute(cast<OpResult>(value), scope);
  }
  if (succeeded(node) && scope)
    scope->known[value] = *node;
  return node;
}

/// What the body's argument holds at the scope's loops.
FailureOr<int> ProgramBuilder::evaluateArgument(BlockArgument argument,
                                                Scope &scope) {
  OpOperand *operand = scope.op.getMatchingOpOperand(argument);
  if (!isa<TensorType>(operand->get().getType()))
    return evaluateScalar(operand->get(), nullptr);
  return evaluate(
      operand->get(),
      applyMap(scope.op.getMatchingIndexingMap(operand), scope.loops, math));
}

FailureOr<int> ProgramBuilder::compute(OpResult result, Scope *scope) {
  Operation *op = result.getOwner();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    ProgramNode node{NodeKind::Constant, result.getType()};
    node.constant = constant.getValue();
    return addNode(node);
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return addIndex(scope->loops[index.getDim()]);
  if (auto element = dyn_cast<tensor::ExtractOp>(op))
    return extract(element, scope);
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return type.isIntOrIndexOrFloat(); }))
    return op->emitOpError("has no place in a fused kernel");
  ProgramNode node{NodeKind::Compute, result.getType()};
  node.op = op;
  node.result = result.getResultNumber();
  for (Value operand : op->getOperands()) {
    FailureOr<int> value = evaluateScalar(operand, scope);
    if (failed(value))
      return failure();
    node.operands.push_back(*value);
  }
  if (AffineExpr index = foldIndex(op, node.operands))
    return addIndex(index);
  return addNode(node);
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

AffineExpr ProgramBuilder::getIndex(int number) const {
  const ProgramNode &node = program.nodes[number];
  if (node.kind == NodeKind::Index)
    return node.index;
  if (node.kind == NodeKind::Constant && node.type.isIndex())
    return math.getConstant(cast<IntegerAttr>(node.constant).getInt());
  return {};
}

/// Index arithmetic that stays affine, so that a load it leads to is one at a
/// known place. Indices of loops are not negative, so that signed and unsigned
/// quotients are the same.
AffineExpr ProgramBuilder::foldIndex(Operation *op, ArrayRef<int> operands) {
  if (operands.size() != 2 || !op->getResult(0).getType().isIndex())
    return {};
  AffineExpr left = getIndex(operands[0]), right = getIndex(operands[1]);
  if (!left || !right)
    return {};
  auto constant = dyn_cast<AffineConstantExpr>(right);
  int64_t divisor = constant ? constant.getValue() : 0;
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return left + right; })
      .Case([&](arith::MulIOp) {
        return constant || isa<AffineConstantExpr>(left) ? left * right
                                                         : AffineExpr();
      })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>([&](auto) {
        return divisor > 0 ? math.divide(left, divisor) : AffineExpr();
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        return divisor > 0 ? math.modulo(left, divisor) : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}

//===----------------------------------------------------------------------===//
// Elements of tensors
//===----------------------------------------------------------------------===//

FailureOr<int> ProgramBuilder::extract(tensor::ExtractOp op, Scope *scope) {
  SmallVector<int> nodes;
  Indices indices;
  for (Value index : op.getIndices()) {
    FailureOr<int> node = evaluateScalar(index, scope);
    if (failed(node))
      return failure();
    nodes.push_back(*node);
    if (AffineExpr at = getIndex(*node))
      indices.push_back(at);
  }
  if (indices.size() == nodes.size())
    return evaluate(op.getTensor(), indices);
  return gather(op, nodes);
}

/// An element at a place that is computed: the place in the storage behind the
/// views, as an expression over the indices.
FailureOr<int> ProgramBuilder::gather(tensor::ExtractOp op,
                                      ArrayRef<int> indices) {
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  if (!type.hasStaticShape())
    return op.emitOpError("of a dynamic shape has no place in a fused kernel");
  IndexMath places(kernel.getContext(), type.getShape());
  Indices at;
  for (unsigned i = 0; i < indices.size(); ++i)
    at.push_back(places.getLoop(i));
  Value tensor = op.getTensor();
  while (!leaves.contains(tensor)) {
    FailureOr<Value> source = stepThroughView(tensor, at, places);
    if (failed(source))
      return failure();
    if (!*source)
      break;
    tensor = *source;
  }
  ProgramNode node{NodeKind::Gather, type.getElementType()};
  node.operands.assign(indices.begin(), indices.end());
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  int64_t count = ShapedType::getNumElements(shape);
  if (count == 0) // nothing to read, whatever the index
    return addNode({NodeKind::Undefined, node.type});
  node.index = places.linearize(at, shape);
  node.within = hasAssertions(kernel) ? count : 0;
  if (auto leaf = leaves.find(tensor); leaf != leaves.end()) {
    node.source = leaf->second;
    return addNode(node);
  }
  if (auto constant = tensor.getDefiningOp<arith::ConstantOp>()) {
    if (auto data = dyn_cast<DenseElementsAttr>(constant.getValue())) {
      if (data.isSplat())
        return evaluateConstant(op, data, Indices());
      node.source = addSource(data);
      return addNode(node);
    }
  }
  return op.emitOpError("of a tensor that its own kernel computes has no place "
                        "in a fused kernel");
}
