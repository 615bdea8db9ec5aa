//===- SolveSurrogate.cpp - the best surrogate ----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Surrogate/Surrogate.h"
#include "Solve.h"

using namespace memopt;

/// The residuals of all segments and how they change with the variables. With
/// w = b - a, L and R the moments of h, u and v the heights:
///   dL/da = L/w - h(a),  dL/db = R/w,  dR/da = -L/w,  dR/db = h(b) - R/w.
static void buildNewton(const Activation &activation, const Knots &knots,
                        Matrix &jacobian, Vector &residuals) {
  size_t count = knots.size(), n = knots.getNumVariables();
  jacobian.assign(n, Vector(n, 0));
  residuals.assign(n, 0);
  for (size_t i = 0; i + 1 < count; ++i) {
    SegmentMoments m = getMoments(activation, knots, i);
    double w = knots.getWidth(i), u = knots.heights[i],
           v = knots.heights[i + 1];
    double ha = activation.value(knots.positions[i]);
    double hb = activation.value(knots.positions[i + 1]);
    Vector &left = jacobian[2 * i], &right = jacobian[2 * i + 1];
    residuals[2 * i] = m.residualLeft;
    residuals[2 * i + 1] = m.residualRight;
    left[i] = m.left / w - ha + u / 3 + v / 6;
    left[i + 1] = m.right / w - u / 3 - v / 6;
    right[i] = -m.left / w + u / 6 + v / 3;
    right[i + 1] = hb - m.right / w - u / 6 - v / 3;
    if (i > 0) {
      left[count + i - 1] = -w / 3;
      right[count + i - 1] = -w / 6;
    }
    // The last height is the last position.
    size_t height = i + 2 < count ? count + i : i + 1;
    left[height] -= w / 6;
    right[height] -= w / 3;
  }
}

void memopt::polish(const Activation &activation, Knots &knots) {
  Knots current = knots;
  for (int iteration = 0; iteration < 20; ++iteration) {
    Matrix jacobian;
    Vector residuals, step;
    buildNewton(activation, current, jacobian, residuals);
    for (double &r : residuals)
      r = -r;
    if (!solveLinear(jacobian, residuals, step))
      return;
    current = current.moved(step);
    if (!current.isRising())
      return;
    double largest = 0;
    for (double s : step)
      largest = std::max(largest, std::abs(s));
    if (largest < 1e-13)
      break;
  }
  if (getError(activation, current) <= getError(activation, knots) + 1e-16)
    knots = current;
}

/// An optimum that is symmetric to rounding, S(x) - S(-x) = x, made so exactly:
/// the code of 0 must not hang on the last bit of the middle threshold.
static void symmetrize(Surrogate &surrogate) {
  std::vector<double> &c = surrogate.thresholds, &s = surrogate.slopes;
  for (size_t i = 0; i < c.size(); ++i)
    if (std::abs(c[i] + c[c.size() - 1 - i]) > 1e-9)
      return;
  for (size_t i = 0, j = c.size() - 1; i <= j; ++i, --j) {
    double half = (c[j] - c[i]) / 2;
    c[i] = -half;
    c[j] = half;
  }
  c[c.size() / 2] = 0; // and not -0
  for (size_t i = 0, j = s.size() - 1; i < j; ++i, --j) {
    double half = (s[i] + (1 - s[j])) / 2;
    s[i] = half;
    s[j] = 1 - half;
  }
}

Surrogate memopt::solveSurrogate(const Activation &activation, unsigned bits) {
  if (bits <= 1)
    return {{0}, {0, 1}}; // 0 and x meet at 0 only
  Knots best;
  double bestError = INFINITY;
  for (Knots &knots : makeStarts(activation, (1 << bits) - 1)) {
    double error = descend(activation, knots);
    // A mirrored optimum has the same E but for rounding: the first one stays.
    if (error < bestError * (1 - 1e-6)) {
      best = knots;
      bestError = error;
    }
  }
  polish(activation, best);
  Surrogate surrogate = best.toSurrogate();
  symmetrize(surrogate);
  return surrogate;
}
