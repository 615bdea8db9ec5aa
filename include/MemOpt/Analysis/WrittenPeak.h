//===- WrittenPeak.h - the high-water mark of a step as written --*- C++
//-*-===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMOPT_ANALYSIS_WRITTENPEAK_H
#define MEMOPT_ANALYSIS_WRITTENPEAK_H

#include "MemOpt/Analysis/Storage.h"
#include "MemOpt/Analysis/TrainingStep.h"

namespace memopt {

/// The most bytes alive at one op of the step, in the order in which it is
/// written and op by op, nothing fused or updated in place. What counts:
/// - each storage from the op that makes it to the last op that reads it, and
/// to
///   the end where it is returned; results included, arguments apart;
/// - at an op, what it reads and all that it makes, also what nobody uses,
/// except
///   unused results of memopt ops, which are never made;
/// - not: views, broadcasts and transposes, as in SavedActivations, constants
/// and
///   splats, ops that lead nowhere, and what an op needs inside itself. A value
///   computed from constants counts here, since it is in memory while it is
///   used.
class WrittenPeak {
public:
  /// Fails with a diagnostic that names the value whose size is not known, or
  /// the op at which the bytes alive pass 2^63 - 1.
  static llvm::FailureOr<WrittenPeak> compute(const TrainingStep &step);

  int64_t getPeakBytes() const { return peakBytes; }
  /// The first op at which the peak is reached; null where nothing is ever
  /// alive.
  mlir::Operation *getPeakOp() const { return peakOp; }
  /// The bytes alive at each op of the step's block, by position.
  llvm::ArrayRef<int64_t> getBytesAlive() const { return alive; }

private:
  int64_t peakBytes = 0;
  mlir::Operation *peakOp = nullptr;
  llvm::SmallVector<int64_t> alive;
};

} // namespace memopt

#endif // MEMOPT_ANALYSIS_WRITTENPEAK_H
