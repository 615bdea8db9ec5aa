//===- Descent.cpp - least squares with free knots ------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Solve.h"

using namespace memopt;

namespace {
/// How S changes on one segment when a variable moves: left (1 - t) + right t.
struct Influence {
  size_t variable;
  double left, right;
};
} // namespace

/// A knot moved to the right along x lowers S by the slope beside it; the last
/// one also rises, since its height is its position.
static std::vector<Influence> getInfluences(const Knots &knots,
                                            size_t segment) {
  size_t count = knots.size(), end = segment + 1;
  double slope = knots.getSlope(segment);
  std::vector<Influence> result = {
      {segment, -slope, 0}, {end, 0, (end + 1 == count ? 1 : 0) - slope}};
  if (segment > 0)
    result.push_back({count + segment - 1, 1, 0});
  if (end + 1 < count)
    result.push_back({count + end - 1, 0, 1});
  return result;
}

/// The Gauss-Newton normal equations of E / 2: normal * step = gradient.
static void buildNormalEquations(const Activation &activation,
                                 const Knots &knots, Matrix &normal,
                                 Vector &gradient) {
  size_t n = knots.getNumVariables();
  normal.assign(n, Vector(n, 0));
  gradient.assign(n, 0);
  for (size_t segment = 0; segment + 1 < knots.size(); ++segment) {
    SegmentMoments moments = getMoments(activation, knots, segment);
    double width = knots.getWidth(segment);
    std::vector<Influence> influences = getInfluences(knots, segment);
    for (const Influence &p : influences) {
      gradient[p.variable] +=
          p.left * moments.residualLeft + p.right * moments.residualRight;
      for (const Influence &q : influences)
        normal[p.variable][q.variable] +=
            width * ((p.left * q.left + p.right * q.right) / 3 +
                     (p.left * q.right + p.right * q.left) / 6);
    }
  }
}

double memopt::descend(const Activation &activation, Knots &knots) {
  double error = getError(activation, knots), damping = 1e-3;
  for (int iteration = 0; iteration < 100; ++iteration) {
    Matrix normal;
    Vector gradient, step;
    buildNormalEquations(activation, knots, normal, gradient);
    double before = error;
    for (; damping < 1e9; damping *= 4) {
      Matrix damped = normal;
      for (size_t i = 0; i < damped.size(); ++i)
        damped[i][i] += damping * (normal[i][i] + 1e-12);
      if (!solveLinear(damped, gradient, step))
        continue;
      Knots next = knots.moved(step);
      double nextError =
          next.isRising() ? getError(activation, next) : INFINITY;
      if (nextError < error) {
        knots = next;
        error = nextError;
        damping /= 8;
        break;
      }
    }
    if (before - error <= 1e-9 * before)
      break;
  }
  return error;
}
