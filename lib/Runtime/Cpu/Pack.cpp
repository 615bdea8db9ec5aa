//===- Pack.cpp - copies between operands and the workspace ---------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack.h"
#include "Elements.h"

#include <algorithm>

using namespace memopt::cpu;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMOPT_SANITIZED
#endif
#endif
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(MEMOPT_SANITIZED)
// 16-bit conversions are single instructions on these; picked at load time,
// which is before a sanitizer is ready.
#define MEMOPT_CLONES                                                          \
  __attribute__((                                                              \
      target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define MEMOPT_CLONES
#endif

//===----------------------------------------------------------------------===//
// Runs of elements
//===----------------------------------------------------------------------===//

// Part of each clone: a function of their own would be compiled once, for any
// processor, and convert 16-bit numbers by calls.
namespace {
template <typename To, typename From>
[[gnu::always_inline]] inline void copyRun(To *to, const From *from,
                                           int64_t stride, int64_t count) {
  if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = convert<To>(from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = convert<To>(from[i * stride]);
}

template <typename To, typename From>
[[gnu::always_inline]] inline void storeRun(To *to, int64_t stride,
                                            const From *from, int64_t count,
                                            bool accumulate) {
  if (accumulate)
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] =
          convert<To>(From(convert<From>(to[i * stride]) + from[i]));
  else if (stride == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = convert<To>(from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i * stride] = convert<To>(from[i]);
}
} // namespace

// One function for each pair of types, so that each can have its clones.
#define MEMOPT_COPY(NAME, TO, FROM)                                            \
  MEMOPT_CLONES static void NAME(void *to, const void *from, int64_t stride,   \
                                 int64_t count) {                              \
    copyRun(static_cast<TO *>(to), static_cast<const FROM *>(from), stride,    \
            count);                                                            \
  }
MEMOPT_COPY(copyF32, float, float)
MEMOPT_COPY(copyF64, double, double)
MEMOPT_COPY(copyBF16, uint16_t, uint16_t)
MEMOPT_COPY(widenBF16, float, BFloat16)
MEMOPT_COPY(widenF16, float, Float16)
MEMOPT_COPY(widenF32, double, float)
MEMOPT_COPY(doubleBF16, double, BFloat16)
MEMOPT_COPY(doubleF16, double, Float16)

#define MEMOPT_STORE(NAME, TO, FROM)                                           \
  MEMOPT_CLONES static void NAME(void *to, int64_t stride, const void *from,   \
                                 int64_t count, bool accumulate) {             \
    storeRun(static_cast<TO *>(to), stride, static_cast<const FROM *>(from),   \
             count, accumulate);                                               \
  }
MEMOPT_STORE(storeF32, float, float)
MEMOPT_STORE(storeF64, double, float)
MEMOPT_STORE(storeBF16, BFloat16, float)
MEMOPT_STORE(storeF16, Float16, float)
MEMOPT_STORE(storeF32FromF64, float, double)
MEMOPT_STORE(storeF64FromF64, double, double)
MEMOPT_STORE(storeBF16FromF64, BFloat16, double)
MEMOPT_STORE(storeF16FromF64, Float16, double)

using CopyFunction = void (*)(void *, const void *, int64_t, int64_t);
using StoreFunction = void (*)(void *, int64_t, const void *, int64_t, bool);

static CopyFunction getCopy(int64_t to, int64_t from) {
  static constexpr CopyFunction toF32[] = {copyF32, nullptr, widenBF16,
                                           widenF16};
  static constexpr CopyFunction toF64[] = {widenF32, copyF64, doubleBF16,
                                           doubleF16};
  if (to == MEMOPT_CPU_BF16)
    return copyBF16;
  return to == MEMOPT_CPU_F64 ? toF64[from] : toF32[from];
}

static StoreFunction getStore(int64_t to, int64_t from) {
  static constexpr StoreFunction fromF32[] = {storeF32, storeF64, storeBF16,
                                              storeF16};
  static constexpr StoreFunction fromF64[] = {
      storeF32FromF64, storeF64FromF64, storeBF16FromF64, storeF16FromF64};
  return from == MEMOPT_CPU_F64 ? fromF64[to] : fromF32[to];
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Calls `call(index from begin, elements from index 0, count)` for each run of
/// the range that lies along the inner loop.
template <typename Call>
static void forEachRun(Range range, Operand operand, const Call &call) {
  int64_t inner = range.loops.getInnerSize();
  for (int64_t i = range.begin; i < range.end;) {
    int64_t count = std::min(inner - i % inner, range.end - i);
    call(i - range.begin, range.loops.getOffset(operand, i), count);
    i += count;
  }
}

Matrix memopt::cpu::pack(char *destination, int64_t to, const char *source,
                         int64_t from, Operand operand, Range rows,
                         Range columns, bool copies) {
  int64_t toBytes = getBytes(to), fromBytes = getBytes(from);
  CopyFunction copy = getCopy(to, from);
  bool byColumns = columns.loops.getInnerStride(operand) != 1 &&
                   rows.loops.getInnerStride(operand) == 1;
  Range outer = byColumns ? columns : rows, inner = byColumns ? rows : columns;
  int64_t innerStride = inner.loops.getInnerStride(operand);
  for (int64_t o = outer.begin; copies && o < outer.end; ++o) {
    char *line = destination + (o - outer.begin) * inner.size() * toBytes;
    int64_t base = outer.loops.getOffset(operand, o);
    forEachRun(inner, operand, [&](int64_t at, int64_t offset, int64_t count) {
      copy(line + at * toBytes, source + (base + offset) * fromBytes,
           innerStride, count);
    });
  }
  return byColumns ? Matrix{destination, 1, inner.size()}
                   : Matrix{destination, inner.size(), 1};
}

void memopt::cpu::store(char *c, int64_t to, const char *tile, int64_t from,
                        int64_t tileStride, Range rows, Range columns,
                        bool accumulate) {
  int64_t toBytes = getBytes(to), fromBytes = getBytes(from);
  StoreFunction storeRun = getStore(to, from);
  int64_t stride = columns.loops.getInnerStride(C);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const char *line = tile + (row - rows.begin) * tileStride * fromBytes;
    int64_t base = rows.loops.getOffset(C, row);
    forEachRun(columns, C, [&](int64_t at, int64_t offset, int64_t count) {
      storeRun(c + (base + offset) * toBytes, stride, line + at * fromBytes,
               count, accumulate);
    });
  }
}
