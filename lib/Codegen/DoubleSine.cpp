//===- DoubleSine.cpp - sin and cos in f64 --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Doubles.h"

using namespace mlir;
using namespace memopt;

/// The size of arguments from which on there is no reduction.
static constexpr double tooLarge = 0x1p50;

/// sum over n of (-1)^n square^n / (2n + odd)!: the series of cos r, and of
/// sin r over r.
static Value sumSeries(Doubles &d, Value square, int odd) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 0; n <= 8; ++n) {
    if (n > 0)
      factorial *= double(2 * n + odd) * (2 * n + odd - 1);
    coefficients.push_back((n % 2 ? -1 : 1) / factorial);
  }
  return d.polynomial(square, coefficients);
}

/// By k mod 4: sin r, cos r, -sin r, -cos r.
static Value expand(Doubles &d, Value x, int64_t quarterTurns) {
  // By pi/2 in three numbers.
  auto [k, r] = d.reduce(
      x, 0.6366197723675814,
      {1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33});
  Value square = d.mul(r, r);
  Value sine = d.mul(r, sumSeries(d, square, 1));
  Value cosine = sumSeries(d, square, 0);
  k = d.add(k, d.constant(double(quarterTurns)));
  Value quarter = d.floor(d.mul(k, d.constant(0.25)));
  Value q = d.fma(quarter, d.constant(-4), k);
  Value isNegative = d.isAtLeast(q, 2);
  Value inHalf = d.select(isNegative, d.sub(q, d.constant(2)), q);
  Value value = d.select(d.isAtLeast(inHalf, 1), cosine, sine);
  value = d.select(isNegative, d.neg(value), value);
  return d.select(d.isLess(d.abs(x), tooLarge), value,
                  d.constant(Doubles::nan));
}

Value memopt::expandSin(Doubles &d, Value x) { return expand(d, x, 0); }
Value memopt::expandCos(Doubles &d, Value x) { return expand(d, x, 1); }
