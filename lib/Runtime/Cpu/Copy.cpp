//===- Copy.cpp - strided copies ------------------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Parallel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace memopt::cpu;

namespace {
/// A copy as rows of the loop that is innermost in the target, `columns` long,
/// and lines of the loop in which the source is consecutive, `lines` of them;
/// the rest of the loops outside. In between 32 x 32 elements at a time, which
/// both sides hold in cache.
struct Copy {
  Loops outer;
  int64_t columns = 1, lines = 1;
  int64_t columnFrom = 0, columnTo = 0, lineFrom = 0, lineTo = 0;
  static constexpr int64_t block = 32;

  int64_t getLineBlocks() const { return (lines + block - 1) / block; }
  int64_t getTaskCount() const { return outer.count * getLineBlocks(); }
};
} // namespace

template <typename Element>
static void copyBlock(const Copy &copy, const Element *from, Element *to,
                      int64_t line, int64_t lineEnd, int64_t column,
                      int64_t columnEnd) {
  for (int64_t i = line; i < lineEnd; ++i)
    for (int64_t j = column; j < columnEnd; ++j)
      to[i * copy.lineTo + j * copy.columnTo] =
          from[i * copy.lineFrom + j * copy.columnFrom];
}

template <typename Element>
static void runTask(const Copy &copy, int64_t task, const void *from,
                    void *to) {
  int64_t blocks = copy.getLineBlocks();
  int64_t point = task / blocks, line = task % blocks * Copy::block;
  int64_t lineEnd = std::min(line + Copy::block, copy.lines);
  auto *source =
      static_cast<const Element *>(from) + copy.outer.getOffset(A, point);
  auto *target = static_cast<Element *>(to) + copy.outer.getOffset(C, point);
  if (copy.columnFrom == 1 && copy.columnTo == 1) {
    for (int64_t i = line; i < lineEnd; ++i)
      std::memcpy(target + i * copy.lineTo, source + i * copy.lineFrom,
                  copy.columns * sizeof(Element));
    return;
  }
  for (int64_t column = 0; column < copy.columns; column += Copy::block)
    copyBlock(copy, source, target, line, lineEnd, column,
              std::min(column + Copy::block, copy.columns));
}

/// The loops by falling strides in the target, neighbours joined.
static Loops readLoops(const int64_t *shape) {
  struct Loop {
    int64_t size, from, to;
  };
  Loop loops[MEMOPT_CPU_MAX_LOOPS];
  int64_t count = shape[1];
  if (count < 0 || count > MEMOPT_CPU_MAX_LOOPS) {
    std::fprintf(stderr, "memopt_cpu_copy: %lld loops, at most %d\n",
                 static_cast<long long>(count), MEMOPT_CPU_MAX_LOOPS);
    std::abort();
  }
  for (int64_t i = 0; i < count; ++i)
    loops[i] = {shape[2 + 3 * i], shape[3 + 3 * i], shape[4 + 3 * i]};
  std::sort(loops, loops + count,
            [](const Loop &x, const Loop &y) { return x.to > y.to; });
  Loops joined;
  for (int64_t i = 0; i < count; ++i) {
    int64_t strides[3] = {loops[i].from, 0, loops[i].to};
    joined.add(loops[i].size, strides);
  }
  return joined;
}

/// Takes a loop out.
static void remove(Loops &loops, int number) {
  loops.count /= loops.sizes[number];
  --loops.rank;
  for (int i = number; i < loops.rank; ++i) {
    loops.sizes[i] = loops.sizes[i + 1];
    for (auto &strides : loops.strides)
      strides[i] = strides[i + 1];
  }
}

static Copy makeCopy(const int64_t *shape) {
  Copy copy;
  copy.outer = readLoops(shape);
  if (copy.outer.count == 0 || copy.outer.rank == 0)
    return copy;
  int last = copy.outer.rank - 1;
  copy.columns = copy.outer.sizes[last];
  copy.columnFrom = copy.outer.strides[A][last];
  copy.columnTo = copy.outer.strides[C][last];
  remove(copy.outer, last);
  if (copy.outer.rank == 0)
    return copy;
  // Lines: along the source if the columns are not, else the next loop out.
  int line = copy.outer.rank - 1;
  for (int i = 0; copy.columnFrom != 1 && i < copy.outer.rank; ++i)
    if (copy.outer.strides[A][i] == 1)
      line = i;
  copy.lines = copy.outer.sizes[line];
  copy.lineFrom = copy.outer.strides[A][line];
  copy.lineTo = copy.outer.strides[C][line];
  remove(copy.outer, line);
  return copy;
}

void memopt_cpu_copy(const int64_t *shape, const void *from, void *to) {
  Copy copy = makeCopy(shape);
  if (copy.outer.count == 0)
    return;
  // Tasks of some 64 KiB, whatever the number of threads.
  int64_t bytes = copy.columns * std::min(copy.lines, Copy::block) * shape[0];
  int64_t grain = std::max<int64_t>(1, (int64_t(64) << 10) / bytes);
  int64_t tasks = copy.getTaskCount();
  forEach((tasks + grain - 1) / grain, [&](int64_t chunk) {
    int64_t end = std::min((chunk + 1) * grain, tasks);
    for (int64_t task = chunk * grain; task < end; ++task)
      switch (shape[0]) {
      case 1:
        runTask<uint8_t>(copy, task, from, to);
        break;
      case 2:
        runTask<uint16_t>(copy, task, from, to);
        break;
      case 4:
        runTask<uint32_t>(copy, task, from, to);
        break;
      default:
        runTask<uint64_t>(copy, task, from, to);
      }
  });
}
