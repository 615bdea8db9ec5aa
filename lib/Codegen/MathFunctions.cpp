//===- MathFunctions.cpp - functions in vector code -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Codegen/MathFunctions.h"
#include "Doubles.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace memopt;

//===----------------------------------------------------------------------===//
// sin and cos
//===----------------------------------------------------------------------===//

/// x = k pi/2 + r, |r| <= pi/4, in f64 with pi/2 as two numbers, so that r is
/// good to f32 up to |x| of 2^45; then Taylor's series of sin r and cos r,
/// whose next terms are under 2^-29, and the quadrant k mod 4: sin x = sin r,
/// cos r, -sin r, -cos r. cos x = sin(x + pi/2): k + 1.
static Value expandSine(OpBuilder &b, Location loc, Value x, bool cosine) {
  Doubles d{b, loc, withElement(x.getType(), b.getF64Type())};
  Value wide = arith::ExtFOp::create(b, loc, d.type, x);
  Value k = math::RoundEvenOp::create(
      b, loc, d.mul(wide, d.constant(0.63661977236758134308)));
  Value r = d.fma(k, d.constant(-1.57079632679489655800), wide);
  r = d.fma(k, d.constant(-6.12323399573676603587e-17), r);
  Value square = d.mul(r, r);
  Value sine = d.mul(r, d.polynomial(square, {1, -1.0 / 6, 1.0 / 120,
                                              -1.0 / 5040, 1.0 / 362880}));
  Value cosineOfR = d.polynomial(
      square, {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800});
  if (cosine)
    k = arith::AddFOp::create(b, loc, k, d.constant(1));
  // k mod 4 as q, then q mod 2.
  Value quarter = math::FloorOp::create(b, loc, d.mul(k, d.constant(0.25)));
  Value q = d.fma(quarter, d.constant(-4), k);
  Value isNegative = d.isAtLeast(q, 2);
  Value inHalf = arith::SelectOp::create(
      b, loc, isNegative, arith::SubFOp::create(b, loc, q, d.constant(2)), q);
  Value value =
      arith::SelectOp::create(b, loc, d.isAtLeast(inHalf, 1), cosineOfR, sine);
  Value negated = arith::NegFOp::create(b, loc, value);
  value = arith::SelectOp::create(b, loc, isNegative, negated, value);
  return arith::TruncFOp::create(b, loc, x.getType(), value);
}

namespace {
template <typename OpT> struct ExpandSine : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    rewriter.replaceOp(op, expandSine(rewriter, op.getLoc(), op.getOperand(),
                                      std::is_same_v<OpT, math::CosOp>));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// The whole number that `value` is in all lanes.
std::optional<int64_t> getWholeNumber(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto elements = dyn_cast<SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(constant))
    return integer.getValue().getSExtValue();
  auto real = dyn_cast<FloatAttr>(constant);
  if (!real)
    return std::nullopt;
  double number = real.getValueAsDouble();
  if (number != std::floor(number) || std::abs(number) > 64)
    return std::nullopt;
  return int64_t(number);
}

/// x^n by squares; x^-n = 1 / x^n.
template <typename OpT> struct ExpandPower : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> exponent = getWholeNumber(op.getRhs());
    if (!exponent || std::abs(*exponent) > 64)
      return rewriter.notifyMatchFailure(op, "no small whole exponent");
    Location loc = op.getLoc();
    Value square = op.getLhs(), power;
    for (int64_t n = std::abs(*exponent); n; n /= 2) {
      if (n % 2)
        power = power
                    ? Value(arith::MulFOp::create(rewriter, loc, power, square))
                    : square;
      if (n > 1)
        square = arith::MulFOp::create(rewriter, loc, square, square);
    }
    Value one = getConstant(rewriter, loc, op.getType(), 1);
    if (!power)
      power = one;
    if (*exponent < 0)
      power = arith::DivFOp::create(rewriter, loc, one, power);
    rewriter.replaceOp(op, power);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

namespace {
using Expansion = Value (*)(Doubles &, Value);

/// Functions of f64; with `isWide`, also those of f32, by way of f64.
template <typename OpT> struct ExpandDouble : OpRewritePattern<OpT> {
  ExpandDouble(MLIRContext *context, Expansion expansion, bool isWide = false)
      : OpRewritePattern<OpT>(context), expansion(expansion), isWide(isWide) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF64() && !(isWide && element.isF32()))
      return rewriter.notifyMatchFailure(op, "a type without this expansion");
    Doubles d{rewriter, op.getLoc(),
              withElement(op.getType(), rewriter.getF64Type())};
    Value x = op.getOperand();
    if (element.isF64()) {
      rewriter.replaceOp(op, expansion(d, x));
      return success();
    }
    x = arith::ExtFOp::create(rewriter, op.getLoc(), d.type, x);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 expansion(d, x));
    return success();
  }

private:
  Expansion expansion;
  bool isWide;
};

/// Powers that are no product, in f64.
struct ExpandAnyPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF64() && !element.isF32())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Location loc = op.getLoc();
    Doubles d{rewriter, loc, withElement(op.getType(), rewriter.getF64Type())};
    Value x = op.getLhs(), y = op.getRhs();
    if (element.isF64()) {
      rewriter.replaceOp(op, expandPower(d, x, y));
      return success();
    }
    x = arith::ExtFOp::create(rewriter, loc, d.type, x);
    y = arith::ExtFOp::create(rewriter, loc, d.type, y);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 expandPower(d, x, y));
    return success();
  }
};
} // namespace

static void addDoublePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandDouble<math::ExpOp>>(context, expandExp);
  patterns.add<ExpandDouble<math::Exp2Op>>(context, expandExp2, true);
  patterns.add<ExpandDouble<math::ExpM1Op>>(context, expandExpM1);
  patterns.add<ExpandDouble<math::LogOp>>(context, expandLog);
  patterns.add<ExpandDouble<math::Log2Op>>(context, expandLog2);
  patterns.add<ExpandDouble<math::Log10Op>>(context, expandLog10, true);
  patterns.add<ExpandDouble<math::Log1pOp>>(context, expandLog1P);
  patterns.add<ExpandDouble<math::TanhOp>>(context, expandTanh);
  patterns.add<ExpandDouble<math::ErfOp>>(context, expandErf);
  patterns.add<ExpandDouble<math::ErfcOp>>(context, expandErfc);
  patterns.add<ExpandDouble<math::SinOp>>(context, expandSin);
  patterns.add<ExpandDouble<math::CosOp>>(context, expandCos);
  patterns.add<ExpandAnyPower>(context);
}

void memopt::expandMathFunctions(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<ExpandSine<math::SinOp>, ExpandSine<math::CosOp>,
               ExpandPower<math::FPowIOp>>(module.getContext());
  // Before a power of any kind.
  patterns.add<ExpandPower<math::PowFOp>>(module.getContext(),
                                          PatternBenefit(2));
  addDoublePatterns(patterns);
  // Those of MLIR's approximations that are good to 5 units in the last place.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained(
        {"math.acos", "math.asin", "math.erf", "math.erfc", "math.exp",
         "math.expm1", "math.log", "math.log1p", "math.log2", "math.tanh"},
        name);
  });
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}
