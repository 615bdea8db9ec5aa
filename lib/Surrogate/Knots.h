//===- Knots.h - a surrogate by its knots -----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_SURROGATE_KNOTS_H
#define MEMOPT_LIB_SURROGATE_KNOTS_H

#include "MemOpt/Surrogate/Surrogate.h"
#include "Quadrature.h"

namespace memopt {

/// A surrogate as the points where its slope changes, (position, height): its
/// height is 0 at the first knot and the position at the last. Free are all K
/// positions and the K - 2 inner heights; this is also the order of the
/// variables in vectors and matrices.
struct Knots {
  Vector positions, heights;

  size_t size() const { return positions.size(); }
  size_t getNumVariables() const { return 2 * size() - 2; }
  double getWidth(size_t segment) const;
  double getSlope(size_t segment) const;
  bool isRising() const;

  /// These knots moved by `step`, one entry a variable.
  Knots moved(const Vector &step) const;

  static Knots of(const Surrogate &surrogate);
  Surrogate toSurrogate() const;
};

/// Integrals over the inner segment [a, b] with t = (x - a) / (b - a).
struct SegmentMoments {
  /// Of h (1 - t) and h t.
  double left, right;
  /// Of (h - S) (1 - t) and (h - S) t, 0 at a stationary point.
  double residualLeft, residualRight;
};
SegmentMoments getMoments(const Activation &activation, const Knots &knots,
                          size_t segment);

/// E of the surrogate with these knots.
double getError(const Activation &activation, const Knots &knots);

} // namespace memopt

#endif // MEMOPT_LIB_SURROGATE_KNOTS_H
