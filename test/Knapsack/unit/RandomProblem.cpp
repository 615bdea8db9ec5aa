//===- RandomProblem.cpp - Small random problems of both forms ------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProblem.h"

#include <algorithm>
#include <numeric>

namespace memopt::knapsack {

namespace {

/// How numbers of a problem are drawn.
struct Style {
  int64_t topWeight, topValue, topKey;
  int64_t weightUnit, valueUnit;
  int64_t
      correlated; ///< 0: independent; 1: value = weight; 2: plus a constant.
};

Style randomStyle(Random &random) {
  static const int64_t tops[] = {1, 3, 10, 30, 100, 1000};
  static const int64_t units[] = {1, 1, 1, 2, 6, 512, 1 << 20, 12345};
  Style s;
  s.topWeight = tops[random.upTo(5)];
  s.topValue = tops[random.upTo(5)];
  s.topKey = random.oneIn(2)   ? 0
             : random.oneIn(3) ? int64_t(1) << 58
                               : tops[random.upTo(5)];
  s.weightUnit = units[random.upTo(7)];
  s.valueUnit = units[random.upTo(7)];
  s.correlated = random.oneIn(3) ? random.upTo(2) : 0;
  if (random.oneIn(20)) // Sums near 2^62.
    s.topWeight = s.topValue = (int64_t(1) << 62) / 12,
    s.weightUnit = s.valueUnit = 1, s.topKey = random.upTo(3);
  return s;
}

State randomState(Random &random, const Style &style) {
  State s;
  s.weight = random.upTo(style.topWeight) * style.weightUnit;
  s.value = style.correlated ? s.weight + (style.correlated - 1) * 7
                             : random.upTo(style.topValue) * style.valueUnit;
  s.key = random.upTo(style.topKey);
  if (random.oneIn(12))
    s.weight = 0;
  if (random.oneIn(12))
    s.value = 0;
  return s;
}

/// Copies some states over others, so that there are equal ones.
void repeatSome(Random &random, std::vector<State> &states) {
  while (!states.empty() && random.oneIn(2))
    states[random.upTo(int64_t(states.size()) - 1)] =
        states[random.upTo(int64_t(states.size()) - 1)];
}

int64_t randomCapacity(Random &random, int64_t least, int64_t most) {
  switch (random.upTo(9)) {
  case 0:
    return 0;
  case 1:
    return most;
  case 2:
    return std::max<int64_t>(least - 1, 0);
  case 3:
    return least;
  default:
    return random.upTo(most);
  }
}

} // namespace

Problem randomItems(Random &random) {
  Problem p;
  Style style = randomStyle(random);
  for (int64_t i = random.upTo(12); i > 0; --i)
    p.states.push_back(randomState(random, style));
  repeatSome(random, p.states);
  int64_t sum = 0, least = INT64_MAX;
  for (const State &s : p.states) {
    sum += s.weight;
    least = std::min(least, s.weight);
  }
  p.capacity = randomCapacity(random, p.states.empty() ? 0 : least, sum);
  return p;
}

Problem randomClasses(Random &random) {
  Problem p;
  Style style = randomStyle(random);
  p.classStart.push_back(0);
  for (int64_t c = random.upTo(8); c > 0; --c) {
    if (p.classStart.size() > 1 && random.oneIn(4)) {
      // The same class again.
      size_t from = p.classStart[p.classStart.size() - 2];
      std::vector<State> again(p.states.begin() + from, p.states.end());
      p.states.insert(p.states.end(), again.begin(), again.end());
    } else {
      for (int64_t s = random.upTo(3); s >= 0; --s)
        p.states.push_back(randomState(random, style));
    }
    p.classStart.push_back(uint32_t(p.states.size()));
  }
  int64_t least = 0, most = 0;
  for (size_t c = 0; c < p.size(); ++c) {
    auto byWeight = [](const State &a, const State &b) {
      return a.weight < b.weight;
    };
    auto [low, high] =
        std::minmax_element(p.states.begin() + p.classStart[c],
                            p.states.begin() + p.classStart[c + 1], byWeight);
    least += low->weight;
    most += high->weight;
  }
  p.capacity = randomCapacity(random, least, most);
  return p;
}

/// Value and weight related as `kind` says, both at least 1.
static State relatedState(Random &random, int64_t kind, int64_t top) {
  int64_t w = random.upTo(top - 1) + 1, v = random.upTo(top - 1) + 1;
  switch (kind) {
  case 0:
    return {v, w, 0};
  case 1: // Weakly correlated.
    return {w + random.upTo(top / 10), w, 0};
  case 2: // Strongly correlated.
    return {w + top / 10, w, 0};
  case 3: // Inverse strongly correlated.
    return {w, w + top / 10, 0};
  case 4: // Subset sum, even.
    return {2 * w, 2 * w, 0};
  default: // Nearly equal per weight, coarse values.
    return {(w / 8 + 1) * 64, w, 0};
  }
}

Problem randomLarge(Random &random) {
  Problem p;
  int64_t kind = random.upTo(5), top = random.oneIn(2) ? 100 : 1000;
  int64_t topKey = random.oneIn(2) ? 0 : random.oneIn(2) ? 5 : 1 << 20;
  bool classes = random.oneIn(2);
  int64_t sum = 0;
  if (classes)
    p.classStart.push_back(0);
  for (int64_t i = 50 + random.upTo(250); i > 0; --i) {
    State s{};
    for (int64_t k = classes ? random.upTo(3) : 0; k >= 0; --k) {
      State more = relatedState(random, kind, top);
      s = {s.value + more.value, s.weight + more.weight, random.upTo(topKey)};
      p.states.push_back(s);
    }
    sum += s.weight;
    if (classes)
      p.classStart.push_back(uint32_t(p.states.size()));
  }
  p.capacity = sum * (2 + random.upTo(7)) / 10;
  return p;
}

int64_t rowLength(const Problem &problem) {
  int64_t unit = 0;
  for (size_t i = 0; i < problem.size(); ++i) {
    int64_t base = problem.alternative(i, 0).weight;
    unit = std::gcd(unit, base);
    for (uint32_t a = 0; a < problem.alternatives(i); ++a)
      unit = std::gcd(unit, problem.alternative(i, a).weight);
  }
  return unit ? problem.capacity / unit : 0;
}

} // namespace memopt::knapsack
