//===- Skyline.cpp - a packing while it grows -----------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Skyline.h"
#include "Random.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace memopt::arena;

namespace {

/// What moving a segment or an item costs in elementary steps, next to looking
/// at one.
constexpr int64_t kMoveSteps = 50;

std::vector<int64_t> getSlack(const Instance &instance, int64_t height) {
  std::vector<int64_t> slack;
  for (int64_t units : instance.load)
    slack.push_back(height - units);
  return slack;
}

} // namespace

Skyline::Skyline(const Instance &instance, int64_t height)
    : instance(instance), segments(undo, instance.load.size()),
      endOf(instance.load.size()), startOf(instance.load.size()),
      slack(undo, getSlack(instance, height)),
      firstDeath(undo, instance.load.size()),
      itemOffsets(instance.items.size()),
      left(static_cast<int64_t>(instance.items.size())) {
  linkItems();
  if (left)
    insert(0, instance.getSectionCount() - 1, 0);
}

void Skyline::linkItems() {
  const std::vector<Item> &items = instance.items;
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Item &x = items[a], &y = items[b];
    return std::make_tuple(x.first, x.last, y.size, a) <
           std::make_tuple(y.first, y.last, x.size, b);
  });
  int64_t count = static_cast<int64_t>(items.size());
  after.resize(items.size() + instance.load.size());
  std::iota(after.begin(), after.end(), 0);
  before = after;
  for (int i : order) {
    int64_t head = count + items[i].first, latest = before[head];
    if (latest == head)
      firstDeath.set(items[i].first, items[i].last);
    after[latest] = i;
    before[i] = latest;
    after[i] = head;
    before[head] = i;
  }
}

void Skyline::unlink(int item) {
  undo.set(after[before[item]], after[item]);
  undo.set(before[after[item]], before[item]);
  int birth = instance.items[item].first;
  int64_t count = static_cast<int64_t>(instance.items.size());
  int64_t next = after[count + birth];
  firstDeath.set(birth, next < count ? instance.items[next].last : kNever);
}

/// Adds or takes away what is named by two numbers; the halves of the key mix
/// them differently.
void Skyline::toggle(uint64_t a, uint64_t b) {
  uint64_t low = scramble(scramble(a) + b);
  uint64_t high = scramble(scramble(a ^ 0x5555555555555555) - b);
  undo.set(hashLow, hashLow ^ static_cast<int64_t>(low));
  undo.set(hashHigh, hashHigh ^ static_cast<int64_t>(high));
}

void Skyline::insert(int first, int last, int64_t key) {
  undo.set(endOf[first], last);
  undo.set(startOf[last], first);
  segments.set(first, key);
  toggle(key, first);
  steps += kMoveSteps;
}

void Skyline::remove(int first) {
  toggle(segments.get(first), first);
  segments.set(first, kNever);
}

/// Neighbours of the same floor are one segment.
void Skyline::insertMerged(int first, int last, int64_t key) {
  if (first > 0 && segments.get(startOf[first - 1]) == key) {
    first = static_cast<int>(startOf[first - 1]);
    remove(first);
  }
  if (last + 1 < instance.getSectionCount() && segments.get(last + 1) == key) {
    int next = last + 1;
    last = static_cast<int>(endOf[next]);
    remove(next);
  }
  insert(first, last, key);
}

/// Gives a part of the lowest segment another floor.
void Skyline::carve(int first, int last, int64_t key) {
  int start = segments.getPlace(), end = static_cast<int>(endOf[start]);
  int64_t old = segments.get(start);
  remove(start);
  if (start < first)
    insert(start, first - 1, old);
  if (last < end)
    insert(last + 1, end, old);
  insertMerged(first, last, key);
}

/// From here on nothing lies on the lowest floor over these sections.
void Skyline::raise(int first, int last) {
  carve(first, last, segments.getMin() | 1);
}

/// Brings a raised segment up to the lower wall; false where there is no wall,
/// or too little slack.
bool Skyline::lift(int first) {
  int last = static_cast<int>(endOf[first]);
  int64_t wall = kNever, floor = segments.get(first) / 2;
  if (first > 0)
    wall = segments.get(startOf[first - 1]) / 2;
  if (last + 1 < instance.getSectionCount())
    wall = std::min(wall, segments.get(last + 1) / 2);
  if (wall == kNever || slack.getMin(first, last).first < wall - floor)
    return false;
  slack.lower(first, last, wall - floor);
  remove(first);
  insertMerged(first, last, 2 * wall);
  return true;
}

/// Items over the pivot within sections `first` to `last`. Equal items stand
/// side by side in the ring: the first of them stands for all.
void Skyline::findCandidates(int first, int last) {
  found.clear();
  int64_t count = static_cast<int64_t>(instance.items.size());
  steps += pivotSection - first + 1;
  for (int birth = first; birth <= pivotSection; ++birth) {
    if (firstDeath.get(birth) > last)
      continue;
    const Item *previous = nullptr;
    for (int64_t i = after[count + birth]; i < count; i = after[i]) {
      const Item &item = instance.items[i];
      ++steps;
      if (item.last > last)
        break;
      bool equal = previous && previous->last == item.last &&
                   previous->size == item.size;
      if (item.last >= pivotSection && !equal)
        found.push_back(static_cast<int>(i));
      previous = &item;
    }
  }
}

Skyline::State Skyline::advance() {
  while (left) {
    int first = segments.getPlace(), last = static_cast<int>(endOf[first]);
    ++steps;
    if (segments.getMin() % 2) {
      if (!lift(first))
        return State::Dead;
      continue;
    }
    auto [least, place] = slack.getMin(first, last);
    if (!anyFits(first, last)) {
      if (!least)
        return State::Dead;
      raise(first, last);
      continue;
    }
    pivotSection = place;
    wasteful = least > 0;
    findCandidates(first, last);
    if (!found.empty())
      return State::Choice;
    if (!wasteful)
      return State::Dead;
    raise(place, place);
  }
  return State::Complete;
}

void Skyline::place(int item) {
  const Item &placed = instance.items[item];
  int64_t floor = segments.getMin() / 2;
  unlink(item);
  // Never undone: only the offsets of placed items are read.
  itemOffsets[item] = floor;
  undo.set(left, left - 1);
  toggle(~uint64_t(0), item);
  carve(placed.first, placed.last, 2 * (floor + placed.size));
}
