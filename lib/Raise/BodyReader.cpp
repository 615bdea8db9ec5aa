//===- BodyReader.cpp - reads the body of a linalg op ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace memopt::raising;

BodyReader::BodyReader(GraphBuilder &builder, linalg::LinalgOp op,
                       IterationSpace space)
    : builder(builder), op(op), space(std::move(space)),
      body(&op->getRegion(0).front()) {}

bool BodyReader::read() {
  if (!space.isElementwise())
    return readReduction();
  Operation *yield = body->getTerminator();
  for (auto [result, yielded] :
       llvm::zip_equal(op->getResults(), yield->getOperands()))
    defineElementwise(result, yielded);
  return true;
}

/// What a body computes by ops that are not ours: a leaf of its own.
Operand BodyReader::opaque(Type type) {
  return {builder.addLeaf(type, space.size(), op), Access::Flat, 1};
}

Operand BodyReader::get(Value value) {
  auto it = operands.find(value);
  if (it != operands.end())
    return it->second;
  Operand operand;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == body)
    operand = readArgument(argument.getArgNumber());
  else if (value.getParentBlock() != body)
    operand = readCaptured(value);
  else
    operand = readOp(value);
  operands[value] = operand;
  return operand;
}

Operand BodyReader::readArgument(unsigned index) {
  Value source = op->getOperand(index);
  NodeId id = builder.nodeOf(source);
  const Node &node = builder.node(id);
  if (node.kind == NodeKind::Constant || !isa<ShapedType>(source.getType()))
    return {id, Access::Scalar, 1};
  Operand operand = space.access(index);
  operand.node = id;
  if (node.size == 1 && space.size() != 1)
    operand.access = Access::Scalar;
  else if (operand.access == Access::Flat && node.size != space.size())
    operand.access = Access::Other;
  if (operand.access != Access::Other)
    return operand;
  // What is read in another order is no function of the same elements.
  return {builder.addLeaf(node.type, space.size(), op, id), Access::Flat, 1};
}

Operand BodyReader::readCaptured(Value value) {
  NodeId id = builder.nodeOf(value);
  const Node &node = builder.node(id);
  if (node.kind == NodeKind::Constant || !isa<ShapedType>(value.getType()))
    return {id, Access::Scalar, 1};
  return opaque(getElementTypeOrSelf(value.getType()));
}

Operand BodyReader::readOp(Value value) {
  Operation *inner = value.getDefiningOp();
  std::optional<ScalarOp> scalar = getScalarOp(inner);
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    if (std::optional<Constant> number = readConstant(constant.getValue()))
      return {builder.addConstant(*number), Access::Scalar, 1};
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    Value tensor = extract.getTensor();
    if (tensor.getParentBlock() != body &&
        countElements(tensor.getType()) == int64_t(1))
      return {builder.nodeOf(tensor), Access::Scalar, 1};
  }
  if (!scalar || !value.getType().isIntOrIndexOrFloat())
    return opaque(value.getType());
  SmallVector<Operand> inputs;
  for (Value operand : inner->getOperands().take_front(getArity(scalar->code)))
    inputs.push_back(get(operand));
  return builder.addElementwise(*scalar, value.getType(), space.size(), inputs,
                                op);
}

void BodyReader::defineElementwise(Value result, Value yielded) {
  Operand operand = get(yielded);
  bool same = operand.access == Access::Flat &&
              builder.node(operand.node).size == space.size();
  if (!same && builder.node(operand.node).kind != NodeKind::Constant)
    operand = builder.addElementwise({Opcode::Copy, 0}, yielded.getType(),
                                     space.size(), {operand}, op);
  builder.define(result, operand.node);
}

/// acc op term, with acc the output, used once, and starting from a constant.
bool BodyReader::readReduction() {
  if (op->getNumResults() != 1 ||
      (!space.reducesRows() && !space.reducesColumns()))
    return false;
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      !isa<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return false;
  BlockArgument acc = body->getArguments().back();
  if (body->getNumArguments() == unsigned(op.getNumDpsInputs()) ||
      !acc.hasOneUse())
    return false;
  Value lhs = combiner->getOperand(0), rhs = combiner->getOperand(1);
  if (lhs != acc && rhs != acc)
    return false;
  const Node &init = builder.node(builder.nodeOf(op.getDpsInits()[0]));
  if (init.kind != NodeKind::Constant)
    return false;
  double start = init.constant.real;
  Operand term = get(lhs == acc ? rhs : lhs);
  const Node &termNode = builder.node(term.node);
  Value result = op->getResult(0);
  std::optional<int64_t> size = countElements(result.getType());
  if (term.access != Access::Flat || termNode.size != space.size() || !size ||
      *size == 0)
    return false;
  NodeKind kind =
      space.reducesRows() ? NodeKind::RowReduction : NodeKind::ColumnReduction;
  Type type = getElementTypeOrSelf(result.getType());
  builder.define(result,
                 builder.addReduction(kind, *getScalarOp(combiner), start, term,
                                      space.size() / *size, type, op));
  return true;
}
