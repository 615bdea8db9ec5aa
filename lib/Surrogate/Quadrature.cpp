//===- Quadrature.cpp - integrals and linear systems ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quadrature.h"

using namespace memopt;

/// Newton on the Legendre polynomial P16 from Chebyshev's guess; the weights
/// are 2 / ((1 - x^2) P16'(x)^2) (Abramowitz and Stegun 25.4.29).
static GaussRule makeGaussRule() {
  GaussRule rule;
  const int n = rule.nodes.size();
  for (int i = 0; i < n; ++i) {
    double x = std::cos(3.14159265358979324 * (i + 0.75) / (n + 0.5));
    double slope = 1;
    for (int step = 0; step < 10; ++step) {
      double previous = 1, value = x;
      for (int k = 2; k <= n; ++k) {
        double next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
        previous = value;
        value = next;
      }
      slope = n * (x * value - previous) / (x * x - 1);
      x -= value / slope;
    }
    rule.nodes[i] = x;
    rule.weights[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

const GaussRule &memopt::getGaussRule() {
  static const GaussRule rule = makeGaussRule();
  return rule;
}

bool memopt::solveLinear(Matrix a, Vector b, Vector &x) {
  const size_t n = b.size();
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column + 1; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[pivot][column]))
        pivot = row;
    if (a[pivot][column] == 0)
      return false;
    std::swap(a[pivot], a[column]);
    std::swap(b[pivot], b[column]);
    for (size_t row = column + 1; row < n; ++row) {
      double factor = a[row][column] / a[column][column];
      for (size_t k = column; k < n; ++k)
        a[row][k] -= factor * a[column][k];
      b[row] -= factor * b[column];
    }
  }
  x.assign(n, 0);
  for (size_t row = n; row-- > 0;) {
    double rest = b[row];
    for (size_t k = row + 1; k < n; ++k)
      rest -= a[row][k] * x[k];
    x[row] = rest / a[row][row];
  }
  return true;
}
