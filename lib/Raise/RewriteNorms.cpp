//===- RewriteNorms.cpp - norms as ops ------------------------------------===//
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

RowShape memopt::raising::chooseRowShape(ArrayRef<Type> types,
                                         int64_t columns) {
  for (Type type : types) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    int64_t count = 1;
    for (int64_t rank = 1; rank <= int64_t(shape.size()); ++rank) {
      count *= shape[shape.size() - rank];
      if (count == columns)
        return {llvm::to_vector(shape), rank};
    }
  }
  int64_t rows = *countElements(types[0]) / columns;
  return {{rows, columns}, 1};
}

namespace {
/// Everything the new op is made from, copied, since it outlives the match.
struct NormPlan {
  NormKind kind;
  double epsilon;
  RowShape shape;
  Cone cone;
  Value y, x, gamma, beta;
  SmallVector<Value> captures, olds;
  /// By input of the cone: which operand of the new op it is.
  SmallVector<unsigned> roles;
  /// Values of the body; null where it has none that is exact. `centered` may
  /// be x.
  Value xhat, centered, rstd, std;

  bool assignRoles(const ScalarGraph &graph, const NormMatch &match,
                   const NormOutput &output);
  SmallVector<Value> create() const;

private:
  void buildBody(NormOp op) const;
  SmallVector<Value> createStatistics(OpBuilder &builder, NormOp op,
                                      const IRMapping &mapping) const;
};
} // namespace

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static RankedTensorType getType(ArrayRef<int64_t> shape, Value like) {
  return RankedTensorType::get(shape, getElementTypeOrSelf(like.getType()));
}

/// The tensor with which the body reads a parameter, or else the first one that
/// is there when y is computed.
static Value getParameter(const ScalarGraph &graph, const Cone &cone, NodeId id,
                          Value y) {
  if (id == noNode)
    return {};
  if (Value value = cone.lastInput(graph, id))
    return value;
  Value first =
      graph[id].definitions.empty() ? Value() : graph[id].definitions[0];
  Operation *op = first ? first.getDefiningOp() : nullptr;
  return !op || op->isBeforeInBlock(y.getDefiningOp()) ? first : Value();
}

/// False where the body reads something that cannot be an operand.
bool NormPlan::assignRoles(const ScalarGraph &graph, const NormMatch &match,
                           const NormOutput &output) {
  x = cone.lastInput(graph, match.x);
  gamma = getParameter(graph, cone, output.gamma, y);
  beta = getParameter(graph, cone, output.beta, y);
  if (!x)
    return false;
  unsigned numParameters = 1 + bool(gamma) + bool(beta);
  for (Value input : cone.inputs) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || !type.hasStaticShape())
      return false;
    NodeId id = graph.lookup(input);
    if (id == match.x) {
      roles.push_back(0);
    } else if (gamma && id == output.gamma) {
      roles.push_back(1);
    } else if (beta && id == output.beta) {
      roles.push_back(1 + bool(gamma));
    } else {
      roles.push_back(numParameters + captures.size());
      captures.push_back(input);
    }
  }
  return true;
}

SmallVector<Value> NormPlan::create() const {
  OpBuilder builder(y.getDefiningOp());
  Location loc = y.getLoc();
  auto reshaped = [&](Value value, ArrayRef<int64_t> dims) {
    return value ? createReshape(builder, loc, value, dims) : Value();
  };
  Type compute = getComputeType(getElementTypeOrSelf(x.getType()));
  auto op =
      NormOp::create(builder, loc, getType(shape.dims, y),
                     RankedTensorType::get(shape.dims, compute),
                     RankedTensorType::get(shape.rows(), compute), kind,
                     reshaped(x, shape.dims), reshaped(gamma, shape.row()),
                     reshaped(beta, shape.row()), captures,
                     llvm::APFloat(epsilon), shape.normalizedRank);
  buildBody(op);
  return standFor(builder, olds, op.getY());
}

/// The original ops, and behind them what they do not compute of xhat and
/// 1/std.
void NormPlan::buildBody(NormOp op) const {
  Block &block = op.getBody().emplaceBlock();
  for (Value operand : op->getOperands())
    block.addArgument(operand.getType(), operand.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  IRMapping mapping;
  mapping.map(x, block.getArgument(0));
  for (auto [input, role] : llvm::zip_equal(cone.inputs, roles))
    mapping.map(input, createReshape(builder, y.getLoc(),
                                     block.getArgument(role), getShape(input)));
  cloneCone(cone, builder, mapping);
  Value result = createReshape(builder, y.getLoc(), mapping.lookup(y),
                               getShape(op.getY()));
  SmallVector<Value> yielded = createStatistics(builder, op, mapping);
  yielded.insert(yielded.begin(), result);
  YieldOp::create(builder, y.getLoc(), yielded);
}

/// 1 / value, elementwise.
static Value createInverse(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [](OpBuilder &b, Location loc, ValueRange arguments) {
    Value one = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(arguments[0].getType(), 1));
    Value inverse = arith::DivFOp::create(b, loc, one, arguments[0]);
    linalg::YieldOp::create(b, loc, inverse);
  };
  return linalg::GenericOp::create(builder, loc, TypeRange{type}, value,
                                   ValueRange{init}, maps, loops, body)
      .getResult(0);
}

/// full * rows, each row by its own number.
static Value createRowProduct(OpBuilder &builder, Location loc, Value full,
                              Value rows) {
  auto type = cast<RankedTensorType>(full.getType());
  Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                       type.getElementType());
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap outer =
      all.getMajorSubMap(cast<RankedTensorType>(rows.getType()).getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [](OpBuilder &b, Location loc, ValueRange arguments) {
    Value product = arith::MulFOp::create(b, loc, arguments[0], arguments[1]);
    linalg::YieldOp::create(b, loc, product);
  };
  return linalg::GenericOp::create(builder, loc, TypeRange{type},
                                   ValueRange{full, rows}, ValueRange{init},
                                   ArrayRef<AffineMap>{all, outer, all}, loops,
                                   body)
      .getResult(0);
}

/// xhat and 1/std: the body's own, xhat = (x - mean) (1/std), 1/std = 1 / std,
/// or else those of a norm without a body, the definition.
SmallVector<Value> NormPlan::createStatistics(OpBuilder &builder, NormOp op,
                                              const IRMapping &mapping) const {
  Location loc = y.getLoc();
  auto get = [&](Value original, Value like) {
    return createReshape(builder, loc, mapping.lookup(original),
                         getShape(like));
  };
  Value newRstd, newXhat;
  if (rstd)
    newRstd = get(rstd, op.getRstd());
  else if (std)
    newRstd = createInverse(builder, loc, get(std, op.getRstd()));
  if (xhat)
    newXhat = get(xhat, op.getXhat());
  else if (centered && newRstd)
    newXhat =
        createRowProduct(builder, loc, get(centered, op.getXhat()), newRstd);
  if (newRstd && newXhat)
    return {newXhat, newRstd};
  auto definition = NormOp::create(
      builder, loc, op.getXhat().getType(), op.getXhat().getType(),
      op.getRstd().getType(), kind, op.getBody().getArgument(0), Value(),
      Value(), ValueRange(), op.getEpsilon(), op.getNormalizedRank());
  return {newXhat ? newXhat : definition.getXhat(),
          newRstd ? newRstd : definition.getRstd()};
}

/// Whether a value narrower than `type` lies between `id` and x: then it is not
/// exact, whatever type it has itself.
static bool isRounded(const ScalarGraph &graph, const NormMatch &match,
                      NodeId id, Type type) {
  llvm::DenseSet<NodeId> seen;
  SmallVector<NodeId> pending = {id};
  while (!pending.empty()) {
    NodeId node = pending.pop_back_val();
    if (node == match.x || !match.closure.contains(node) ||
        !seen.insert(node).second)
      continue;
    Type own = graph[node].type;
    if (own.isFloat() &&
        own.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return true;
    for (const Operand &operand : graph[node].operands)
      pending.push_back(operand.node);
  }
  return false;
}

/// The first tensor of the body that holds one of `ids` exactly in `type`.
static Value findInBody(const ScalarGraph &graph, const NormMatch &match,
                        const Cone &cone, ArrayRef<NodeId> ids, Type type) {
  for (NodeId id : ids)
    if (graph[id].type == type && !isRounded(graph, match, id, type))
      for (Value value : graph[id].definitions)
        if (llvm::is_contained(cone.ops, value.getDefiningOp()))
          return value;
  return {};
}

void memopt::raising::planNormOutput(const RewriteContext &context,
                                     unsigned group, const NormMatch &match,
                                     const NormOutput &output,
                                     ArrayRef<Value> olds) {
  const ScalarGraph &graph = context.graph;
  NormPlan plan;
  plan.kind = match.kind;
  plan.epsilon = match.epsilon;
  plan.y = olds[0];
  plan.olds.assign(olds.begin(), olds.end());
  plan.cone = collectCone(graph, plan.y, [&](NodeId id) {
    bool isParameter =
        graph[id].isParameter && graph[id].kind != NodeKind::Leaf;
    return id != match.x && id != output.gamma && id != output.beta &&
           (match.closure.contains(id) || isParameter);
  });
  if (!plan.assignRoles(graph, match, output))
    return context.plan.reject(
        group, plan.y.getDefiningOp(),
        "its ops read what is no tensor of static shape");
  plan.shape =
      chooseRowShape({plan.y.getType(), plan.x.getType()}, match.columns);
  Type compute = getComputeType(getElementTypeOrSelf(plan.x.getType()));
  plan.xhat = findInBody(graph, match, plan.cone, match.xhats, compute);
  plan.rstd = findInBody(graph, match, plan.cone, match.rstds, compute);
  plan.std = findInBody(graph, match, plan.cone, match.stds, compute);
  plan.centered = findInBody(graph, match, plan.cone, match.centered, compute);
  if (match.kind == NormKind::rms && graph[match.x].type == compute)
    plan.centered = plan.x;
  Replacement replacement;
  replacement.group = group;
  replacement.operands = {plan.x};
  for (Value value : {plan.gamma, plan.beta})
    if (value)
      replacement.operands.push_back(value);
  replacement.operands.append(plan.captures);
  replacement.replaced = plan.olds;
  replacement.work = plan.cone.ops;
  replacement.create = [plan = std::move(plan)] { return plan.create(); };
  context.plan.add(std::move(replacement));
}

void memopt::raising::planNorm(const RewriteContext &context,
                               const NormMatch &match) {
  const char *what = match.kind == NormKind::layer ? "LayerNorm" : "RMSNorm";
  unsigned group = context.plan.addGroup(what);
  for (const NormOutput &output : match.outputs)
    for (ArrayRef<Value> olds : context.definitionsByHalf(output.y))
      planNormOutput(context, group, match, output, olds);
  for (const NormGradient &gradient : match.gradients)
    planNormGradient(context, group, match, gradient);
}
