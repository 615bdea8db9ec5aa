//===- DoubleLog.cpp - logarithms and powers in f64 -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ln x = e ln 2 + ln(1 + f), and ln(1 + f) = 2 atanh(s), s = f / (2 + f).
// |s| <= 0.172, so that ten terms of atanh's series are enough.
//
//===----------------------------------------------------------------------===//

#include "Doubles.h"

using namespace mlir;
using namespace memopt;

/// The exponent is what is left of the bits of x less those of sqrt(1/2).
LogParts memopt::splitForLog(Doubles &d, Value x) {
  OpBuilder &b = d.b;
  Value isSmall = d.isLess(x, std::numeric_limits<double>::min());
  Value bits =
      d.toBits(d.select(isSmall, d.mul(x, d.constant(0x1p54)), x)); // subnormal
  Value e = arith::SubIOp::create(b, d.loc, bits,
                                  d.toBits(d.constant(0.70710678118654752)));
  e = arith::ShRSIOp::create(b, d.loc, e, d.word(52));
  Value rest = arith::SubIOp::create(
      b, d.loc, bits, arith::ShLIOp::create(b, d.loc, e, d.word(52)));
  Value exponent = arith::SIToFPOp::create(b, d.loc, d.type, e);
  exponent = d.select(isSmall, d.sub(exponent, d.constant(54)), exponent);
  return {exponent, d.sub(d.fromBits(rest), d.constant(1))};
}

/// 2/(2n+1) for n from `first` to 10.
static SmallVector<double> getSeries(int first) {
  SmallVector<double> coefficients;
  for (int n = first; n <= 10; ++n)
    coefficients.push_back(2.0 / (2 * n + 1));
  return coefficients;
}

/// 2 s = f - s f and s f = f^2/2 - s f^2/2, so that
/// ln(1 + f) = f - (h - s (h + R)), h = f^2/2, R = 2/3 s^2 + 2/5 s^4 + ...:
/// what is rounded is small beside f.
static Value log1PReduced(Doubles &d, Value f) {
  Value half = d.mul(d.mul(f, f), d.constant(0.5));
  Value s = d.div(f, d.add(f, d.constant(2)));
  Value square = d.mul(s, s);
  Value series = d.mul(square, d.polynomial(square, getSeries(1)));
  return d.sub(f, d.sub(half, d.mul(s, d.add(half, series))));
}

/// The logarithm of 0, of negative numbers, of infinity and of NaN.
static Value withLimits(Doubles &d, Value x, Value result) {
  Value low = d.select(d.isEqual(x, 0), d.constant(-Doubles::infinity),
                       d.constant(Doubles::nan));
  result = d.select(d.isLess(d.constant(0), x), result, low);
  return d.select(d.isEqual(x, Doubles::infinity), x, result);
}

/// e (high + low) + scale ln(1 + f): high + low is the logarithm of 2.
static Value expandLogarithm(Doubles &d, Value x, double high, double low,
                             double scale) {
  LogParts parts = splitForLog(d, x);
  Value rest = d.mul(log1PReduced(d, parts.f), d.constant(scale));
  rest = d.fma(parts.e, d.constant(low), rest);
  return withLimits(d, x, d.fma(parts.e, d.constant(high), rest));
}

Value memopt::expandLog(Doubles &d, Value x) {
  return expandLogarithm(d, x, 0.6931471805599453, 2.3190468138462996e-17, 1);
}

Value memopt::expandLog2(Doubles &d, Value x) {
  return expandLogarithm(d, x, 1, 0, 1.4426950408889634);
}

Value memopt::expandLog10(Doubles &d, Value x) {
  return expandLogarithm(d, x, 0.3010299956639812, -2.8037281277851704e-18,
                         0.4342944819032518);
}

/// u = 1 + x rounded, c what the rounding lost (Knuth, The Art of Computer
/// Programming 2, 4.2.2): ln(u + c) = ln u + c/u.
Value memopt::expandLog1P(Doubles &d, Value x) {
  Value one = d.constant(1), u = d.add(x, one);
  Value rounded = d.sub(u, one);
  Value lost = d.add(d.sub(one, d.sub(u, rounded)), d.sub(x, rounded));
  Value log = expandLog(d, u);
  Value isInside =
      d.both(d.isLess(d.constant(-1), x), d.isLess(x, Doubles::infinity));
  return d.select(isInside, d.add(log, d.div(lost, u)), log);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// x + y and what its rounding lost, |x| >= |y| or x = 0 (Dekker, Numer. Math.
/// 18, 1971).
static DoublePair addPair(Doubles &d, Value x, Value y) {
  Value sum = d.add(x, y);
  return {sum, d.sub(y, d.sub(sum, x))};
}

static DoublePair multiplyPair(Doubles &d, Value x, Value y) {
  Value product = d.mul(x, y);
  return {product, d.fma(x, y, d.neg(product))};
}

/// (x.high + x.low) (y.high + y.low) without the product of the low parts.
static DoublePair multiplyPair(Doubles &d, DoublePair x, DoublePair y) {
  DoublePair product = multiplyPair(d, x.high, y.high);
  Value cross = d.fma(x.high, y.low, d.mul(x.low, y.high));
  return {product.high, d.add(product.low, cross)};
}

/// ln(1 + f) = 2 s + s (2/3 s^2 + 2/5 s^4 + ...) to some 2^-65 of it: s, its
/// square and 2/3 are pairs, the rest of the series is 2^-11 of the result.
static DoublePair log1PPair(Doubles &d, Value f) {
  DoublePair divisor = addPair(d, d.constant(2), f);
  Value s = d.div(f, divisor.high);
  Value rest = d.fma(d.neg(s), divisor.high, f);
  rest = d.fma(d.neg(s), divisor.low, rest);
  DoublePair quotient{s, d.div(rest, divisor.high)};
  DoublePair square = multiplyPair(d, quotient, quotient);
  Value tail = d.mul(square.high, d.polynomial(square.high, getSeries(2)));
  DoublePair series = addPair(d, d.constant(2.0 / 3), tail);
  series.low = d.add(series.low, d.constant(3.700743415417188e-17));
  DoublePair product =
      multiplyPair(d, quotient, multiplyPair(d, square, series));
  DoublePair sum = addPair(d, d.add(s, s), product.high);
  Value low = d.fma(d.constant(2), quotient.low, product.low);
  return {sum.high, d.add(sum.low, low)};
}

/// ln 2 in two numbers, the first of 42 bits: its products with exponents are
/// exact.
static DoublePair logPair(Doubles &d, Value x) {
  LogParts parts = splitForLog(d, x);
  DoublePair log = log1PPair(d, parts.f);
  Value whole = d.mul(parts.e, d.constant(0x1.62e42fefa38p-1));
  DoublePair sum = addPair(d, whole, log.high);
  Value low = d.fma(parts.e, d.constant(5.497923018708371e-14), log.low);
  DoublePair result = addPair(d, sum.high, d.add(sum.low, low));
  auto limit = [&](double at, double value) {
    Value is = d.isEqual(x, at);
    result.high = d.select(is, d.constant(value), result.high);
    result.low = d.select(is, d.constant(0), result.low);
  };
  limit(0, -Doubles::infinity);
  limit(Doubles::infinity, Doubles::infinity);
  return result;
}

/// e^(y ln size) for size >= 0.
static Value getPowerOfSize(Doubles &d, Value size, Value y) {
  DoublePair log = logPair(d, size);
  DoublePair product = multiplyPair(d, log.high, y);
  Value low = d.fma(log.low, y, product.low);
  // Where the product is beyond what e^x is a number of, its rest is none.
  Value isInside = d.isLess(d.abs(product.high), 800);
  low = d.select(isInside, low, d.constant(0));
  return expandExpPair(d, product.high, low);
}

Value memopt::expandPower(Doubles &d, Value x, Value y) {
  Value size = d.abs(x), result = getPowerOfSize(d, size, y);
  Value one = d.constant(1), nan = d.constant(Doubles::nan);
  // (-1)^(+-infinity) = 1.
  result = d.select(d.isEqual(size, 1), one, result);
  // Negative numbers: whole powers only, negative for odd ones.
  Value isNegative = d.both(d.isLess(x, 0), d.isLess(size, Doubles::infinity));
  Value isWholePower = d.compare(Doubles::Predicate::OEQ, d.floor(y), y);
  result = d.select(isNegative, d.select(isWholePower, result, nan), result);
  Value half = d.mul(y, d.constant(0.5));
  Value isOdd = d.both(isWholePower,
                       d.compare(Doubles::Predicate::ONE, d.floor(half), half));
  result = d.select(isOdd, d.copySign(result, x), result);
  Value isNaN = d.compare(Doubles::Predicate::UNO, x, y);
  result = d.select(isNaN, nan, result);
  // 1^y = x^0 = 1, of NaN too.
  result = d.select(d.isEqual(x, 1), one, result);
  return d.select(d.isEqual(y, 0), one, result);
}
