//===- PeakLadder.cpp - plans for every peak ------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LadderContents.h"

#include <algorithm>

using namespace memopt;

namespace {

constexpr int peakSteps = 256;

/// 0 .. peakSteps - 1, so that any first part of them is spread evenly.
int reverseBits(int i) {
  int r = 0;
  for (int bit = 1; bit < peakSteps; bit *= 2)
    r = 2 * r + ((i & bit) != 0);
  return r;
}

/// The peaks that are still to be searched, and the cheapest plan of each so
/// far.
class PeakGrid {
public:
  /// `bound`: no plan within the peak costs less.
  void add(int64_t peak, int64_t bound) { entries.push_back({peak, bound}); }
  bool empty() const { return entries.empty(); }

  /// Looks at the candidates that were added since the last time.
  void update(const std::vector<Candidate> &candidates) {
    for (; seen < candidates.size(); ++seen)
      for (Entry &entry : entries)
        if (candidates[seen].peakBytes <= entry.peak)
          entry.cost = std::min(entry.cost, candidates[seen].cost);
  }

  /// Removes the first, or the one whose cheapest plan costs most over its
  /// bound, the first of several.
  int64_t takeFirst() { return take(entries.begin()); }
  int64_t takeFarthest() {
    return take(std::max_element(entries.begin(), entries.end(),
                                 [](const Entry &a, const Entry &b) {
                                   return a.getDistance() < b.getDistance();
                                 }));
  }

private:
  struct Entry {
    int64_t peak, bound;
    int64_t cost = INT64_MAX; // no plan yet
    int64_t getDistance() const {
      return cost == INT64_MAX ? INT64_MAX : cost - bound;
    }
  };
  int64_t take(std::vector<Entry>::iterator entry) {
    int64_t peak = entry->peak;
    entries.erase(entry);
    return peak;
  }

  std::vector<Entry> entries;
  size_t seen = 0;
};

/// The cheapest plan whose peak is above `low` and at most `high`.
const Candidate *findCheapest(const std::vector<Candidate> &candidates,
                              int64_t low, int64_t high) {
  const Candidate *best = nullptr;
  for (const Candidate &c : candidates)
    if (c.peakBytes > low && c.peakBytes <= high &&
        (!best || std::make_pair(c.cost, c.peakBytes) <
                      std::make_pair(best->cost, best->peakBytes)))
      best = &c;
  return best;
}

/// The cheapest of the plans that save at most `bytes`.
const Candidate *findAffordable(const std::vector<Candidate> &candidates,
                                int64_t bytes) {
  const Candidate *best = nullptr;
  for (const Candidate &c : candidates)
    if (c.savedBytes <= bytes && (!best || c.cost < best->cost))
      best = &c;
  return best;
}

} // namespace

/// Makes all candidates and keeps those that nothing beats.
void PlanLadder::Contents::climbPeaks() {
  if (hasPeaks)
    return;
  hasPeaks = true;
  Evaluator evaluator(graph, prices, model, placer, options.peak, 0);
  for (const SavedPlan &plan : getMixedPlans()) {
    if (plan.savedOnly)
      continue;
    candidates.push_back(toCandidate(plan.kept));
    evaluator.evaluate(candidates.back());
  }
  searchPeaks(evaluator);
  prune();
}

/// Plans for a grid of peaks that does not depend on a budget, first where the
/// cheapest plan so far is farthest from the bound: repaired from a cheaper one
/// that needs a little more, and built from the backward's end, from nothing
/// and from the best plan of somewhat fewer saved bytes.
void PlanLadder::Contents::searchPeaks(Evaluator &evaluator) {
  PeakSearch search(evaluator);
  auto add = [&](std::optional<Candidate> plan, int64_t peak) {
    if (!plan)
      return;
    search.fill(*plan, peak);
    candidates.push_back(std::move(*plan));
  };
  int64_t most = findCheapest(candidates, -1, INT64_MAX)->peakBytes;
  applyTemplates(search, evaluator);
  int64_t least = findSmallest(search, evaluator);
  PeakGrid grid;
  for (int i = 0; i < peakSteps; ++i) {
    int64_t peak =
        least + static_cast<int64_t>(static_cast<__int128>(most - least) *
                                     reverseBits(i) / peakSteps);
    grid.add(peak, boundAt(peak));
  }
  // A quarter of the peaks in the grid's order, then the farthest from the
  // bound. A way that did not help four times in a row is tried every fourth
  // time; that from nothing always.
  int misses[3] = {0, 0, 0};
  for (int round = 0; !grid.empty() && !evaluator.isExhausted(); ++round) {
    grid.update(candidates);
    int64_t peak =
        round < peakSteps / 4 ? grid.takeFirst() : grid.takeFarthest();
    for (int way = 0; way < 3; ++way) {
      if (way > 0 && misses[way] >= 4 && round % 4 != way)
        continue;
      int64_t before = distance(peak);
      add(tryWay(way, search, peak), peak);
      misses[way] = distance(peak) < before ? 0 : misses[way] + 1;
    }
  }
}

/// What brings the cheapest plan's peak down by a twentieth (keeping the logits
/// themselves in place of what is made from them, say) often helps all others
/// as much: the same change is tried on a part of the plans, twice.
void PlanLadder::Contents::applyTemplates(PeakSearch &search,
                                          Evaluator &evaluator) {
  size_t planCount = candidates.size();
  Candidate cheapest = *findCheapest(candidates, -1, INT64_MAX);
  for (int round = 0; round < 2; ++round) {
    evaluator.setWork(work / 12);
    int64_t peak = cheapest.peakBytes - cheapest.peakBytes / 20;
    std::optional<Candidate> better = search.repair(cheapest, peak);
    if (!better)
      return;
    size_t opCount = std::max<size_t>(1, graph.ops.size());
    size_t tried =
        std::max<size_t>(1, static_cast<size_t>(work) / 12 / opCount);
    size_t stride = std::max<size_t>(1, planCount / tried);
    for (size_t i = 0; i < planCount; i += stride) {
      Candidate next = candidates[i];
      for (size_t v = 0; v < next.kept.size(); ++v) {
        if (better->kept[v] != cheapest.kept[v])
          next.kept[v] = better->kept[v];
        if (better->rebuilt[v] != cheapest.rebuilt[v])
          next.rebuilt[v] = better->rebuilt[v];
      }
      evaluator.evaluate(next);
      if (next.peakBytes < candidates[i].peakBytes)
        candidates.push_back(std::move(next));
    }
    cheapest = std::move(*better);
  }
}

/// One way to a plan within a peak.
std::optional<Candidate>
PlanLadder::Contents::tryWay(int way, PeakSearch &search, int64_t peak) const {
  if (way == 0)
    return search.build(peak);
  const Candidate *start = way == 1
                               ? findCheapest(candidates, peak, peak + peak / 4)
                               : findAffordable(candidates, peak / 5 * 3);
  if (!start)
    return std::nullopt;
  return way == 1 ? search.repair(*start, peak) : search.build(peak, *start);
}

/// Adds plans of small peaks; returns the smallest peak found.
int64_t PlanLadder::Contents::findSmallest(PeakSearch &search,
                                           Evaluator &evaluator) {
  int64_t least = INT64_MAX;
  for (const Candidate &c : candidates)
    least = std::min(least, c.peakBytes);
  // By halving what lies between it and what fails, with half of the work.
  evaluator.setWork(work / 3);
  for (int64_t low = 0; least - low > least / 64 && !evaluator.isExhausted();) {
    int64_t peak = low + (least - low) / 2;
    std::optional<Candidate> plan = search.build(peak);
    if (!plan) {
      low = peak;
      continue;
    }
    least = plan->peakBytes;
    candidates.push_back(std::move(*plan));
  }
  // And from there by single changes.
  for (const Candidate *start = findCheapest(candidates, -1, least);
       start && !evaluator.isExhausted();) {
    std::optional<Candidate> plan = search.repair(*start, least - 1);
    if (!plan || plan->peakBytes >= least)
      break;
    least = plan->peakBytes;
    candidates.push_back(std::move(*plan));
    start = &candidates.back();
  }
  evaluator.setWork(work - work / 3);
  return least;
}

/// What every plan within a peak costs at least.
int64_t PlanLadder::Contents::boundAt(int64_t peak) const {
  return std::max<int64_t>(0, frontier.lowerBound(peak - returnedBytes));
}

/// How much the cheapest plan within a peak costs over the bound.
int64_t PlanLadder::Contents::distance(int64_t peak) const {
  const Candidate *best = findCheapest(candidates, -1, peak);
  return best ? best->cost - boundAt(peak) : INT64_MAX;
}

/// Drops what another plan beats in saved bytes, cost and peak; of equal ones
/// the first stays. The rest stands by cost.
void PlanLadder::Contents::prune() {
  auto key = [](const Candidate &c) {
    return std::make_tuple(c.cost, c.peakBytes, c.savedBytes);
  };
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  std::vector<Candidate> front;
  for (Candidate &c : candidates) {
    bool beaten = false;
    for (const Candidate &f : front)
      if (f.peakBytes <= c.peakBytes && f.savedBytes <= c.savedBytes) {
        beaten = true;
        break;
      }
    if (!beaten)
      front.push_back(std::move(c));
  }
  candidates = std::move(front);
  for (const Candidate &c : candidates)
    points.push_back({c.savedBytes, c.cost, c.peakBytes});
}
