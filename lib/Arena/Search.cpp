//===- Search.cpp - packings within a height ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include <algorithm>

using namespace memopt::arena;

/// Puts the choice at hand on the stack; false where it is known to fail.
bool Search::open(const std::vector<double> &priority) {
  if (refuted.count(skyline.key()))
    return false;
  size_t begin = candidates.size();
  candidates.insert(candidates.end(), skyline.candidates().begin(),
                    skyline.candidates().end());
  std::sort(candidates.begin() + begin, candidates.end(), [&](int a, int b) {
    return priority[a] != priority[b] ? priority[a] > priority[b] : a < b;
  });
  choices.push_back({skyline.mark(), skyline.pivot(), skyline.mayWaste(), begin,
                     begin, candidates.size(), skyline.key()});
  return true;
}

/// Takes the next way on from the latest choice that has one; false where none
/// has.
bool Search::tryNext() {
  while (!choices.empty()) {
    Choice &choice = choices.back();
    skyline.rollback(choice.mark);
    if (choice.next < choice.end) {
      skyline.place(candidates[choice.next++]);
      return true;
    }
    if (choice.waste) {
      choice.waste = false;
      skyline.waste(choice.pivot);
      return true;
    }
    refuted.insert(choice.key);
    candidates.resize(choice.begin);
    choices.pop_back();
  }
  return false;
}

Search::Result Search::run(const std::vector<double> &priority,
                           int64_t choiceLimit, int64_t stepLimit) {
  choices.clear();
  candidates.clear();
  skyline.rollback(start);
  while (true) {
    switch (skyline.advance()) {
    case Skyline::State::Complete:
      return Result::Found;
    case Skyline::State::Choice:
      if (choiceLimit-- <= 0 || skyline.steps >= stepLimit)
        return Result::Limit;
      open(priority);
      break;
    case Skyline::State::Dead:
      break;
    }
    if (!tryNext())
      return Result::None;
  }
}
