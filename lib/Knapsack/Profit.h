//===- Profit.h - Exact arithmetic on profits and rates ---------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Value and key are ordered lexicographically. With K one more than the sum of
// all keys,
//
//   (v, k) > (v', k')  lexicographically  <=>  v K + k > v' K + k',
//
// so the solvers maximize one integer, the profit v K + k. It is an int64_t
// wherever the sum of all profits fits, and an Int128 otherwise (v, k < 2^63,
// so the sum is below 2^126).
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_KNAPSACK_PROFIT_H
#define MEMOPT_LIB_KNAPSACK_PROFIT_H

#include <cstdint>

namespace memopt::knapsack {

__extension__ typedef __int128 Int128;

/// Above every sum of profits.
constexpr Int128 kUnbounded = Int128(1) << 126;

/// Profit per unit of weight, as a fraction; a weight of 0 means no rate.
template <class P> struct Rate {
  P profit = 0;
  int64_t weight = 0;
  bool exists() const { return weight != 0; }
};

/// The sign of a.profit / a.weight - b.profit / b.weight; both weights > 0.
inline int compare(const Rate<int64_t> &a, const Rate<int64_t> &b) {
  Int128 l = Int128(a.profit) * b.weight, r = Int128(b.profit) * a.weight;
  return l < r ? -1 : l > r;
}

/// The same where the cross products would need 189 bits: whole parts first,
/// then the remainders, which are smaller than the weights.
inline int compare(const Rate<Int128> &a, const Rate<Int128> &b) {
  Int128 l = a.profit / a.weight, r = b.profit / b.weight;
  if (l == r) {
    l = (a.profit % a.weight) * b.weight;
    r = (b.profit % b.weight) * a.weight;
  }
  return l < r ? -1 : l > r;
}

inline Int128 floorDiv(Int128 a, Int128 b) {
  Int128 q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

/// floor(slack * rate): what `slack` units of weight are worth at most, or, for
/// a negative slack, what making them room costs at least.
inline Int128 gain(int64_t slack, const Rate<int64_t> &rate) {
  return floorDiv(Int128(slack) * rate.profit, rate.weight);
}

/// The same with p = q w + s: slack p / w = slack q + slack s / w. Saturates at
/// +-2^126, which no sum of profits reaches, so a bound stays a bound.
inline Int128 gain(int64_t slack, const Rate<Int128> &rate) {
  Int128 whole;
  if (__builtin_mul_overflow(Int128(slack), rate.profit / rate.weight,
                             &whole) ||
      whole > kUnbounded || whole < -kUnbounded)
    return slack < 0 ? -kUnbounded : kUnbounded;
  Int128 sum =
      whole + floorDiv(slack * (rate.profit % rate.weight), rate.weight);
  return sum > kUnbounded ? kUnbounded : sum < -kUnbounded ? -kUnbounded : sum;
}

/// gain(slack, rate) >= need, without the division where that is possible:
/// floor(a / w) >= need  <=>  a >= need w.
inline bool gains(int64_t slack, const Rate<int64_t> &rate, Int128 need) {
  if (need > kUnbounded >> 64 || need < -(kUnbounded >> 64))
    return gain(slack, rate) >= need;
  return Int128(slack) * rate.profit >= need * rate.weight;
}
inline bool gains(int64_t slack, const Rate<Int128> &rate, Int128 need) {
  return gain(slack, rate) >= need;
}

/// The greatest common divisor of absolute values; gcd(0, b) = |b|.
template <class P> P gcdOf(P a, P b) {
  if (a < 0)
    a = -a;
  if (b < 0)
    b = -b;
  while (b) {
    P t = a % b;
    a = b;
    b = t;
  }
  return a;
}

} // namespace memopt::knapsack

#endif // MEMOPT_LIB_KNAPSACK_PROFIT_H
