//===- Recipe.cpp - from the normalised value to the output ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

Value memopt::getCastInput(Operation *op) {
  if (isa<arith::TruncFOp, arith::ExtFOp>(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return op->getOperand(0);
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return {};
  Block &body = *generic.getBody();
  Operation &cast = body.front();
  if (!isa<arith::TruncFOp, arith::ExtFOp>(cast) ||
      cast.getOperand(0) != body.getArgument(0) ||
      body.getTerminator()->getOperand(0) != cast.getResult(0) ||
      cast.getNextNode() != body.getTerminator())
    return {};
  return generic.getInputs()[0];
}

static YieldOp getYield(NormOp norm) {
  return cast<YieldOp>(norm.getBody().front().getTerminator());
}

/// The ops of the body that lead from `stops` to `target`, in order; nothing
/// where they also need x (argument 0).
static std::optional<SmallVector<Operation *>>
collectOps(Block &body, Value target, ArrayRef<Value> stops) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> pending = {target};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (llvm::is_contained(stops, value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (value == body.getArgument(0))
        return std::nullopt;
      continue;
    }
    if (!needed.insert(op))
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          pending.push_back(operand);
    });
  }
  SmallVector<Operation *> ops = needed.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// What the body makes of xhat by rounding it; null where it does not.
static Value findRounded(NormOp norm, Value xhat) {
  for (Operation *user : xhat.getUsers())
    if (user->getBlock() == xhat.getParentBlock() && getCastInput(user) == xhat)
      return user->getResult(0);
  return {};
}

static std::optional<Recipe> findRecipeInBody(NormOp norm, bool rounded) {
  Block &body = norm.getBody().front();
  YieldOp yield = getYield(norm);
  Value y = yield.getValues()[0], xhat = yield.getValues()[1];
  Recipe recipe;
  recipe.source = xhat;
  if (rounded) {
    recipe.source = findRounded(norm, xhat);
    if (!recipe.source ||
        cast<RankedTensorType>(recipe.source.getType()).getShape() !=
            norm.getXhat().getType().getShape())
      return std::nullopt;
    auto rounding = collectOps(body, recipe.source, {xhat});
    if (!rounding)
      return std::nullopt;
    recipe.rounding = *rounding;
  }
  recipe.isSame = y == recipe.source;
  auto ops = collectOps(body, y, {recipe.source, yield.getValues()[2]});
  if (!ops)
    return std::nullopt;
  recipe.ops = *ops;
  return recipe;
}

std::optional<Recipe> memopt::findRecipe(NormOp norm, bool rounded) {
  if (!norm.getBody().empty())
    if (std::optional<Recipe> recipe = findRecipeInBody(norm, rounded))
      return recipe;
  // With captures only the body says how y follows from xhat.
  if (rounded || !norm.getCaptures().empty())
    return std::nullopt;
  Recipe recipe;
  recipe.isSame = !norm.getGamma() && !norm.getBeta() &&
                  norm.getBody().empty() &&
                  norm.getY().getType() == norm.getXhat().getType();
  return recipe;
}

SmallVector<Value> Recipe::getParameters(NormOp norm) const {
  if (!source)
    return llvm::to_vector(norm->getOperands().drop_front());
  llvm::SetVector<Value> parameters;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand);
            argument && argument.getOwner() == &norm.getBody().front())
          parameters.insert(norm->getOperand(argument.getArgNumber()));
    });
  return parameters.takeVector();
}

RankedTensorType Recipe::getKeptType(NormOp norm) const {
  return source ? cast<RankedTensorType>(source.getType())
                : norm.getXhat().getType();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Copies `ops` of the body to the insertion point, outside of it.
static void cloneOps(RewriterBase &rewriter, NormOp norm,
                     ArrayRef<Operation *> ops, IRMapping &mapping) {
  for (auto [argument, operand] :
       llvm::zip_equal(norm.getBody().getArguments(), norm->getOperands()))
    mapping.map(argument, operand);
  for (Operation *op : ops)
    rewriter.clone(*op, mapping);
}

Value memopt::buildKept(RewriterBase &rewriter, NormOp norm,
                        const Recipe &recipe) {
  if (recipe.isSame)
    return norm.getY();
  if (recipe.rounding.empty())
    return norm.getXhat();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(norm);
  IRMapping mapping;
  mapping.map(getYield(norm).getValues()[1], norm.getXhat());
  cloneOps(rewriter, norm, recipe.rounding, mapping);
  return mapping.lookup(recipe.source);
}

// y = gamma xhat + beta
static Value buildFromDefinition(RewriterBase &rewriter, NormOp norm,
                                 Value xhat) {
  Location loc = norm.getLoc();
  RankedTensorType type = norm.getY().getType();
  int64_t rank = type.getRank(), row = norm.getNormalizedRank();
  AffineMap whole = rewriter.getMultiDimIdentityMap(rank);
  AffineMap column = whole.getMinorSubMap(row);
  SmallVector<Value> inputs = {xhat};
  SmallVector<AffineMap> maps = {whole};
  for (Value parameter : {norm.getGamma(), norm.getBeta()})
    if (parameter) {
      inputs.push_back(parameter);
      maps.push_back(column);
    }
  maps.push_back(whole);
  Value init = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                       type.getElementType());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), inputs, ValueRange(init), maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value value = args[0];
        auto cast = [&](Value from, Type to) -> Value {
          unsigned a = from.getType().getIntOrFloatBitWidth();
          unsigned c = to.getIntOrFloatBitWidth();
          if (a < c)
            return arith::ExtFOp::create(b, loc, to, from);
          return a > c ? Value(arith::TruncFOp::create(b, loc, to, from))
                       : from;
        };
        Type compute = value.getType();
        unsigned next = 1;
        if (norm.getGamma())
          value =
              arith::MulFOp::create(b, loc, value, cast(args[next++], compute));
        if (norm.getBeta())
          value =
              arith::AddFOp::create(b, loc, value, cast(args[next], compute));
        linalg::YieldOp::create(b, loc, cast(value, type.getElementType()));
      });
  return generic.getResult(0);
}

Value memopt::buildOutput(RewriterBase &rewriter, NormOp norm,
                          const Recipe &recipe, Value kept) {
  if (!recipe.source)
    return buildFromDefinition(rewriter, norm, kept);
  YieldOp yield = getYield(norm);
  IRMapping mapping;
  mapping.map(recipe.source, kept);
  mapping.map(yield.getValues()[2], norm.getRstd());
  cloneOps(rewriter, norm, recipe.ops, mapping);
  return mapping.lookup(yield.getValues()[0]);
}
