//===- Starts.cpp - where the search for knots begins ---------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Solve.h"

#include <algorithm>

using namespace memopt;

namespace {
/// A maximal interval on which h bends one way, as samples of the integral of
/// |h''|^(2/5) at rising positions.
struct Bend {
  Vector positions, mass;
  double getMass() const { return mass.back(); }
};
} // namespace

static std::vector<Bend> findBends(const Activation &activation) {
  const double range = 32, step = 1.0 / 64;
  auto curvature = [&](double x) {
    return (activation.derivative(x + step) - activation.derivative(x - step)) /
           (2 * step);
  };
  double largest = 0;
  for (double x = -range; x <= range; x += step)
    largest = std::max(largest, std::abs(curvature(x)));
  std::vector<Bend> bends;
  bool bendsUp = false;
  for (double x = -range; x <= range; x += step) {
    double c = curvature(x);
    if (std::abs(c) < 1e-8 * largest) // rounding, or an inflection
      continue;
    if (bends.empty() || bendsUp != (c > 0))
      bends.push_back({{x}, {0}});
    bendsUp = c > 0;
    Bend &bend = bends.back();
    bend.positions.push_back(x + step);
    bend.mass.push_back(bend.getMass() + step * std::pow(std::abs(c), 0.4));
  }
  return bends;
}

/// The position at which the mass of `bend` reaches `part` of the whole.
static double getQuantile(const Bend &bend, double part) {
  double target = part * bend.getMass();
  size_t i = std::lower_bound(bend.mass.begin(), bend.mass.end(), target) -
             bend.mass.begin();
  i = std::max<size_t>(i, 1);
  double from = bend.mass[i - 1], to = bend.mass[i];
  double fraction = to > from ? (target - from) / (to - from) : 0.5;
  return bend.positions[i - 1] +
         fraction * (bend.positions[i] - bend.positions[i - 1]);
}

/// Knots on h with `counts[i]` of them in bend i, each at `outward` (0..1) of
/// its share of the mass, counted away from the middle bend.
static Knots placeKnots(const Activation &activation,
                        const std::vector<Bend> &bends,
                        const std::vector<int> &counts, double outward) {
  Knots knots;
  for (size_t i = 0; i < bends.size(); ++i) {
    size_t mirrored = bends.size() - 1 - i;
    double offset = i == mirrored ? 0.5 : i < mirrored ? 1 - outward : outward;
    for (int k = 0; k < counts[i]; ++k)
      knots.positions.push_back(
          getQuantile(bends[i], (k + offset) / counts[i]));
  }
  for (double x : knots.positions)
    knots.heights.push_back(activation.value(x));
  knots.heights.front() = 0;
  knots.heights.back() = knots.positions.back();
  return knots;
}

/// All ways to share `left` knots out among the bends from `counts.size()` on,
/// each within `slack` of its share of the mass; those with most on the left
/// first.
static void shareOut(const std::vector<Bend> &bends, double shareOfMass,
                     int left, std::vector<int> &counts,
                     std::vector<std::vector<int>> &all) {
  const int slack = 2;
  if (counts.size() == bends.size()) {
    if (left == 0)
      all.push_back(counts);
    return;
  }
  int share = std::lround(bends[counts.size()].getMass() * shareOfMass);
  for (int n = std::min(left, share + slack); n >= std::max(0, share - slack);
       --n) {
    counts.push_back(n);
    shareOut(bends, shareOfMass, left - n, counts, all);
    counts.pop_back();
  }
}

std::vector<Knots> memopt::makeStarts(const Activation &activation,
                                      int numKnots) {
  std::vector<Bend> bends = findBends(activation);
  double total = 0;
  for (const Bend &bend : bends)
    total += bend.getMass();
  std::vector<std::vector<int>> all;
  std::vector<int> counts;
  shareOut(bends, numKnots / total, numKnots, counts, all);
  std::vector<Knots> starts;
  for (const std::vector<int> &shares : all)
    for (double outward : {0.5, 0.75, 0.9})
      starts.push_back(placeKnots(activation, bends, shares, outward));
  return starts;
}
