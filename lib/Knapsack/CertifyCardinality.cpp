//===- CertifyCardinality.cpp - Bounds by the number of items -------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If no more than k items fit, then for any m >= 0 and l >= 0
//
//   P(x) <= m k + l C + sum_i max(0, p_i - m - l w_i),
//
// and if a profit above z takes at least k items, the same holds for any
// m <= 0. The search for m and l is in doubles; the bound that decides is
// evaluated in integers.
//
//===----------------------------------------------------------------------===//

#include "CertifyImpl.h"

#include <algorithm>
#include <cmath>

namespace memopt::knapsack::proof {

namespace {

class CardinalityProof {
public:
  CardinalityProof(const Instance &in, int64_t z) : in(in), z(z) {
    for (size_t i = 0; i < in.size(); ++i) {
      Deviation x = in.alternative(i, 1);
      if (x.weight <= in.capacity() && x.profit > 0)
        items.push_back(x);
    }
  }

  bool run() {
    if (items.empty())
      return z >= 0;
    if (mostThatFit() < leastNeeded())
      return true;
    return closes(+1, mostThatFit()) || closes(-1, leastNeeded());
  }

private:
  int64_t mostThatFit() const {
    std::vector<int64_t> weights;
    for (const Deviation &x : items)
      weights.push_back(x.weight);
    std::sort(weights.begin(), weights.end());
    Wide sum = 0;
    int64_t count = 0;
    for (int64_t w : weights) {
      sum += w;
      if (sum > in.capacity())
        break;
      ++count;
    }
    return count;
  }

  int64_t leastNeeded() const {
    std::vector<int64_t> profits;
    for (const Deviation &x : items)
      profits.push_back(x.profit);
    std::sort(profits.rbegin(), profits.rend());
    Wide sum = 0;
    int64_t count = 0;
    for (size_t i = 0; i < profits.size() && sum <= z; ++i, ++count)
      sum += profits[i];
    return sum > z ? count : INT64_MAX;
  }

  /// A price at which the items worth more than m + l w just fill the capacity.
  double priceFor(double m) const {
    double low = 0, high = 1;
    auto weight = [&](double l) {
      double sum = 0;
      for (const Deviation &x : items)
        if (double(x.profit) - m > l * double(x.weight))
          sum += double(x.weight);
      return sum;
    };
    while (weight(high) > double(in.capacity()) && high < 1e300)
      high *= 2;
    for (int i = 0; i < 60; ++i) {
      double middle = (low + high) / 2;
      (weight(middle) > double(in.capacity()) ? low : high) = middle;
    }
    return high;
  }

  double approximate(double m, int64_t k) const {
    double l = priceFor(m), sum = m * double(k) + l * double(in.capacity());
    for (const Deviation &x : items)
      sum += std::max(0.0, double(x.profit) - m - l * double(x.weight));
    return sum;
  }

  /// The bound in integers, at the item's rate nearest to the real price.
  bool closesAt(int64_t m, int64_t k) const {
    double price = priceFor(double(m)), distance = price;
    Price l{0, 1};
    for (const Deviation &x : items) {
      if (x.weight == 0 || x.profit <= m)
        continue;
      double d = std::fabs(double(x.profit - m) / double(x.weight) - price);
      if (d < distance) {
        distance = d;
        l = {x.profit - m, x.weight};
      }
    }
    Wide bound = Wide(m) * k * l.weight + Wide(l.profit) * in.capacity();
    for (const Deviation &x : items)
      bound += std::max<Wide>(0, Wide(x.profit - m) * l.weight -
                                     Wide(x.weight) * l.profit);
    return bound < (Wide(z) + 1) * l.weight;
  }

  bool closes(int sign, int64_t k) const {
    int64_t low = 0, high = 0;
    for (const Deviation &x : items)
      high = std::max(high, x.profit);
    if (high > int64_t(1) << 50)
      return false; // Doubles would not tell neighbours apart.
    while (high - low > 4) {
      int64_t third = (high - low) / 3, a = low + third, b = high - third;
      if (approximate(double(sign * a), k) <= approximate(double(sign * b), k))
        high = b;
      else
        low = a;
    }
    for (int64_t m = std::max<int64_t>(low - 2, 0); m <= high + 2; ++m)
      if (closesAt(sign * m, k))
        return true;
    return false;
  }

  const Instance &in;
  const int64_t z;
  std::vector<Deviation> items;
};

} // namespace

bool closedByCardinality(const Instance &in, int64_t z) {
  return CardinalityProof(in, z).run();
}

} // namespace memopt::knapsack::proof
