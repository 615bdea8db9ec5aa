//===- NormSample.cpp - rows on which norms are compared ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormSample.h"
#include "Evaluator.h"

#include <cmath>

using namespace memopt;
using namespace memopt::raising;

NormSample::NormSample(int64_t columns)
    : columns(columns), x(drawNormal(rows * columns, 11)),
      g(drawNormal(rows * columns, 12)), mean(rows), variance(rows),
      meanSquare(rows) {
  // One row where epsilon matters little, one off center, one where the spread
  // is of epsilon's size, and zero.
  const double scale[rows] = {1, 0.3, 1e-3, 0},
               shift[rows] = {0.5, -1, 1e-3, 0};
  for (int64_t row = 0; row < rows; ++row) {
    double *values = &x[row * columns];
    for (int64_t j = 0; j < columns; ++j) {
      values[j] = scale[row] * values[j] + shift[row];
      mean[row] += values[j] / columns;
      meanSquare[row] += values[j] * values[j] / columns;
    }
    for (int64_t j = 0; j < columns; ++j)
      variance[row] +=
          (values[j] - mean[row]) * (values[j] - mean[row]) / columns;
  }
}

NormValues::NormValues(const NormSample &sample, NormKind kind, double epsilon)
    : kind(kind), centered(sample.x), xhat(sample.x) {
  for (int64_t row = 0; row < sample.rows; ++row) {
    rstd.push_back(1 / std::sqrt(sample.getSpread(kind, row) + epsilon));
    for (int64_t j = 0; j < sample.columns; ++j) {
      int64_t i = row * sample.columns + j;
      centered[i] -= sample.getCenter(kind, row);
      xhat[i] = centered[i] * rstd[row];
    }
  }
}

std::vector<double>
NormValues::computeGradient(const NormSample &sample,
                            const std::vector<double> &gamma) const {
  int64_t columns = sample.columns;
  std::vector<double> dx(sample.gradientRows * columns);
  for (int64_t row = 0; row < sample.gradientRows; ++row) {
    const double *g = &sample.g[row * columns], *hat = &xhat[row * columns];
    auto scaled = [&](int64_t j) {
      return gamma.empty() ? g[j] : gamma[j] * g[j];
    };
    double sum = 0, product = 0;
    for (int64_t j = 0; j < columns; ++j) {
      sum += scaled(j);
      product += scaled(j) * hat[j];
    }
    if (kind == NormKind::rms)
      sum = 0;
    for (int64_t j = 0; j < columns; ++j)
      dx[row * columns + j] =
          rstd[row] * (scaled(j) - sum / columns - hat[j] * product / columns);
  }
  return dx;
}
