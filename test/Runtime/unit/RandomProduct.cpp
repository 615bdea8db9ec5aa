//===- RandomProduct.cpp - products of random shapes ----------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProduct.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace memopt::test;

//===----------------------------------------------------------------------===//
// Elements, one at a time and by the slow way
//===----------------------------------------------------------------------===//

static int64_t getBytes(int64_t type) {
  return type == MEMOPT_CPU_F64 ? 8 : type == MEMOPT_CPU_F32 ? 4 : 2;
}

static double load(const std::vector<char> &data, int64_t type, int64_t i) {
  const char *at = data.data() + i * getBytes(type);
  double f64;
  float f32;
  _Float16 f16;
  uint16_t half;
  switch (type) {
  case MEMOPT_CPU_F64:
    std::memcpy(&f64, at, 8);
    return f64;
  case MEMOPT_CPU_F32:
    std::memcpy(&f32, at, 4);
    return f32;
  case MEMOPT_CPU_F16:
    std::memcpy(&f16, at, 2);
    return static_cast<double>(f16);
  default:
    std::memcpy(&half, at, 2);
    uint32_t bits = uint32_t(half) << 16;
    std::memcpy(&f32, &bits, 4);
    return f32;
  }
}

/// Only of values that the type holds.
static void save(std::vector<char> &data, int64_t type, int64_t i,
                 double value) {
  char *at = data.data() + i * getBytes(type);
  float f32 = static_cast<float>(value);
  auto f16 = static_cast<_Float16>(value);
  uint32_t bits;
  std::memcpy(&bits, &f32, 4);
  auto half = static_cast<uint16_t>(bits >> 16);
  switch (type) {
  case MEMOPT_CPU_F64:
    std::memcpy(at, &value, 8);
    break;
  case MEMOPT_CPU_F32:
    std::memcpy(at, &f32, 4);
    break;
  case MEMOPT_CPU_F16:
    std::memcpy(at, &f16, 2);
    break;
  default:
    std::memcpy(at, &half, 2);
  }
}

static double getRounding(int64_t type) {
  return type == MEMOPT_CPU_F64    ? 0x1p-53
         : type == MEMOPT_CPU_F32  ? 0x1p-24
         : type == MEMOPT_CPU_BF16 ? 0x1p-8
                                   : 0x1p-11;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t Product::getLength(int64_t Loop::*stride) const {
  int64_t last = 0;
  for (const Loop &loop : loops)
    last += std::max<int64_t>(loop.size - 1, 0) * (loop.*stride);
  return last + 1;
}

Product::Product(int64_t aType, int64_t bType, int64_t cType, bool accumulate,
                 std::vector<Loop> loops, unsigned seed)
    : aType(aType), bType(bType), cType(cType), accumulate(accumulate),
      loops(std::move(loops)) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> bits(-127, 127);
  auto fill = [&](std::vector<char> &data, int64_t type, int64_t length) {
    data.resize(length * getBytes(type));
    for (int64_t i = 0; i < length; ++i)
      save(data, type, i, bits(random) / 64.0);
  };
  fill(a, aType, getLength(&Loop::a));
  fill(b, bType, getLength(&Loop::b));
  fill(c, cType, getLength(&Loop::c));
}

std::vector<int64_t> Product::getShape() const {
  std::vector<int64_t> shape{aType, bType, cType, accumulate,
                             int64_t(loops.size())};
  for (const Loop &loop : loops)
    shape.insert(shape.end(), {loop.kind, loop.size, loop.a, loop.b, loop.c});
  return shape;
}

static std::vector<double> loadAll(const std::vector<char> &data,
                                   int64_t type) {
  std::vector<double> values(data.size() / getBytes(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = load(data, type, i);
  return values;
}

std::vector<double> Product::run() const {
  std::vector<char> result = c;
  memopt_cpu_gemm(getShape().data(), a.data(), b.data(), result.data(), nullptr,
                  nullptr);
  return loadAll(result, cType);
}

namespace {
/// What an epilogue needs to put a tile where it belongs.
struct Place {
  const std::vector<Loop> *loops;
  bool isDouble;
  std::vector<double> *c;

  int64_t getOffset(int64_t kind, int64_t index) const {
    int64_t offset = 0;
    for (auto loop = loops->rbegin(); loop != loops->rend(); ++loop)
      if (loop->kind == kind) {
        offset += index % loop->size * loop->c;
        index /= loop->size;
      }
    return offset;
  }
};
} // namespace

static void storeTile(void *const *buffers, const void *tile, int64_t stride,
                      int64_t batch, int64_t mBegin, int64_t mEnd,
                      int64_t nBegin, int64_t nEnd) {
  const Place &place = *static_cast<const Place *>(buffers[0]);
  int64_t base = place.getOffset(MEMOPT_CPU_BATCH, batch);
  for (int64_t m = mBegin; m < mEnd; ++m)
    for (int64_t n = nBegin; n < nEnd; ++n) {
      int64_t at = (m - mBegin) * stride + n - nBegin;
      (*place.c)[base + place.getOffset(MEMOPT_CPU_M, m) +
                 place.getOffset(MEMOPT_CPU_N, n)] =
          place.isDouble ? static_cast<const double *>(tile)[at]
                         : static_cast<const float *>(tile)[at];
    }
}

std::vector<double> Product::runWithEpilogue() const {
  std::vector<double> result = loadAll(c, cType);
  bool isDouble = aType == MEMOPT_CPU_F64 || bType == MEMOPT_CPU_F64 ||
                  cType == MEMOPT_CPU_F64;
  Place place{&loops, isDouble, &result};
  void *buffers[] = {&place};
  memopt_cpu_gemm(getShape().data(), a.data(), b.data(), nullptr, storeTile,
                  buffers);
  return result;
}

/// Calls `call` with the offsets in a, b and c of each point of the loops, of
/// those over k only where `sums`.
template <typename Call>
static void forEachPoint(const std::vector<Loop> &loops, bool sums,
                         const Call &call, size_t depth = 0, int64_t a = 0,
                         int64_t b = 0, int64_t c = 0) {
  if (depth == loops.size())
    return call(a, b, c);
  const Loop &loop = loops[depth];
  int64_t size = !sums && loop.kind == MEMOPT_CPU_K ? 1 : loop.size;
  for (int64_t i = 0; i < size; ++i)
    forEachPoint(loops, sums, call, depth + 1, a + i * loop.a, b + i * loop.b,
                 c + i * loop.c);
}

Product::Sums Product::sum() const {
  std::vector<double> before = loadAll(c, cType);
  Sums sums{before, before};
  std::vector<char> touched(before.size());
  std::vector<double> left = loadAll(a, aType), right = loadAll(b, bType);
  // Every point of c once, for a sum over nothing, then every product.
  forEachPoint(loops, /*sums=*/false, [&](int64_t, int64_t, int64_t to) {
    touched[to] = 1;
    sums.values[to] = accumulate ? before[to] : 0;
    sums.magnitudes[to] = std::abs(sums.values[to]);
  });
  forEachPoint(loops, /*sums=*/true, [&](int64_t i, int64_t j, int64_t to) {
    double product = left[i] * right[j];
    sums.values[to] += product;
    sums.magnitudes[to] += std::abs(product);
  });
  for (size_t i = 0; i < touched.size(); ++i)
    if (!touched[i])
      sums.magnitudes[i] = 0; // must stay as it was
  return sums;
}

/// |sum - exact| <= (terms + 1) u sum |a b|, then one rounding to c's type.
double Product::getError(const std::vector<double> &result) const {
  Sums sums = sum();
  int64_t terms = 2;
  for (const Loop &loop : loops)
    if (loop.kind == MEMOPT_CPU_K)
      terms *= std::max<int64_t>(loop.size, 1);
  bool isDouble = aType == MEMOPT_CPU_F64 || bType == MEMOPT_CPU_F64 ||
                  cType == MEMOPT_CPU_F64;
  double worst = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    double allowed =
        terms * getRounding(isDouble ? MEMOPT_CPU_F64 : MEMOPT_CPU_F32) *
            sums.magnitudes[i] +
        1.01 * getRounding(cType) * std::abs(sums.values[i]) * 1.01 + 1e-300;
    if (sums.magnitudes[i] == 0)
      allowed = 1e-300;
    double error = std::abs(result[i] - sums.values[i]);
    worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error / allowed);
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Gives the loops that `operand` has strides in a random order, with gaps.
static void layOut(std::vector<Loop> &loops, int64_t Loop::*stride,
                   int64_t without, std::mt19937 &random, bool isResult) {
  std::vector<size_t> order;
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].kind != without)
      order.push_back(i);
  if (random() % 2)
    std::shuffle(order.begin(), order.end(), random);
  int64_t next = random() % 8 ? 1 : 2;
  for (size_t i = order.size(); i-- > 0;) {
    Loop &loop = loops[order[i]];
    bool broadcast = !isResult && random() % 12 == 0;
    bool overlaps = !isResult && random() % 12 == 0;
    loop.*stride = broadcast ? 0 : overlaps ? 1 : next;
    if (!broadcast)
      next = std::max<int64_t>(next, (loop.*stride) *
                                             std::max<int64_t>(loop.size, 1) +
                                         (random() % 6 ? 0 : 3));
  }
}

std::vector<Loop> memopt::test::makeRandomLoops(std::mt19937 &random) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 17, 33};
  std::vector<Loop> loops;
  int64_t points = 1;
  for (int i = 0, e = 2 + random() % 6; i < e; ++i) {
    Loop loop{int64_t(random() % 4), sizes[random() % 9], 0, 0, 0};
    if (random() % 60 == 0)
      loop.size = 0;
    if (points * std::max<int64_t>(loop.size, 1) > 50000)
      continue;
    points *= std::max<int64_t>(loop.size, 1);
    loops.push_back(loop);
  }
  layOut(loops, &Loop::a, MEMOPT_CPU_N, random, false);
  layOut(loops, &Loop::b, MEMOPT_CPU_M, random, false);
  layOut(loops, &Loop::c, MEMOPT_CPU_K, random, true);
  return loops;
}

std::vector<Loop> memopt::test::makeMatrixLoops(int64_t batch, int64_t m,
                                                int64_t n, int64_t k,
                                                bool aTransposed,
                                                bool bTransposed) {
  return {{MEMOPT_CPU_BATCH, batch, m * k, k * n, m * n},
          {MEMOPT_CPU_M, m, aTransposed ? 1 : k, 0, n},
          {MEMOPT_CPU_N, n, 0, bTransposed ? k : 1, 1},
          {MEMOPT_CPU_K, k, aTransposed ? m : 1, bTransposed ? 1 : n, 0}};
}
