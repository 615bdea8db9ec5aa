//===- DoubleErf.cpp - the error function in f64 --------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Below 1/2 by Taylor's series, from there on by erfc x = e^(-x^2) g(x) / (1 +
// 2x), where g, which goes from 1 to 2/sqrt(pi), is a polynomial of 1 / (x + 4)
// (the form of Shepherd and Laframboise, Math. Comp. 36, 1981, with a
// polynomial of our own: the Chebyshev series of g on [1/2, 28], computed in 60
// digits and cut where its error is 4e-17 of g).
//
//===----------------------------------------------------------------------===//

#include "Doubles.h"

using namespace mlir;
using namespace memopt;

/// From here on erfc is 0 to f64.
static constexpr double lastTail = 28;
static constexpr double firstTail = 0.5;

/// erf x = 2/sqrt(pi) sum over n of (-1)^n x^(2n+1) / (n! (2n+1)).
static Value expandSeries(Doubles &d, Value x) {
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int n = 0; n <= 12; ++n) {
    factorial *= std::max(n, 1);
    coefficients.push_back((n % 2 ? -1 : 1) * 1.1283791670955126 /
                           (factorial * (2 * n + 1)));
  }
  return d.mul(x, d.polynomial(d.mul(x, x), coefficients));
}

/// erfc x for x >= 1/2. x^2 as two numbers: e^-(h+l) = e^-h (1 - l).
static Value expandTail(Doubles &d, Value x) {
  x = d.clamp(x, firstTail, lastTail);
  Value square = d.mul(x, x);
  Value lost = d.fma(x, x, d.neg(square));
  Value exponential = expandExpPair(d, d.neg(square), d.neg(lost));
  // [1/2, 28] to [1, -1].
  Value t = d.div(d.constant(10.472727272727273), d.add(x, d.constant(4)));
  t = d.add(t, d.constant(-1.3272727272727274));
  Value g = d.polynomial(t, {1.2349370813045701,      0.10695041876258363,
                             0.007249019654827765,    -0.032938526478525465,
                             -0.036687054557780666,   -0.02585805262342584,
                             -0.013914922457504659,   -0.005919748137294117,
                             -0.001951680281887924,   -0.0004547925392106818,
                             -4.9076864418863836e-05, 1.1613802843175618e-05,
                             6.112238293430816e-06,   6.660946679678333e-07,
                             -2.8578513140296665e-07, -9.83598462440626e-08,
                             6.660133040665785e-09,   8.149746736284578e-09,
                             3.039292434079463e-10,   -4.5872022568673797e-10,
                             -4.199736122239499e-11});
  Value divisor = d.fma(d.constant(2), x, d.constant(1));
  return d.mul(exponential, d.div(g, divisor));
}

Value memopt::expandErf(Doubles &d, Value x) {
  Value size = d.abs(x);
  Value far = d.sub(d.constant(1), expandTail(d, size));
  Value near = expandSeries(d, x);
  return d.select(d.isLess(size, firstTail), near, d.copySign(far, x));
}

/// erfc(-x) = 2 - erfc x.
Value memopt::expandErfc(Doubles &d, Value x) {
  Value size = d.abs(x), tail = expandTail(d, size);
  tail = d.select(d.isLess(x, 0), d.sub(d.constant(2), tail), tail);
  Value near = d.sub(d.constant(1), expandSeries(d, x));
  return d.select(d.isLess(size, firstTail), near, tail);
}
