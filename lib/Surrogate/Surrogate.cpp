//===- Surrogate.cpp - evaluating surrogates ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Surrogate/Surrogate.h"
#include "Knots.h"

using namespace memopt;

double Surrogate::value(double x) const {
  double sum = 0;
  for (size_t k = 0; k < thresholds.size(); ++k)
    if (x > thresholds[k])
      sum += (slopes[k + 1] - slopes[k]) * (x - thresholds[k]);
  return sum;
}

double memopt::getSurrogateError(const Activation &activation,
                                 const Surrogate &surrogate) {
  return getError(activation, Knots::of(surrogate));
}

std::vector<double>
memopt::getStationarityResiduals(const Activation &activation,
                                 const Surrogate &surrogate) {
  Knots knots = Knots::of(surrogate);
  std::vector<double> residuals;
  for (size_t segment = 0; segment + 1 < knots.size(); ++segment) {
    SegmentMoments moments = getMoments(activation, knots, segment);
    residuals.push_back(moments.residualLeft);
    residuals.push_back(moments.residualRight);
  }
  return residuals;
}

/// The paper writes S(x) = sum_i a_i max(x - c_i, 0): slope k is a_1 + ... +
/// a_k.
static Surrogate fromHinges(std::vector<double> a, std::vector<double> c) {
  Surrogate surrogate;
  surrogate.thresholds = std::move(c);
  surrogate.slopes.assign(1, 0);
  for (double hinge : a)
    surrogate.slopes.push_back(surrogate.slopes.back() + hinge);
  return surrogate;
}

std::optional<Surrogate>
memopt::getPublishedSurrogate(std::string_view activation, unsigned bits) {
  if (bits != 2)
    return std::nullopt;
  if (activation == "gelu_erf")
    return fromHinges(
        {-0.04922261145617846, 1.0979632065417297, -0.048740595085551286},
        {-3.1858810036855245, -0.001178821281161997, 3.190832613414926});
  if (activation == "silu")
    return fromHinges(
        {-0.04060357190528599, 1.080925428529668, -0.040321856624382146},
        {-6.3050461001646445, -0.0008684942046214787, 6.325815242089708});
  return std::nullopt;
}
