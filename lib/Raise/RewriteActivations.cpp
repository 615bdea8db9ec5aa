//===- RewriteActivations.cpp - activations as ops ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cone.h"
#include "MemOpt/Dialect/MemOpt.h"
#include "Reshape.h"
#include "Rewrite.h"

using namespace mlir;
using namespace memopt;
using namespace memopt::raising;

SmallVector<SmallVector<Value>, 2>
RewriteContext::definitionsByHalf(NodeId id) const {
  SmallVector<SmallVector<Value>, 2> halves(2);
  for (Value value : graph[id].definitions)
    halves[forwardEnd && forwardEnd->isBeforeInBlock(value.getDefiningOp())]
        .push_back(value);
  llvm::erase_if(halves, [](const auto &half) { return half.empty(); });
  return halves;
}

SmallVector<Value> memopt::raising::standFor(OpBuilder &builder,
                                             ArrayRef<Value> olds,
                                             Value value) {
  SmallVector<Value> values;
  for (Value old : olds) {
    OpBuilder::InsertionGuard guard(builder);
    if (old != olds[0])
      builder.setInsertionPoint(old.getDefiningOp());
    auto type = cast<RankedTensorType>(old.getType());
    values.push_back(
        createReshape(builder, old.getLoc(), value, type.getShape()));
  }
  return values;
}

/// The body of a raised op: its argument is x, under the shape of y.
static void buildBody(Region &region, Value y, Value x, const Cone &cone) {
  auto type = cast<RankedTensorType>(y.getType());
  Block &block = region.emplaceBlock();
  Type argument = RankedTensorType::get(
      type.getShape(), cast<RankedTensorType>(x.getType()).getElementType());
  block.addArgument(argument, x.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  IRMapping mapping;
  for (Value input : cone.inputs)
    mapping.map(input, createReshape(
                           builder, x.getLoc(), block.getArgument(0),
                           cast<RankedTensorType>(input.getType()).getShape()));
  cloneCone(cone, builder, mapping);
  YieldOp::create(builder, y.getLoc(), mapping.lookup(y));
}

static void planForward(const RewriteContext &context, unsigned group,
                        const ActivationMatch &match, ArrayRef<Value> olds) {
  Value y = olds[0];
  Cone cone =
      collectCone(context.graph, y, [&](NodeId id) { return id != match.x; });
  Value x = cone.lastInput(context.graph, match.x);
  for (Value input : cone.inputs)
    if (context.graph.lookup(input) != match.x ||
        !isa<RankedTensorType>(input.getType()))
      return context.plan.reject(group, y.getDefiningOp(),
                                 "its ops compute other things too");
  Replacement replacement;
  replacement.group = group;
  replacement.operands = {x};
  replacement.replaced.assign(olds.begin(), olds.end());
  replacement.work = cone.ops;
  auto kind = static_cast<ActivationKind>(match.kind);
  replacement.create = [=, olds = SmallVector<Value>(olds)] {
    OpBuilder builder(y.getDefiningOp());
    auto type = cast<RankedTensorType>(y.getType());
    Value operand = createReshape(builder, x.getLoc(), x, type.getShape());
    auto op = ActivationOp::create(builder, y.getLoc(), type, kind, operand);
    buildBody(op.getBody(), y, x, cone);
    return standFor(builder, olds, op.getY());
  };
  context.plan.add(std::move(replacement));
}

static void planGradient(const RewriteContext &context, unsigned group,
                         const ActivationMatch &match, NodeId g,
                         ArrayRef<Value> olds) {
  Value dx = olds[0];
  Cone cone = collectCone(context.graph, dx,
                          [&](NodeId id) { return id != match.x && id != g; });
  Value gradient = cone.lastInput(context.graph, g);
  Value x = cone.lastInput(context.graph, match.x);
  if (!gradient || !x)
    return context.plan.reject(group, dx.getDefiningOp(),
                               "its gradient does not read both tensors");
  Replacement replacement;
  replacement.group = group;
  replacement.operands = {gradient, x};
  replacement.replaced.assign(olds.begin(), olds.end());
  replacement.work = cone.ops;
  auto kind = static_cast<ActivationKind>(match.kind);
  replacement.create = [=, olds = SmallVector<Value>(olds)] {
    OpBuilder builder(dx.getDefiningOp());
    auto type = cast<RankedTensorType>(dx.getType());
    Value g = createReshape(builder, dx.getLoc(), gradient, type.getShape());
    Value input = createReshape(builder, dx.getLoc(), x, type.getShape());
    Value result =
        ActivationGradOp::create(builder, dx.getLoc(), type, kind, g, input);
    return standFor(builder, olds, result);
  };
  context.plan.add(std::move(replacement));
}

void memopt::raising::planActivation(const RewriteContext &context,
                                     const ActivationMatch &match) {
  auto kind = static_cast<ActivationKind>(match.kind);
  unsigned group = context.plan.addGroup(stringifyActivationKind(kind).str());
  for (ArrayRef<Value> olds : context.definitionsByHalf(match.y))
    planForward(context, group, match, olds);
  for (const ActivationGradient &gradient : match.gradients)
    for (ArrayRef<Value> olds : context.definitionsByHalf(gradient.v))
      planGradient(context, group, match, gradient.g, olds);
}
