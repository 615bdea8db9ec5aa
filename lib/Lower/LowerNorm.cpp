//===- LowerNorm.cpp - norms and their gradients --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace memopt;

namespace {
/// What the lowerings of one norm share: loops over the whole tensor, whose
/// leading ones count rows and whose trailing ones run along a row.
struct Rows {
  ImplicitLocOpBuilder &b;
  Type compute;
  AffineMap whole, row, column;
  SmallVector<OpFoldResult> sizes, rowSizes, columnSizes;

  Rows(ImplicitLocOpBuilder &b, Value x, int64_t normalizedRank, Type compute)
      : b(b), compute(compute) {
    sizes = tensor::getMixedSizes(b, b.getLoc(), x);
    int64_t rank = sizes.size(), leading = rank - normalizedRank;
    whole = b.getMultiDimIdentityMap(rank);
    ArrayRef<AffineExpr> dims = whole.getResults();
    row = AffineMap::get(rank, 0, dims.take_front(leading), b.getContext());
    column = AffineMap::get(rank, 0, dims.drop_front(leading), b.getContext());
    rowSizes.assign(sizes.begin(), sizes.begin() + leading);
    columnSizes.assign(sizes.begin() + leading, sizes.end());
  }

  /// The length of a row, a scalar in the compute type.
  Value getLength() {
    int64_t known = 1;
    Value length;
    for (OpFoldResult size : columnSizes) {
      if (std::optional<int64_t> constant = getConstantIntValue(size)) {
        known *= *constant;
        continue;
      }
      Value dynamic = cast<Value>(size);
      length =
          length ? Value(arith::MulIOp::create(b, length, dynamic)) : dynamic;
    }
    if (!length)
      return constant(b, compute, known);
    length =
        arith::MulIOp::create(b, length, integer(b, b.getIndexType(), known));
    Value wide = arith::IndexCastOp::create(b, b.getI64Type(), length);
    return arith::SIToFPOp::create(b, compute, wide);
  }

  /// f(mean of `term` over each row), one value a row.
  Value buildRowMean(ArrayRef<Operand> operands, Body term, Body f) {
    Value sum = buildSum(b, operands, row, rowSizes, compute, term);
    Value length = getLength();
    return buildElementwise(b, {sum}, compute, compute,
                            [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                              Value mean =
                                  arith::DivFOp::create(inner, args[0], length);
                              return f(inner, mean);
                            });
  }

  /// The sum of `term` over all rows, one value a column, as `element`.
  Value buildColumnSum(ArrayRef<Operand> operands, Type element, Body term) {
    Value sum = buildSum(b, operands, column, columnSizes, compute, term);
    if (element == compute)
      return sum;
    return buildElementwise(
        b, {sum}, compute, element,
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  }

  /// body(operands), in the compute type, for each element, as `element`.
  Value buildWhole(ArrayRef<Operand> operands, Type element, Body body) {
    return buildParallel(b, operands, sizes, element,
                         [&](ImplicitLocOpBuilder &inner, ValueRange args) {
                           SmallVector<Value> converted;
                           for (Value arg : args)
                             converted.push_back(convert(inner, arg, compute));
                           return convert(inner, body(inner, converted),
                                          element);
                         });
  }
};

/// How a body finds xhat: from these operands, the first of those it reads.
struct Normalised {
  SmallVector<Operand> operands;
  bool centred = false, scaled = false;

  /// xhat = (x - mean) rstd from (x, mean?, rstd?), both where they are.
  Value build(ImplicitLocOpBuilder &b, ValueRange args) const {
    Value value = args.front();
    if (centred)
      value = arith::SubFOp::create(b, value, args[1]);
    if (scaled)
      value = arith::MulFOp::create(b, value, args[operands.size() - 1]);
    return value;
  }
};

struct Statistics {
  Normalised xhat;
  Value rstd;
};
} // namespace

static Value identity(ImplicitLocOpBuilder &, ValueRange args) {
  return args[0];
}

// rstd = (mean((x - mean)^2) + epsilon)^(-1/2), for rms with 0 for the mean.
// Two passes: the mean first, then the squares of what is left.
static Statistics buildStatistics(Rows &rows, NormKind kind, Value x,
                                  double epsilon) {
  Statistics result;
  Normalised &xhat = result.xhat;
  xhat.operands.push_back({x, rows.whole});
  if (kind == NormKind::layer) {
    xhat.centred = true;
    xhat.operands.push_back(
        {rows.buildRowMean({{x, rows.whole}}, identity, identity), rows.row});
  }
  result.rstd = rows.buildRowMean(
      xhat.operands,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value centred = xhat.build(b, args);
        return arith::MulFOp::create(b, centred, centred);
      },
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value shifted = arith::AddFOp::create(
            b, args[0], constant(b, rows.compute, epsilon));
        return math::RsqrtOp::create(b, shifted);
      });
  xhat.scaled = true;
  xhat.operands.push_back({result.rstd, rows.row});
  return result;
}

void memopt::lowerNorm(IRRewriter &rewriter, NormOp op) {
  if (op->use_empty())
    return rewriter.eraseOp(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf(op->getOperands());
  Rows rows(b, op.getX(), op.getNormalizedRank(), compute);
  Statistics statistics = buildStatistics(rows, op.getKind(), op.getX(),
                                          op.getEpsilon().convertToDouble());
  const Normalised &normalised = statistics.xhat;
  auto castTo = [&](Value value, RankedTensorType type) {
    if (value.getType() == type)
      return value;
    return buildElementwise(b, {value}, compute, type.getElementType(),
                            identity);
  };
  rewriter.replaceAllUsesWith(op.getRstd(),
                              castTo(statistics.rstd, op.getRstd().getType()));
  if (!op.getXhat().use_empty()) {
    Value xhat = rows.buildWhole(
        normalised.operands, op.getXhat().getType().getElementType(),
        [&](ImplicitLocOpBuilder &inner, ValueRange args) {
          return normalised.build(inner, args);
        });
    rewriter.replaceAllUsesWith(op.getXhat(), xhat);
  }
  if (!op.getY().use_empty()) {
    // y = gamma xhat + beta
    SmallVector<Operand> operands = normalised.operands;
    size_t next = operands.size();
    for (Value parameter : {op.getGamma(), op.getBeta()})
      if (parameter)
        operands.push_back({parameter, rows.column});
    Value y = rows.buildWhole(
        operands, op.getY().getType().getElementType(),
        [&](ImplicitLocOpBuilder &inner, ValueRange args) {
          Value value = normalised.build(inner, args.take_front(next));
          size_t parameter = next;
          if (op.getGamma())
            value = arith::MulFOp::create(inner, value, args[parameter++]);
          if (op.getBeta())
            value = arith::AddFOp::create(inner, value, args[parameter]);
          return value;
        });
    rewriter.replaceAllUsesWith(op.getY(), y);
  }
  rewriter.eraseOp(op);
}

namespace {
/// The gradients of one norm, from g, xhat and rstd.
struct Gradients {
  Rows &rows;
  NormKind kind;
  Value g, gamma;
  const Normalised &xhat;
  Value rstd;

  /// Operands g, gamma? and then those of xhat.
  SmallVector<Operand> getOperands(bool withXhat = true) {
    SmallVector<Operand> operands = {{g, rows.whole}};
    if (gamma)
      operands.push_back({gamma, rows.column});
    if (withXhat)
      llvm::append_range(operands, xhat.operands);
    return operands;
  }

  // g' = gamma g
  Value scaled(ImplicitLocOpBuilder &b, ValueRange args) {
    return gamma ? Value(arith::MulFOp::create(b, args[0], args[1])) : args[0];
  }

  Value normalised(ImplicitLocOpBuilder &b, ValueRange args) {
    return xhat.build(b, args.slice(gamma ? 2 : 1, xhat.operands.size()));
  }

  // dx = rstd (g' - mean(g') - xhat mean(g' xhat)), for rms without mean(g').
  Value buildDx(Type element) {
    SmallVector<Operand> operands = getOperands();
    size_t next = operands.size();
    Value product = rows.buildRowMean(
        operands,
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          return arith::MulFOp::create(b, scaled(b, args), normalised(b, args));
        },
        identity);
    operands.push_back({product, rows.row});
    operands.push_back({rstd, rows.row});
    if (kind == NormKind::layer)
      operands.push_back({rows.buildRowMean(
                              getOperands(/*withXhat=*/false),
                              [&](ImplicitLocOpBuilder &b, ValueRange args) {
                                return scaled(b, args);
                              },
                              identity),
                          rows.row});
    return rows.buildWhole(
        operands, element,
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value value = scaled(b, args);
          if (kind == NormKind::layer)
            value = arith::SubFOp::create(b, value, args[next + 2]);
          Value along =
              arith::MulFOp::create(b, normalised(b, args), args[next]);
          value = arith::SubFOp::create(b, value, along);
          return arith::MulFOp::create(b, value, args[next + 1]);
        });
  }

  // dgamma = sum over rows of g xhat
  Value buildDgamma(Type element) {
    SmallVector<Operand> operands = {{g, rows.whole}};
    llvm::append_range(operands, xhat.operands);
    return rows.buildColumnSum(
        operands, element,
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          return arith::MulFOp::create(b, args[0],
                                       xhat.build(b, args.drop_front()));
        });
  }

  // dbeta = sum over rows of g
  Value buildDbeta(Type element) {
    return rows.buildColumnSum({{g, rows.whole}}, element, identity);
  }
};
} // namespace

/// Replaces the results dx, dgamma, dbeta of `op` that are used.
static void replaceGradients(IRRewriter &rewriter, Operation *op,
                             Gradients gradients) {
  auto element = [&](unsigned result) {
    return cast<RankedTensorType>(op->getResult(result).getType())
        .getElementType();
  };
  if (!op->getResult(0).use_empty())
    rewriter.replaceAllUsesWith(op->getResult(0),
                                gradients.buildDx(element(0)));
  if (!op->getResult(1).use_empty())
    rewriter.replaceAllUsesWith(op->getResult(1),
                                gradients.buildDgamma(element(1)));
  if (!op->getResult(2).use_empty())
    rewriter.replaceAllUsesWith(op->getResult(2),
                                gradients.buildDbeta(element(2)));
  rewriter.eraseOp(op);
}

void memopt::lowerNormGrad(IRRewriter &rewriter, NormGradOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf(op->getOperands());
  Rows rows(b, op.getX(), op.getNormalizedRank(), compute);
  if (op.getDx().use_empty() && op.getDgamma().use_empty()) {
    Normalised none;
    replaceGradients(rewriter, op,
                     {rows, op.getKind(), op.getG(), op.getGamma(), none, {}});
    return;
  }
  Statistics statistics = buildStatistics(rows, op.getKind(), op.getX(),
                                          op.getEpsilon().convertToDouble());
  replaceGradients(rewriter, op,
                   {rows, op.getKind(), op.getG(), op.getGamma(),
                    statistics.xhat, statistics.rstd});
}

void memopt::lowerNormOutputGrad(IRRewriter &rewriter, NormOutputGradOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type compute = getComputeTypeOf(op->getOperands());
  Rows rows(b, op.getXhat(), op.getNormalizedRank(), compute);
  Normalised normalised;
  normalised.operands.push_back({op.getXhat(), rows.whole});
  replaceGradients(
      rewriter, op,
      {rows, op.getKind(), op.getG(), op.getGamma(), normalised, op.getRstd()});
}
