//===- NormSample.h - rows on which norms are compared ----------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_RAISE_NORMSAMPLE_H
#define MEMOPT_LIB_RAISE_NORMSAMPLE_H

#include "MemOpt/Dialect/MemOpt.h"

#include <cstdint>
#include <vector>

namespace memopt::raising {

/// Random rows x of a norm and a gradient g of its output, at the true length
/// of a row, since programs divide by it. The last row is zero: 1/std is then
/// epsilon^(-1/2), which gives epsilon exactly. Gradients are compared on the
/// other rows, since a clamp max(var, 0) halves the gradient where var = 0.
struct NormSample {
  static constexpr int64_t rows = 4, gradientRows = 3;

  int64_t columns;
  std::vector<double> x, g;

  explicit NormSample(int64_t columns);

  /// What a row is divided by is the root of this plus epsilon: the variance,
  /// or the mean of squares.
  double getSpread(NormKind kind, int64_t row) const {
    return kind == NormKind::layer ? variance[row] : meanSquare[row];
  }
  /// What is subtracted from a row: the mean, or 0.
  double getCenter(NormKind kind, int64_t row) const {
    return kind == NormKind::layer ? mean[row] : 0;
  }

private:
  std::vector<double> mean, variance, meanSquare;
};

/// The norm's own values on a sample.
struct NormValues {
  NormKind kind;
  std::vector<double> rstd, centered, xhat;

  NormValues(const NormSample &sample, NormKind kind, double epsilon);

  /// layer: dx = rstd (g' - mean(g') - xhat mean(g' xhat)), g' = gamma g
  /// rms:   dx = rstd (g' - xhat mean(g' xhat))
  /// on the rows where gradients are compared; an empty gamma is all ones.
  std::vector<double> computeGradient(const NormSample &sample,
                                      const std::vector<double> &gamma) const;
};

} // namespace memopt::raising

#endif // MEMOPT_LIB_RAISE_NORMSAMPLE_H
