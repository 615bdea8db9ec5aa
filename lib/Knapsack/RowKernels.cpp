//===- RowKernels.cpp - The inner loop of the dense rows ------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One body, compiled for several instruction sets and chosen when it runs, so
// that the library works on every x86-64 machine and is fast on new ones.
//
//===----------------------------------------------------------------------===//

#include "RowKernels.h"

#include <cstring>

#define ALWAYS_INLINE inline __attribute__((always_inline))

namespace memopt::knapsack {

namespace {

/// A vector of `Bytes` bytes; GNU vectors compile to whatever the target has.
template <class V, size_t Bytes> struct Pack {
  typedef V Type __attribute__((vector_size(Bytes)));
};

template <class Vec, class V> ALWAYS_INLINE void load(Vec &v, const V *from) {
  std::memcpy(&v, from, sizeof(v));
}

/// Columns [low, high] with the same shifts. A block's old values are all
/// loaded before any is stored, and lower blocks come later, so that a weight
/// smaller than a vector does no harm.
template <size_t Bytes, class V>
ALWAYS_INLINE void relaxSegment(V *row, int64_t low, int64_t high,
                                const Shift<V> *shifts, size_t count) {
  typedef typename Pack<V, Bytes>::Type Vec;
  constexpr int64_t kLanes = Bytes / sizeof(V), kBlock = 2 * kLanes;
  int64_t j = high + 1;
  for (; j - low >= kBlock; j -= kBlock) {
    Vec a, b, c, d;
    load(a, row + j - kBlock);
    load(b, row + j - kLanes);
    for (size_t s = 0; s < count; ++s) {
      const V *from = row + j - shifts[s].weight;
      load(c, from - kBlock);
      load(d, from - kLanes);
      c += shifts[s].profit;
      d += shifts[s].profit;
      a = a > c ? a : c;
      b = b > d ? b : d;
    }
    std::memcpy(row + j - kBlock, &a, sizeof(a));
    std::memcpy(row + j - kLanes, &b, sizeof(b));
  }
  while (j-- > low)
    for (size_t s = 0; s < count; ++s) {
      V c = row[j - shifts[s].weight] + shifts[s].profit;
      row[j] = row[j] > c ? row[j] : c;
    }
}

/// Splits the row where one more shift begins to fit.
template <size_t Bytes, class V>
ALWAYS_INLINE void relaxRow(V *row, int64_t top, const Shift<V> *shifts,
                            size_t count) {
  for (size_t fits = count; fits; --fits) {
    int64_t low = shifts[fits - 1].weight;
    if (low > top)
      continue;
    relaxSegment<Bytes>(row, low, top, shifts, fits);
    top = low - 1;
  }
}

template <class V>
void relaxBaseline(V *row, int64_t top, const Shift<V> *shifts, size_t count) {
  relaxRow<16>(row, top, shifts, count);
}

#if defined(__x86_64__)
template <class V>
__attribute__((target("avx2"))) void
relaxAvx2(V *row, int64_t top, const Shift<V> *shifts, size_t count) {
  relaxRow<32>(row, top, shifts, count);
}

template <class V>
__attribute__((target("avx512f"))) void
relaxAvx512(V *row, int64_t top, const Shift<V> *shifts, size_t count) {
  relaxRow<64>(row, top, shifts, count);
}
#endif

template <class V>
using Kernel = void (*)(V *, int64_t, const Shift<V> *, size_t);

template <class V> Kernel<V> kernelFor(VectorSet set) {
#if defined(__x86_64__)
  if (set == VectorSet::Avx512)
    return relaxAvx512<V>;
  if (set == VectorSet::Avx2)
    return relaxAvx2<V>;
#endif
  return relaxBaseline<V>;
}

VectorSet bestSet() {
  return isAvailable(VectorSet::Avx512) ? VectorSet::Avx512
         : isAvailable(VectorSet::Avx2) ? VectorSet::Avx2
                                        : VectorSet::Baseline;
}

template <class V>
void dispatch(V *row, int64_t top, const Shift<V> *shifts, size_t count) {
  static const Kernel<V> kernel = kernelFor<V>(bestSet());
  kernel(row, top, shifts, count);
}

} // namespace

bool isAvailable(VectorSet set) {
#if defined(__x86_64__)
  if (set == VectorSet::Avx512)
    return __builtin_cpu_supports("avx512f");
  if (set == VectorSet::Avx2)
    return __builtin_cpu_supports("avx2");
#endif
  return set == VectorSet::Baseline;
}

void relaxWith(VectorSet set, int32_t *row, int64_t top,
               const Shift<int32_t> *shifts, size_t count) {
  kernelFor<int32_t>(set)(row, top, shifts, count);
}

void relaxWith(VectorSet set, int64_t *row, int64_t top,
               const Shift<int64_t> *shifts, size_t count) {
  kernelFor<int64_t>(set)(row, top, shifts, count);
}

void relax(int32_t *row, int64_t top, const Shift<int32_t> *shifts,
           size_t count) {
  dispatch(row, top, shifts, count);
}

void relax(int64_t *row, int64_t top, const Shift<int64_t> *shifts,
           size_t count) {
  dispatch(row, top, shifts, count);
}

/// No machine has vectors of 128-bit integers.
void relax(Int128 *row, int64_t top, const Shift<Int128> *shifts,
           size_t count) {
  for (int64_t j = top; j >= 0; --j)
    for (size_t s = 0; s < count && shifts[s].weight <= j; ++s) {
      Int128 c = row[j - shifts[s].weight] + shifts[s].profit;
      row[j] = row[j] > c ? row[j] : c;
    }
}

} // namespace memopt::knapsack
