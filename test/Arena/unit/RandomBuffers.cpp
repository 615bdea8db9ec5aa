//===- RandomBuffers.cpp - buffers to pack --------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomBuffers.h"

#include <algorithm>
#include <numeric>

using namespace memopt::arena;

int64_t test::draw(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % uint64_t(high - low + 1));
}

std::vector<Buffer> test::randomBuffers(std::mt19937_64 &random, int count,
                                        int kernels, int64_t mostBytes) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < count; ++i) {
    int a = static_cast<int>(draw(random, 0, kernels - 1));
    int b = static_cast<int>(draw(random, 0, kernels - 1));
    buffers.push_back(
        {draw(random, 0, mostBytes), std::min(a, b), std::max(a, b)});
  }
  return buffers;
}

std::vector<Buffer> test::cutRectangle(std::mt19937_64 &random, int count,
                                       int kernels, int64_t height) {
  std::vector<Buffer> pieces = {{height, 0, kernels - 1}};
  while (static_cast<int>(pieces.size()) < count) {
    Buffer &piece = pieces[draw(random, 0, pieces.size() - 1)];
    Buffer rest = piece;
    if (random() % 2 && piece.last > piece.first) {
      piece.last = static_cast<int>(draw(random, piece.first, piece.last - 1));
      rest.first = piece.last + 1;
    } else if (piece.bytes > 1) {
      piece.bytes = draw(random, 1, piece.bytes - 1);
      rest.bytes -= piece.bytes;
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  return pieces;
}

std::vector<Buffer> test::layeredStep(std::mt19937_64 &random, int layers,
                                      int perLayer) {
  std::vector<Buffer> buffers;
  std::vector<int64_t> sizes;
  for (int i = 0; i < perLayer; ++i)
    sizes.push_back(int64_t(1) << draw(random, 8, 22));
  int end = 2 * layers * perLayer;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < perLayer; ++i) {
      int forward = layer * perLayer + i, backward = end - 1 - forward;
      buffers.push_back({sizes[i], forward, backward});
      buffers.push_back({sizes[(i + 1) % perLayer], forward, forward + 1});
      buffers.push_back({sizes[(i + 2) % perLayer], backward - 2, backward});
      if (i % 4 == 0)
        buffers.push_back({sizes[i], backward, end});
    }
  return buffers;
}

int64_t test::findSmallestHeight(const std::vector<Buffer> &buffers,
                                 int64_t alignment) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto sizeOf = [&](size_t i) {
    return (buffers[i].bytes + alignment - 1) / alignment * alignment;
  };
  int64_t smallest = INT64_MAX;
  do {
    std::vector<int64_t> offsets(buffers.size(), 0);
    int64_t height = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      size_t i = order[k];
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t l = 0; l < k; ++l) {
          size_t j = order[l];
          bool together = buffers[i].first <= buffers[j].last &&
                          buffers[j].first <= buffers[i].last;
          if (together && offsets[i] < offsets[j] + sizeOf(j) &&
              offsets[j] < offsets[i] + sizeOf(i)) {
            offsets[i] = offsets[j] + sizeOf(j);
            moved = true;
          }
        }
      }
      height = std::max(height, offsets[i] + sizeOf(i));
    }
    smallest = std::min(smallest, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return smallest;
}
