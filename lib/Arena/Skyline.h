//===- Skyline.h - a packing while it grows ---------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packing within a given height, built from the bottom up. Over each section
// stands a floor: below it all is decided. Neighbouring sections of one floor
// are a segment. What remains to be placed over a section and its floor leave a
// slack: the units that may still be wasted there.
//
// The lowest floor is dealt with first. Of its sections take the one with the
// least slack, the *pivot*: either an item that covers the pivot lies on this
// floor, within the segment; or the pivot's floor is raised, which costs slack.
// Where there is no slack to waste there are only the items, and at the lower
// bound the fullest sections have none at all.
//
// A raised floor goes up to the lower one of the walls beside it: in some
// packing of this height every item rests on another one or on the ground, and
// what rests higher within the walls would rest on something that lies here.
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_LIB_ARENA_SKYLINE_H
#define MEMOPT_LIB_ARENA_SKYLINE_H

#include "Instance.h"
#include "Undo.h"

namespace memopt::arena {

class Skyline {
public:
  Skyline(const Instance &instance, int64_t height);

  enum class State {
    Choice,   ///< candidates() and mayWaste() are the ways to go on
    Complete, ///< everything is placed: offsets() are a packing
    Dead,     ///< no packing within the height goes on from here
  };
  /// Does what is forced, up to the next choice.
  State advance();

  /// Items that may lie on the lowest floor over the pivot; one of equals.
  const std::vector<int> &candidates() const { return found; }
  bool mayWaste() const { return wasteful; }
  int pivot() const { return pivotSection; }

  void place(int item);
  void waste(int pivot) { raise(pivot, pivot); }

  /// Elementary steps so far.
  int64_t steps = 0;

  size_t mark() const { return undo.mark(); }
  void rollback(size_t mark) { undo.rollback(mark); }

  /// Two states of one height with the same key go on alike: floors and what is
  /// placed, hashed to 128 bits.
  std::pair<int64_t, int64_t> key() const { return {hashLow, hashHigh}; }
  const std::vector<int64_t> &offsets() const { return itemOffsets; }

private:
  // A segment's key is twice its floor, and 1 more where it is raised: nothing
  // lies on this floor there.
  void insert(int first, int last, int64_t key);
  void insertMerged(int first, int last, int64_t key);
  void remove(int first);
  void carve(int first, int last, int64_t key);
  void raise(int first, int last);
  bool lift(int first);

  bool anyFits(int first, int last) const {
    return firstDeath.getMin(first, last) <= last;
  }
  void findCandidates(int first, int last);
  void linkItems();
  void unlink(int item);
  void toggle(uint64_t a, uint64_t b);

  const Instance &instance;
  Undo undo;
  /// Keys of segments, at their first sections.
  MinTree segments;
  /// The last section of the segment that starts here, and back.
  std::vector<int64_t> endOf, startOf;
  SlackTree slack;
  /// Unplaced items by section of birth, in the order of death: a ring through
  /// node `items + section`.
  std::vector<int64_t> after, before;
  /// The earliest death of what is unplaced and born in a section.
  MinTree firstDeath;
  std::vector<int64_t> itemOffsets;
  int64_t left, hashLow = 0, hashHigh = 0;

  std::vector<int> found;
  bool wasteful = false;
  int pivotSection = 0;
};

} // namespace memopt::arena

#endif // MEMOPT_LIB_ARENA_SKYLINE_H
