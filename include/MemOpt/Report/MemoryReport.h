//===- MemoryReport.h - the figures of a step -------------------*- C++ -*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_REPORT_MEMORYREPORT_H
#define MEMOPT_REPORT_MEMORYREPORT_H

#include "MemOpt/Analysis/TrainingStep.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace memopt {

/// A value or op as a reader of the printed IR finds it.
struct ReportedOp {
  /// Name of the first result as printed (`%12`), or of its location where it
  /// has one; empty where the op has no result.
  std::string value;
  /// Name of the op, with its kind where it is a memopt op.
  std::string op;
};

/// The figures of one training step. All sizes in bytes. It keeps no reference
/// to the IR.
struct MemoryReport {
  struct Saved {
    ReportedOp made;
    std::string type;
    int64_t bytes = 0;
    bool returned = false;
    llvm::SmallVector<ReportedOp> keptBy;
  };
  struct LeftAlone {
    ReportedOp op;
    std::string reason;
  };

  /// What memopt-rematerialize planned, from the step's attribute.
  struct Planned {
    std::optional<int64_t> peakBudgetBytes, savedBudgetBytes;
    std::string device;
    int64_t peakBytes = 0, savedBytes = 0; // peak: fused, aligned
    int64_t peakBytesBefore = 0, savedBytesBefore = 0;
    int64_t recomputePicoseconds = 0, stepPicoseconds = 0;
    int64_t lowerBoundPicoseconds = 0;
    llvm::SmallVector<ReportedOp> recomputed; // in program order
  };

  std::string function;
  llvm::SmallVector<int64_t> forwardResults;
  ReportedOp forwardEnd;
  int64_t savedBytes = 0; // what is also returned is in `saved` but not in here
  llvm::SmallVector<Saved> saved;
  int64_t peakBytes = 0;
  ReportedOp peakAt;
  int64_t argumentBytes = 0;
  int64_t resultBytes = 0;
  /// How many memopt ops of each kind the step holds.
  std::map<std::string, int64_t> memoptOps;
  /// What a rewrite would not improve, in program order.
  llvm::SmallVector<LeftAlone> leftAlone;

  /// Nothing where the step was not rematerialized.
  std::optional<Planned> planned;

  /// Fails with a diagnostic where a size that counts is not known.
  static llvm::FailureOr<MemoryReport> compute(const TrainingStep &step);

  /// For programs; docs/report.md says what each field means.
  llvm::json::Value toJSON() const;
  /// For people: totals, then alike storages in one line, the largest first.
  void printTable(llvm::raw_ostream &os) const;
};

} // namespace memopt

#endif // MEMOPT_REPORT_MEMORYREPORT_H
