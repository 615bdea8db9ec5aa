//===- Table.cpp - the memory report for people ---------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemOpt/Report/MemoryReport.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <tuple>

using namespace memopt;

/// "8947461124" as "8,947,461,124".
static std::string groupDigits(int64_t bytes) {
  std::string text = std::to_string(bytes);
  for (int64_t i = int64_t(text.size()) - 3; i > 0; i -= 3)
    text.insert(i, ",");
  return text;
}

/// "8.95 GB", with 1 GB = 10^9 bytes.
static std::string toHumanUnits(int64_t bytes) {
  static constexpr const char *units[] = {"B",  "kB", "MB", "GB",
                                          "TB", "PB", "EB"};
  double value = bytes;
  unsigned unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  if (unit == 0)
    return llvm::formatv("{0} B", bytes).str();
  return llvm::formatv("{0} {1}", llvm::format("%.3g", value), units[unit])
      .str();
}

static void printTotal(llvm::raw_ostream &os, llvm::StringRef what,
                       int64_t bytes, const llvm::Twine &remark = "") {
  os << llvm::formatv("{0,-19} {1,20} bytes  {2,8}", what, groupDigits(bytes),
                      toHumanUnits(bytes));
  std::string text = remark.str();
  os << (text.empty() ? "" : "  ") << text << "\n";
}

static std::string toString(const ReportedOp &op) {
  return op.value.empty() ? op.op : op.value + " (" + op.op + ")";
}

namespace {
/// Storages that differ in their names only.
struct Group {
  const MemoryReport::Saved *first;
  int64_t count = 0;
  std::string keptBy;
};
} // namespace

/// The names of the ops that keep a storage, each once, with how many there
/// are.
static std::string summarizeKeepers(const MemoryReport::Saved &entry) {
  llvm::MapVector<llvm::StringRef, int64_t> names;
  for (const ReportedOp &op : entry.keptBy)
    ++names[op.op];
  std::string text;
  for (auto &[name, count] : names) {
    text += text.empty() ? "" : ", ";
    text +=
        count > 1 ? llvm::formatv("{0} x {1}", count, name).str() : name.str();
  }
  return text;
}

static std::vector<Group>
groupAlike(llvm::ArrayRef<MemoryReport::Saved> saved) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, bool, std::string>, size_t>
      places;
  for (const MemoryReport::Saved &entry : saved) {
    std::string keptBy = summarizeKeepers(entry);
    auto [place, isNew] = places.try_emplace(
        {entry.made.op, entry.type, entry.returned, keptBy}, groups.size());
    if (isNew)
      groups.push_back({&entry, 0, keptBy});
    ++groups[place->second].count;
  }
  // A product of a count and bytes can pass 2^63 only where the sum of all
  // would.
  llvm::stable_sort(groups, [](const Group &a, const Group &b) {
    return a.count * double(a.first->bytes) > b.count * double(b.first->bytes);
  });
  return groups;
}

static void printSaved(llvm::raw_ostream &os,
                       llvm::ArrayRef<MemoryReport::Saved> saved) {
  if (saved.empty())
    return;
  os << "\n               bytes    n x type, made by, kept by\n";
  for (const Group &group : groupAlike(saved)) {
    const MemoryReport::Saved &entry = *group.first;
    std::string bytes = entry.returned ? "(returned) 0"
                                       : groupDigits(group.count * entry.bytes);
    os << llvm::formatv("{0,20} {1,4} x {2}, {3}, {4}\n", bytes, group.count,
                        entry.type, entry.made.op, group.keptBy);
  }
}

/// "in 3 storages, and 1 returned".
static std::string countStorages(llvm::ArrayRef<MemoryReport::Saved> saved) {
  int64_t returned = llvm::count_if(
      saved, [](const MemoryReport::Saved &entry) { return entry.returned; });
  int64_t kept = int64_t(saved.size()) - returned;
  std::string text =
      llvm::formatv("in {0} storage{1}", kept, kept == 1 ? "" : "s").str();
  if (returned)
    text += llvm::formatv(", and {0} returned", returned).str();
  return text;
}

/// Alike ops with one reason share a line.
static void printLeftAlone(llvm::raw_ostream &os,
                           llvm::ArrayRef<MemoryReport::LeftAlone> leftAlone) {
  std::vector<std::pair<std::string, int64_t>> lines;
  std::map<std::string, size_t> places;
  for (const MemoryReport::LeftAlone &entry : leftAlone) {
    std::string line = entry.op.op + ": " + entry.reason;
    auto [place, isNew] = places.try_emplace(line, lines.size());
    if (isNew)
      lines.push_back({line, 0});
    ++lines[place->second].second;
  }
  if (!lines.empty())
    os << "\nleft alone:\n";
  for (const auto &[line, count] : lines)
    os << llvm::formatv("{0,5} x {1}\n", count, line);
}

/// Picoseconds as milliseconds.
static std::string toMilliseconds(int64_t picoseconds) {
  return llvm::formatv("{0} ms", llvm::format("%.4g", picoseconds * 1e-9))
      .str();
}

static void printPlan(llvm::raw_ostream &os,
                      const MemoryReport::Planned &planned) {
  os << "\nrematerialized for " << planned.device << ": "
     << planned.recomputed.size() << " ops run again\n";
  if (planned.peakBudgetBytes)
    printTotal(os, "peak budget", *planned.peakBudgetBytes);
  if (planned.savedBudgetBytes)
    printTotal(os, "saved budget", *planned.savedBudgetBytes);
  printTotal(os, "peak as fused", planned.peakBytes,
             "before: " + groupDigits(planned.peakBytesBefore));
  printTotal(os, "saved as planned", planned.savedBytes,
             "before: " + groupDigits(planned.savedBytesBefore));
  os << "recomputation takes " << toMilliseconds(planned.recomputePicoseconds)
     << " of a step of " << toMilliseconds(planned.stepPicoseconds)
     << ", at least " << toMilliseconds(planned.lowerBoundPicoseconds)
     << " for any plan within the budget\n";
}

void MemoryReport::printTable(llvm::raw_ostream &os) const {
  os << "training step @" << function << ": the forward ends at "
     << toString(forwardEnd) << "\n";
  printTotal(os, "saved activations", savedBytes, countStorages(saved));
  printTotal(os, "peak as written", peakBytes,
             peakAt.op.empty() ? "" : "at " + toString(peakAt));
  printTotal(os, "arguments", argumentBytes);
  printTotal(os, "results", resultBytes);
  if (planned)
    printPlan(os, *planned);
  printSaved(os, saved);
  if (!memoptOps.empty())
    os << "\n";
  for (const auto &[name, count] : memoptOps)
    os << llvm::formatv("{0,5} x {1}\n", count, name);
  printLeftAlone(os, leftAlone);
}
