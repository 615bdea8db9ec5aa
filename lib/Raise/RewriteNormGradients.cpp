//===- RewriteNormGradients.cpp - norm gradients as ops -------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reshape.h"
#include "Rewrite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace memopt;
using namespace memopt::raising;

namespace {
/// Everything the new op is made from, copied, since it outlives the match.
struct NormGradientPlan {
  NormKind kind;
  double epsilon;
  RowShape shape;
  Value g, x, gamma;
  /// What the results replace; each list may be empty.
  SmallVector<Value> totals, dgammas, dbetas;
  /// The other terms of the sum that `totals` are, in the order of addition.
  SmallVector<Value> others;
  /// The op is created before it.
  Operation *place;

  bool chooseOperands(const ScalarGraph &graph, const NormMatch &match,
                      const NormGradient &gradient, const Cone &cone);
  SmallVector<Value> getReplaced() const;
  SmallVector<Value> create() const;

private:
  Type typeOf(ArrayRef<Value> replaced, ArrayRef<int64_t> shape) const;
  Value addOthers(OpBuilder &builder, Value dx) const;
};
} // namespace

/// The element type of what is replaced; that of g for a result nobody reads.
Type NormGradientPlan::typeOf(ArrayRef<Value> replaced,
                              ArrayRef<int64_t> dims) const {
  Value like = replaced.empty() ? g : replaced[0];
  return RankedTensorType::get(dims, getElementTypeOrSelf(like.getType()));
}

/// others[0] + others[1] + ... + dx in the type of dx.
Value NormGradientPlan::addOthers(OpBuilder &builder, Value dx) const {
  Location loc = dx.getLoc();
  auto type = cast<RankedTensorType>(dx.getType());
  SmallVector<Value> inputs;
  for (Value other : others)
    inputs.push_back(createReshape(builder, loc, other, type.getShape()));
  inputs.push_back(dx);
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto add = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    Value sum;
    for (Value term : arguments.drop_back()) {
      unsigned width = term.getType().getIntOrFloatBitWidth();
      unsigned wanted = type.getElementTypeBitWidth();
      if (width < wanted)
        term = arith::ExtFOp::create(b, loc, type.getElementType(), term);
      else if (width > wanted)
        term = arith::TruncFOp::create(b, loc, type.getElementType(), term);
      sum = sum ? arith::AddFOp::create(b, loc, sum, term).getResult() : term;
    }
    linalg::YieldOp::create(b, loc, sum);
  };
  return linalg::GenericOp::create(builder, loc, TypeRange{type}, inputs,
                                   ValueRange{init}, maps, loops, add)
      .getResult(0);
}

SmallVector<Value> NormGradientPlan::create() const {
  OpBuilder builder(place);
  Location loc = place->getLoc();
  auto reshaped = [&](Value value, ArrayRef<int64_t> dims) {
    return value ? createReshape(builder, loc, value, dims) : Value();
  };
  auto op = NormGradOp::create(
      builder, loc, typeOf(totals, shape.dims), typeOf(dgammas, shape.row()),
      typeOf(dbetas, shape.row()), kind, reshaped(g, shape.dims),
      reshaped(x, shape.dims), reshaped(gamma, shape.row()),
      llvm::APFloat(epsilon), shape.normalizedRank);
  SmallVector<Value> values;
  if (!totals.empty()) {
    OpBuilder late(totals[0].getDefiningOp());
    Value dx = op.getDx();
    if (!others.empty())
      dx = addOthers(late, dx);
    values.append(standFor(late, totals, dx));
  }
  if (!dgammas.empty())
    values.append(standFor(builder, dgammas, op.getDgamma()));
  if (!dbetas.empty())
    values.append(standFor(builder, dbetas, op.getDbeta()));
  return values;
}

/// The place for an op that reads `operands` and makes `replaced`: before the
/// first of those, or after the last operand. Null where some user of
/// `replaced` would stand before it.
static Operation *choosePlace(ArrayRef<Value> operands,
                              ArrayRef<Value> replaced) {
  Operation *place = nullptr;
  for (Value value : replaced)
    if (Operation *op = value.getDefiningOp();
        !place || op->isBeforeInBlock(place))
      place = op;
  for (Value value : operands)
    if (Operation *op = value.getDefiningOp();
        op && !op->isBeforeInBlock(place))
      place = op->getNextNode();
  for (Value value : replaced)
    for (Operation *user : value.getUsers())
      if (place->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(
              place))
        return nullptr;
  return place;
}

static SmallVector<Value> definitionsOf(const ScalarGraph &graph, NodeId id) {
  return id == noNode
             ? SmallVector<Value>()
             : SmallVector<Value>(ArrayRef<Value>(graph[id].definitions));
}

/// The last of the definitions that stands before `op`.
static Value lastBefore(ArrayRef<Value> definitions, Operation *op) {
  Value last;
  for (Value value : definitions)
    if (Operation *def = value.getDefiningOp();
        !def || def->isBeforeInBlock(op))
      last = value;
  return last;
}

/// True where an op computes a value of S(x).
static bool isMember(const ScalarGraph &graph, const NormMatch &match,
                     Operation *op) {
  return llvm::any_of(op->getResults(), [&](Value result) {
    NodeId id = graph.lookup(result);
    return id != noNode && match.closure.contains(id);
  });
}

SmallVector<Value> NormGradientPlan::getReplaced() const {
  SmallVector<Value> replaced = totals;
  replaced.append(dgammas);
  replaced.append(dbetas);
  return replaced;
}

/// The tensors the gradient's own ops read; false where one of them is none.
bool NormGradientPlan::chooseOperands(const ScalarGraph &graph,
                                      const NormMatch &match,
                                      const NormGradient &gradient,
                                      const Cone &cone) {
  x = cone.lastInput(graph, match.x);
  g = cone.lastInput(graph, gradient.g);
  if (gradient.gamma != noNode) {
    gamma = lastBefore(graph[gradient.gamma].definitions,
                       getReplaced()[0].getDefiningOp());
    if (!gamma)
      return false;
  }
  for (NodeId other : gradient.others)
    others.push_back(
        lastBefore(graph[other].definitions, totals[0].getDefiningOp()));
  return x && g && !llvm::is_contained(others, Value());
}

void memopt::raising::planNormGradient(const RewriteContext &context,
                                       unsigned group, const NormMatch &match,
                                       const NormGradient &gradient) {
  const ScalarGraph &graph = context.graph;
  NormGradientPlan plan;
  plan.kind = match.kind;
  plan.epsilon = match.epsilon;
  plan.totals = definitionsOf(graph, gradient.total);
  plan.dgammas = definitionsOf(graph, gradient.dgamma);
  plan.dbetas = definitionsOf(graph, gradient.dbeta);
  Replacement replacement;
  replacement.group = group;
  replacement.replaced = plan.getReplaced();
  Operation *first = replacement.replaced[0].getDefiningOp();
  llvm::BitVector inside = collectGradientNodes(graph, match, gradient);
  Cone cone = collectCone(graph, replacement.replaced[0],
                          [&](NodeId id) { return inside.test(id); });
  if (!plan.chooseOperands(graph, match, gradient, cone))
    return context.plan.reject(group, first,
                               "its gradient reads what is no tensor");
  replacement.operands = {plan.g, plan.x};
  if (plan.gamma)
    replacement.operands.push_back(plan.gamma);
  plan.place = choosePlace(replacement.operands, replacement.replaced);
  if (!plan.place)
    return context.plan.reject(
        group, first,
        "one of its gradients is read before another can be made");
  replacement.operands.append(plan.others);
  llvm::copy_if(cone.ops, std::back_inserter(replacement.work),
                [&](Operation *op) { return isMember(graph, match, op); });
  Type shape =
      plan.totals.empty() ? plan.g.getType() : plan.totals[0].getType();
  plan.shape = chooseRowShape({shape, plan.x.getType()}, match.columns);
  replacement.create = [plan = std::move(plan)] { return plan.create(); };
  context.plan.add(std::move(replacement));
}
