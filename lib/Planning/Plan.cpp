//===- Plan.cpp - what a planner decides ----------------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Planning/Plan.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <sstream>

using namespace memopt;

std::string memopt::describeSchedule(const StepGraph &graph,
                                     const std::vector<int64_t> &prices,
                                     Schedule schedule, RematPlan &plan,
                                     const PeakOptions &options) {
  ScheduleReads reads;
  if (std::string error = resolveReads(graph, schedule, reads); !error.empty())
    return error;
  FusionPlan fusion = fuse(graph, schedule, reads);
  PeakMemory peak = simulatePeak(graph, schedule, reads, fusion, options);
  plan = RematPlan();
  plan.savedBytes = peak.savedBytes;
  plan.peakBytes = peak.peakBytes;
  if (peak.peakKernel >= 0)
    plan.peakRun =
        schedule.order[fusion.members[fusion.begin[peak.peakKernel]]];
  __int128 cost = 0;
  for (size_t p = 0; p < schedule.order.size(); ++p) {
    Run run = schedule.order[p];
    if (run.copy > 0)
      cost += prices[run.op];
    if (cost > static_cast<__int128>(1) << 62)
      return "the cost of the recomputations passes 2^62 picoseconds";
    if (run.copy == 1)
      plan.recomputed.push_back(run.op);
    if (isForwardRun(graph, run))
      continue;
    for (size_t i = 0; i < graph.ops[run.op].operands.size(); ++i) {
      int source = reads.source[reads.begin[p] + static_cast<int>(i)];
      if (source >= 0 && isForwardRun(graph, schedule.order[source]))
        plan.kept.push_back(graph.ops[run.op].operands[i].value);
    }
  }
  plan.cost = static_cast<int64_t>(cost);
  std::sort(plan.recomputed.begin(), plan.recomputed.end());
  std::sort(plan.kept.begin(), plan.kept.end());
  plan.kept.erase(std::unique(plan.kept.begin(), plan.kept.end()),
                  plan.kept.end());
  plan.schedule = std::move(schedule);
  return {};
}

std::vector<LiveValue> memopt::listPeak(const StepGraph &graph,
                                        const RematPlan &plan,
                                        const PeakOptions &options) {
  ScheduleReads reads;
  if (!resolveReads(graph, plan.schedule, reads).empty())
    return {};
  FusionPlan fusion = fuse(graph, plan.schedule, reads);
  PeakMemory peak = simulatePeak(graph, plan.schedule, reads, fusion, options);
  return listLive(graph, plan.schedule, reads, fusion, peak.peakKernel,
                  options);
}

int RematPlan::getRunCount(const StepGraph &graph) const {
  return static_cast<int>(schedule.order.size() - graph.ops.size());
}

bool memopt::operator==(const RematPlan &a, const RematPlan &b) {
  return a.schedule.kept == b.schedule.kept &&
         a.schedule.order == b.schedule.order && a.kept == b.kept &&
         a.recomputed == b.recomputed && a.savedBytes == b.savedBytes &&
         a.cost == b.cost && a.peakBytes == b.peakBytes &&
         a.peakRun == b.peakRun && a.savedBound == b.savedBound &&
         a.peakBound == b.peakBound;
}

void memopt::printPlan(const StepGraph &graph, const RematPlan &plan,
                       std::ostream &os) {
  auto nameOf = [&](int op) {
    const StepOp &o = graph.ops[op];
    return o.results.empty() ? "op " + std::to_string(op)
                             : graph.values[o.results.front()].name;
  };
  os << "saved " << plan.savedBytes << " bytes, recomputed "
     << plan.getRunCount(graph) << " runs in " << plan.cost << " ps (bound "
     << plan.savedBound << " ps for these bytes, " << plan.peakBound
     << " ps for this peak), peak " << plan.peakBytes << " bytes";
  if (plan.peakRun.op >= 0)
    os << " at " << nameOf(plan.peakRun.op);
  os << '\n';
  for (int v : plan.kept)
    os << "  keep " << graph.values[v].bytes << " bytes "
       << graph.values[v].name << '\n';
  for (int o : plan.recomputed)
    os << "  recompute " << nameOf(o) << '\n';
}

void memopt::writePlan(const RematPlan &plan, std::ostream &os) {
  os << "memopt-plan 1\nsaved " << plan.savedBytes << "\ncost " << plan.cost
     << "\npeak " << plan.peakBytes << "\nat " << plan.peakRun.op << ' '
     << plan.peakRun.copy << "\nbounds " << plan.savedBound << ' '
     << plan.peakBound << "\nkeep";
  for (size_t v = 0; v < plan.schedule.kept.size(); ++v)
    if (plan.schedule.kept[v])
      os << ' ' << v;
  os << "\nrecomputed";
  for (int o : plan.recomputed)
    os << ' ' << o;
  os << "\nkept";
  for (int v : plan.kept)
    os << ' ' << v;
  os << "\norder";
  for (Run run : plan.schedule.order) {
    os << ' ' << run.op;
    if (run.copy)
      os << '.' << run.copy;
  }
  os << '\n';
}

namespace {

/// Reads `word` and then all numbers up to the end of its line.
bool readList(std::istringstream &input, const std::string &word,
              std::vector<int64_t> &numbers, size_t count = SIZE_MAX) {
  std::string text, first;
  if (!std::getline(input, text))
    return false;
  std::istringstream line(text);
  numbers.clear();
  if (!(line >> first) || first != word)
    return false;
  for (int64_t n; line >> n;)
    numbers.push_back(n);
  return line.eof() && (count == SIZE_MAX || numbers.size() == count);
}

bool readOrder(std::istringstream &input, std::vector<Run> &order) {
  std::string text;
  if (!std::getline(input, text) || text.compare(0, 5, "order") != 0)
    return false;
  std::istringstream line(text.substr(5));
  while (line >> text) {
    Run run;
    char *end;
    run.op = static_cast<int>(std::strtol(text.c_str(), &end, 10));
    if (*end == '.')
      run.copy = static_cast<int>(std::strtol(end + 1, &end, 10));
    if (*end)
      return false;
    order.push_back(run);
  }
  return true;
}

} // namespace

std::string memopt::readPlan(std::string_view text, size_t valueCount,
                             RematPlan &plan) {
  std::istringstream input{std::string(text)};
  plan = RematPlan();
  std::vector<int64_t> n;
  if (!readList(input, "memopt-plan", n, 1) || n[0] != 1)
    return "expected `memopt-plan 1`";
  if (!readList(input, "saved", n, 1))
    return "expected `saved BYTES`";
  plan.savedBytes = n[0];
  if (!readList(input, "cost", n, 1))
    return "expected `cost PICOSECONDS`";
  plan.cost = n[0];
  if (!readList(input, "peak", n, 1))
    return "expected `peak BYTES`";
  plan.peakBytes = n[0];
  if (!readList(input, "at", n, 2))
    return "expected `at OP COPY`";
  plan.peakRun = {static_cast<int>(n[0]), static_cast<int>(n[1])};
  if (!readList(input, "bounds", n, 2))
    return "expected `bounds SAVED PEAK`";
  plan.savedBound = n[0];
  plan.peakBound = n[1];
  if (!readList(input, "keep", n))
    return "expected `keep V...`";
  plan.schedule.kept.assign(valueCount, 0);
  for (int64_t v : n) {
    if (v < 0 || v >= static_cast<int64_t>(valueCount))
      return "no such value: " + std::to_string(v);
    plan.schedule.kept[v] = 1;
  }
  if (!readList(input, "recomputed", n))
    return "expected `recomputed OP...`";
  plan.recomputed.assign(n.begin(), n.end());
  if (!readList(input, "kept", n))
    return "expected `kept V...`";
  plan.kept.assign(n.begin(), n.end());
  if (!readOrder(input, plan.schedule.order))
    return "expected `order OP[.COPY]...`";
  return {};
}
