//===- Search.h - packings within a height ----------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_SEARCH_H
#define MEMOPT_LIB_ARENA_SEARCH_H

#include "Skyline.h"

#include <unordered_set>

namespace memopt::arena {

/// Depth-first search for a packing within one height. What it has refuted it
/// remembers from one run to the next.
class Search {
public:
  Search(const Instance &instance, int64_t height)
      : skyline(instance, height), start(skyline.mark()) {}

  enum class Result {
    Found,
    None,  ///< there is no packing of this height
    Limit, ///< given up after so many choices or steps
  };
  /// Tries candidates in the order of falling priority, equal ones by number;
  /// waste last.
  Result run(const std::vector<double> &priority, int64_t choiceLimit,
             int64_t stepLimit);

  const std::vector<int64_t> &offsets() const { return skyline.offsets(); }
  int64_t getSteps() const { return skyline.steps; }

private:
  /// A choice: what is still to be tried there.
  struct Choice {
    size_t mark;
    int pivot;
    bool waste;
    size_t begin, next, end; // into `candidates`
    std::pair<int64_t, int64_t> key;
  };
  struct Hash {
    size_t operator()(const std::pair<int64_t, int64_t> &key) const {
      return static_cast<size_t>(key.first);
    }
  };

  bool open(const std::vector<double> &priority);
  bool tryNext();

  Skyline skyline;
  size_t start;
  std::vector<Choice> choices;
  std::vector<int> candidates;
  std::unordered_set<std::pair<int64_t, int64_t>, Hash> refuted;
};

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_SEARCH_H
