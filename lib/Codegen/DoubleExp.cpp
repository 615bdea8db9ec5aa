//===- DoubleExp.cpp - e^x and its relatives in f64 -----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = k ln 2 + r with k whole and |r| <= ln(2) / 2, so that e^x = 2^k e^r.
//
//===----------------------------------------------------------------------===//

#include "Doubles.h"

using namespace mlir;
using namespace memopt;

/// 2^k for whole k in [-1022, 1023]: k + 1023 as the exponent's bits. The sum
/// with 3/2 2^52 has it as its lowest bits.
static Value getPower(Doubles &d, Value k) {
  Value shifted = d.add(k, d.constant(0x1.8p52 + 1023));
  return d.fromBits(
      arith::ShLIOp::create(d.b, d.loc, d.toBits(shifted), d.word(52)));
}

/// In two steps, since 2^k itself may be no number: the first is exact.
Value memopt::scaleByPower(Doubles &d, Value x, Value k) {
  Value half = d.floor(d.mul(k, d.constant(0.5)));
  x = d.mul(x, getPower(d, half));
  return d.mul(x, getPower(d, d.sub(k, half)));
}

using Reduced = Doubles::Reduced;

/// By ln 2 in two numbers.
static Reduced reduce(Doubles &d, Value x) {
  return d.reduce(x, 1.4426950408889634,
                  {0.6931471805599453, 2.3190468138462996e-17});
}

/// e^r - 1 = r + r^2 (1/2! + r/3! + ... + r^11/13!).
static Value expM1Reduced(Doubles &d, Value r) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 2; n <= 13; ++n)
    coefficients.push_back(1 / (factorial *= n));
  return d.fma(d.mul(r, r), d.polynomial(r, coefficients), r);
}

/// Beyond +-800 the result is infinity or 0 as it is there.
static Reduced reduceForExp(Doubles &d, Value x) {
  return reduce(d, d.clamp(x, -800, 800));
}

/// 2^k e^r
static Value finishExp(Doubles &d, Reduced reduced) {
  Value power = d.add(d.constant(1), expM1Reduced(d, reduced.r));
  return scaleByPower(d, power, reduced.k);
}

Value memopt::expandExp(Doubles &d, Value x) {
  return finishExp(d, reduceForExp(d, x));
}

Value memopt::expandExpPair(Doubles &d, Value x, Value low) {
  Reduced reduced = reduceForExp(d, x);
  return finishExp(d, {reduced.k, d.add(reduced.r, low)});
}

/// 2^x = 2^k e^(r ln 2), r = x - k exact.
Value memopt::expandExp2(Doubles &d, Value x) {
  x = d.clamp(x, -1100, 1100);
  Value k = d.round(x);
  Value r = d.mul(d.sub(x, k), d.constant(0.6931471805599453));
  Value power = d.add(d.constant(1), expM1Reduced(d, r));
  return scaleByPower(d, power, k);
}

/// 2^k e^r - 1 = 2^k ((e^r - 1) + (1 - 2^-k)); from k = 60 on the last bracket
/// is 1 to f64.
Value memopt::expandExpM1(Doubles &d, Value x) {
  Reduced reduced = reduce(d, d.clamp(x, -60, 800));
  Value exponent = d.neg(d.clamp(reduced.k, -1000, 60));
  Value rest = d.sub(d.constant(1), getPower(d, exponent));
  Value sum = d.add(expM1Reduced(d, reduced.r), rest);
  return scaleByPower(d, sum, reduced.k);
}

/// tanh x = (e^2x - 1) / (e^2x + 1); 1 to f64 from 22 on.
Value memopt::expandTanh(Doubles &d, Value x) {
  Value size = d.clamp(d.abs(x), 0, 22);
  Value grown = expandExpM1(d, d.add(size, size));
  Value result = d.div(grown, d.add(grown, d.constant(2)));
  return d.copySign(result, x);
}
