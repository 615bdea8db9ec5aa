//===- GraphBuilder.cpp - reads a block into a scalar graph ---------------===//
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
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace memopt::raising;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

size_t
GraphBuilder::KeyHash::operator()(const std::vector<int64_t> &key) const {
  return llvm::hash_combine_range(key.begin(), key.end());
}

NodeId GraphBuilder::addNode() {
  graph.nodes.emplace_back();
  return graph.nodes.size() - 1;
}

NodeId GraphBuilder::addLeaf(Type type, int64_t size, Operation *origin,
                             NodeId source) {
  NodeId id = addNode();
  Node &leaf = graph.nodes[id];
  leaf.type = type;
  leaf.size = size;
  leaf.origin = origin;
  leaf.source = source;
  return id;
}

NodeId GraphBuilder::addConstant(Constant constant) {
  int64_t raw, real;
  static_assert(sizeof(raw) == sizeof(constant.raw));
  std::memcpy(&raw, &constant.raw, sizeof(raw));
  std::memcpy(&real, &constant.real, sizeof(real));
  auto [it, isNew] = numbering.try_emplace(
      {int64_t(NodeKind::Constant), raw, real}, graph.nodes.size());
  if (!isNew)
    return it->second;
  Node &node = graph.nodes[addNode()];
  node.kind = NodeKind::Constant;
  node.constant = constant;
  node.size = 1;
  node.isParameter = true;
  return it->second;
}

/// The node equal to `node`: a new one, or the one numbered before.
NodeId GraphBuilder::number(Node node) {
  std::vector<int64_t> key = {
      int64_t(node.kind), int64_t(node.op.code),
      node.op.predicate,  node.size,
      node.reduced,       int64_t(node.type.getAsOpaquePointer())};
  if (node.reduced) {
    key.emplace_back();
    std::memcpy(&key.back(), &node.init, sizeof(int64_t));
  }
  for (const Operand &operand : node.operands)
    key.insert(key.end(),
               {operand.node, int64_t(operand.access), operand.period});
  auto [it, isNew] = numbering.try_emplace(std::move(key), graph.nodes.size());
  if (isNew)
    graph.nodes.push_back(std::move(node));
  return it->second;
}

Operand GraphBuilder::addElementwise(ScalarOp op, Type type, int64_t size,
                                     ArrayRef<Operand> operands,
                                     Operation *origin) {
  auto isConstant = [&](const Operand &operand) {
    return node(operand.node).kind == NodeKind::Constant;
  };
  if (llvm::all_of(operands, isConstant)) {
    SmallVector<Constant> values;
    for (const Operand &operand : operands)
      values.push_back(node(operand.node).constant);
    return {addConstant(fold(op, type, values)), Access::Scalar, 1};
  }
  Node result;
  result.kind = NodeKind::Elementwise;
  result.op = op;
  result.type = type;
  result.size = size;
  result.operands.assign(operands.begin(), operands.end());
  result.origin = origin;
  result.isParameter = llvm::all_of(operands, [&](const Operand &operand) {
    return node(operand.node).isParameter ||
           operand.access == Access::ColumnBroadcast;
  });
  return {number(std::move(result)), Access::Flat, 1};
}

NodeId GraphBuilder::addReduction(NodeKind kind, ScalarOp op, double init,
                                  Operand term, int64_t reduced, Type type,
                                  Operation *origin) {
  Node result;
  result.kind = kind;
  result.op = op;
  result.init = init;
  result.reduced = reduced;
  result.size = node(term.node).size / reduced;
  result.type = type;
  result.operands = {term};
  result.origin = origin;
  return number(std::move(result));
}

NodeId GraphBuilder::nodeOf(Value value) {
  auto it = graph.ids.find(value);
  if (it != graph.ids.end())
    return it->second;
  NodeId id = addLeaf(getElementTypeOrSelf(value.getType()),
                      countElements(value.getType()).value_or(-1),
                      value.getDefiningOp());
  define(value, id);
  return id;
}

void GraphBuilder::define(Value value, NodeId id) {
  graph.ids[value] = id;
  if (isa<RankedTensorType>(value.getType()))
    graph.nodes[id].definitions.push_back(value);
}

void GraphBuilder::connectUsers() {
  for (NodeId id = 0, end = graph.nodes.size(); id < end; ++id)
    for (const Operand &operand : graph.nodes[id].operands) {
      SmallVectorImpl<NodeId> &users = graph.nodes[operand.node].users;
      if (users.empty() || users.back() != id)
        users.push_back(id);
    }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void GraphBuilder::build() {
  for (BlockArgument argument : graph.block.getArguments())
    nodeOf(argument);
  for (Operation &op : graph.block)
    visit(op);
  connectUsers();
}

void GraphBuilder::visit(Operation &op) {
  if (isReshape(&op)) {
    graph.ids[op.getResult(0)] = nodeOf(op.getOperand(0));
    return;
  }
  if (visitConstant(op) || visitElementwise(op))
    return;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    if (visitLinalg(linalgOp))
      return;
  for (Value result : op.getResults())
    nodeOf(result);
}

/// Constants, and tensors that hold one number everywhere.
bool GraphBuilder::visitConstant(Operation &op) {
  std::optional<Constant> constant;
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    constant = readConstant(constantOp.getValue());
    if (!constant)
      constant = readSplat(constantOp.getValue());
  } else if (isa<linalg::FillOp, tensor::SplatOp, tensor::ExtractOp>(op) ||
             (isa<tensor::FromElementsOp>(op) && op.getNumOperands() == 1)) {
    if (op.getNumResults() != 1)
      return false;
    NodeId source = nodeOf(op.getOperand(0));
    if (isa<tensor::ExtractOp>(op) && node(source).size == 1) {
      graph.ids[op.getResult(0)] = source;
      return true;
    }
    if (node(source).kind == NodeKind::Constant)
      constant = node(source).constant;
  }
  if (!constant)
    return false;
  define(op.getResult(0), addConstant(*constant));
  return true;
}

/// An arith or math op on scalars or, elementwise, on tensors.
bool GraphBuilder::visitElementwise(Operation &op) {
  std::optional<ScalarOp> scalar = getScalarOp(&op);
  if (!scalar)
    return false;
  Value result = op.getResult(0);
  std::optional<int64_t> size = countElements(result.getType());
  if (!size)
    return false;
  SmallVector<Operand> operands;
  for (Value value : op.getOperands().take_front(getArity(scalar->code))) {
    Operand operand{nodeOf(value), Access::Flat, 1};
    if (node(operand.node).kind == NodeKind::Constant ||
        (node(operand.node).size == 1 && *size != 1))
      operand.access = Access::Scalar;
    operands.push_back(operand);
  }
  Type type = getElementTypeOrSelf(result.getType());
  define(result, addElementwise(*scalar, type, *size, operands, &op).node);
  return true;
}

bool GraphBuilder::visitLinalg(linalg::LinalgOp op) {
  if (op->getNumRegions() != 1 || op->getRegion(0).empty() ||
      op.getNumDpsInits() != int64_t(op->getNumResults()) ||
      !op.hasPureTensorSemantics())
    return false;
  unsigned arguments = op->getRegion(0).front().getNumArguments();
  unsigned inputs = op.getNumDpsInputs();
  if (arguments != inputs && arguments != inputs + op.getNumDpsInits())
    return false;
  std::optional<IterationSpace> space = IterationSpace::create(op);
  return space && BodyReader(*this, op, *space).read();
}
