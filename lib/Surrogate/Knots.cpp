//===- Knots.cpp - a surrogate by its knots -------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Knots.h"

using namespace memopt;

double Knots::getWidth(size_t segment) const {
  return positions[segment + 1] - positions[segment];
}

double Knots::getSlope(size_t segment) const {
  return (heights[segment + 1] - heights[segment]) / getWidth(segment);
}

bool Knots::isRising() const {
  for (size_t i = 1; i < size(); ++i)
    if (!(positions[i] > positions[i - 1]))
      return false;
  return true;
}

Knots Knots::moved(const Vector &step) const {
  Knots result = *this;
  for (size_t i = 0; i < size(); ++i)
    result.positions[i] += step[i];
  for (size_t i = 1; i + 1 < size(); ++i)
    result.heights[i] += step[size() + i - 1];
  result.heights.back() = result.positions.back();
  return result;
}

Knots Knots::of(const Surrogate &surrogate) {
  Knots knots;
  knots.positions = surrogate.thresholds;
  knots.heights.assign(1, 0);
  for (size_t i = 1; i < knots.size(); ++i)
    knots.heights.push_back(knots.heights.back() +
                            surrogate.slopes[i] * knots.getWidth(i - 1));
  return knots;
}

Surrogate Knots::toSurrogate() const {
  Surrogate surrogate;
  surrogate.thresholds = positions;
  surrogate.slopes.assign(1, 0);
  for (size_t segment = 0; segment + 1 < size(); ++segment)
    surrogate.slopes.push_back(getSlope(segment));
  surrogate.slopes.push_back(1);
  return surrogate;
}

SegmentMoments memopt::getMoments(const Activation &activation,
                                  const Knots &knots, size_t segment) {
  double a = knots.positions[segment], b = knots.positions[segment + 1];
  double width = b - a;
  double u = knots.heights[segment], v = knots.heights[segment + 1];
  SegmentMoments moments;
  moments.left = integrate(
      a, b, [&](double x) { return activation.value(x) * ((b - x) / width); });
  moments.right = integrate(
      a, b, [&](double x) { return activation.value(x) * ((x - a) / width); });
  // S = u (1 - t) + v t; the integrals of (1-t)^2, (1-t) t, t^2 are w/3, w/6,
  // w/3.
  moments.residualLeft = moments.left - width * (u / 3 + v / 6);
  moments.residualRight = moments.right - width * (u / 6 + v / 3);
  return moments;
}

double memopt::getError(const Activation &activation, const Knots &knots) {
  auto square = [](double x) { return x * x; };
  // S is 0 left of the first knot and x right of the last.
  double error = integrateTail(knots.positions.front(), -1, [&](double x) {
    return square(activation.value(x));
  });
  for (size_t segment = 0; segment + 1 < knots.size(); ++segment) {
    double a = knots.positions[segment], slope = knots.getSlope(segment);
    double height = knots.heights[segment];
    error += integrate(a, knots.positions[segment + 1], [&](double x) {
      return square(activation.value(x) - height - slope * (x - a));
    });
  }
  return error + integrateTail(knots.positions.back(), 1, [&](double x) {
           return square(activation.value(x) - x);
         });
}
