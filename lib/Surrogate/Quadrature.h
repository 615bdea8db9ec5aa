//===- Quadrature.h - integrals and linear systems --------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SURROGATE_QUADRATURE_H
#define MEMOPT_LIB_SURROGATE_QUADRATURE_H

#include <array>
#include <cmath>
#include <vector>

namespace memopt {

/// Nodes on [-1, 1] and weights of the 16-point Gauss-Legendre rule.
struct GaussRule {
  std::array<double, 16> nodes, weights;
};
const GaussRule &getGaussRule();

/// The integral of `f` over [a, b]. Panels of half a unit: the activations are
/// analytic with poles further than 1.5 from the real axis, so the rule's error
/// (below (1.5 / 0.25)^-32) is under rounding.
template <typename F> double integrate(double a, double b, F f) {
  const GaussRule &rule = getGaussRule();
  int panels = std::max(1, int(std::ceil((b - a) * 2)));
  double half = (b - a) / (2 * panels), sum = 0;
  for (int p = 0; p < panels; ++p) {
    double middle = a + (2 * p + 1) * half;
    for (unsigned i = 0; i < rule.nodes.size(); ++i)
      sum += rule.weights[i] * f(middle + half * rule.nodes[i]);
  }
  return half * sum;
}

/// The integral of `f` from `a` to infinity in `direction` (+1 or -1), for an f
/// whose tail dies out: it stops once a panel adds less than 1e-25.
template <typename F> double integrateTail(double a, int direction, F f) {
  double sum = 0;
  for (int p = 0; p < 4096; ++p) {
    double near = a + direction * p;
    double part = direction > 0 ? integrate(near, near + 1, f)
                                : integrate(near - 1, near, f);
    sum += part;
    if (std::abs(part) < 1e-25)
      break;
  }
  return sum;
}

using Vector = std::vector<double>;
/// Row-major, square.
using Matrix = std::vector<Vector>;

/// Solves a x = b by elimination with partial pivoting; false where a pivot is
/// 0.
bool solveLinear(Matrix a, Vector b, Vector &x);

} // namespace memopt

#endif // MEMOPT_LIB_SURROGATE_QUADRATURE_H
